/*
 * Commands that go through much input, and end between two pieces of it when
 * they are asked to stop (os/interrupt.h).
 */
#pragma once

#include "cli/cli.h"

/** Begin to watch for signals. @return 0, or an error that has been reported. */
int app_interrupt_begin(const struct app_cli *cli);

/**
 * The work is over.
 *
 * @param r What it returned: 0, or an error that has been reported. With -EINTR the signal stays
 *          noted, since main dies of it.
 * @return APP_EXIT_OK when it is the command that knows the status.
 */
enum app_exit app_interrupt_end(int r);
