/*
 * SIGINT and SIGTERM as requests to stop.
 *
 * A command that should not be cut off in the middle of a line watches for
 * them. The first signal is only noted: from then on, calls of os/sys that
 * block return -EINTR, and the command finishes. A second signal ends the
 * process at once, in case the command does not finish.
 *
 * This is state of the process. One thread watches; the threads of
 * os_thread_start() never get these signals.
 */
#pragma once

/** Note SIGINT and SIGTERM from now on. @return 0 or -errno. */
int os_interrupt_watch(void);

/** The signal that was noted; 0 when there was none. */
int os_interrupt_signal(void);

/** Clear the noted signal, and let signals end the process again. */
void os_interrupt_unwatch(void);

/**
 * End the process by the signal that was noted: a shell stops its script only
 * when it sees that.
 * @return the matching exit status, in case the process is still alive.
 */
int os_interrupt_die(void);
