/*
 * Command line and environment of a process can be read by others for as long
 * as it runs (/proc/PID/cmdline, /proc/PID/environ). Secrets in them are
 * copied and written over there.
 */
#pragma once

/**
 * Replace the words and variables that are secret by copies, which are never freed.
 *
 * @param environment Entries NAME=value, ended by NULL.
 * @return 0 or -ENOMEM: the rest is as it was.
 */
int app_hide_secrets(int argc, char **argv, char **environment);

/** Take secrets out of the environment, so that no program can be given them. The values live on.
 */
void app_forget_secrets(char **environment);
