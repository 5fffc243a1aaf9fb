/*
 * What is written on the command line can be read by every user of the machine
 * for as long as the program runs. Secrets are copied, and written over there.
 */
#pragma once

/** Replace the words that are secret by copies. @return 0 or -ENOMEM: the rest is as it was. */
int app_hide_secrets(int argc, char **argv);
