/*
 * Being asked to stop.
 *
 * A command that should not be cut off in the middle of a line watches for
 * SIGINT and SIGTERM. The first one is only noted: calls of os/sys that wait
 * return -EINTR from then on, and the command ends what it is doing. It is
 * noted once; a second one ends the process at once, in case the command does
 * not come to its end.
 *
 * The process is one, so this is state of the process. One thread watches; the
 * threads of os_thread_start() never see these signals.
 */
#pragma once

/** Note SIGINT and SIGTERM from now on. @return 0 or -errno. */
int os_interrupt_watch(void);

/** The signal that was noted; 0 when there was none. */
int os_interrupt_signal(void);

/** Forget what was noted, and let signals end the process again. */
void os_interrupt_unwatch(void);

/**
 * Die of the signal that was noted, as whoever started us expects: a shell
 * stops its script only when it sees that we did.
 * @return the exit status that stands for it, should we still be alive.
 */
int os_interrupt_die(void);
