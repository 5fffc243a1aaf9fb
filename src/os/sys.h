/*
 * The only access to the kernel, to threads and to the heap.
 *
 * Every system call and allocation of the program goes through the table
 * os_sys points to. Production never changes it; a test replaces it with a
 * table of its own and so makes any call fail, once, with any error. The
 * pointer must not change while other threads run.
 *
 * Results are the kernel's, with errors as negative errno values. A call that
 * a signal interrupted is repeated, unless the signal asked the program to
 * stop (os/interrupt.h): then -EINTR is returned.
 */
#pragma once

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>

struct jsv_allocator;
struct open_how;

/*
 * A program to start. It gets exactly this. It leads a process group of its
 * own, so that it can be ended together with the processes it started, and
 * begins with no signal blocked or ignored.
 */
struct os_spawn {
    const char *path;         /* absolute, or relative to the directory; PATH is not searched */
    char *const *arguments;   /* with the name first; ended by NULL */
    char *const *environment; /* NAME=value; ended by NULL */
    const char *directory;    /* to work in; NULL: ours */
    int fds[3];               /* its standard input, output and error; above 2 */
};

/* Entries make one call each: no retry, no loop. */
struct os_sys {
#define CALL(test_name, type, name, parameters, arguments, real) type(*name) parameters;
#define RETRY                                                    CALL
#define OPEN                                                     CALL
#define TABLE                                                    CALL
#define VALUE                                                    CALL
#include "os/sys.def"
#undef CALL
#undef TABLE
};

/** The real calls. */
extern const struct os_sys os_sys_real;
/** The table in use. */
extern const struct os_sys *os_sys;

#define CALL(test_name, type, name, parameters, arguments, real) type os_##name parameters;
#define TABLE(...)
#include "os/sys.def"
#undef CALL
#undef RETRY
#undef OPEN
#undef TABLE
#undef VALUE

/** Read once, waiting for data even when the descriptor is non-blocking. @return 0 at the end. */
ssize_t os_read(int fd, void *out, size_t size);
/**
 * Wait until reading would not block.
 * @param timeout_ms Negative: for ever.
 * @return 1; 0 when the time is over; -EINTR when asked to stop, also before; -errno.
 */
int os_wait_read(int fd, int timeout_ms);
/** Read once; a non-blocking descriptor may return -EAGAIN. @return 0 at the end. */
ssize_t os_read_once(int fd, void *out, size_t size);
/** Write once. @return bytes, perhaps not all; -EAGAIN; -errno. */
ssize_t os_write_once(int fd, const void *data, size_t size);
/** Write everything, waiting even when the descriptor is non-blocking. @return 0 or -errno. */
int os_write_all(int fd, const void *data, size_t size);
/** Write once without blocking. @return bytes; -EAGAIN for none; -errno. */
ssize_t os_write_now(int fd, const void *data, size_t size);
/** Which of the events (POLLIN, POLLHUP, …) have happened. @return them; 0; -errno. */
int os_poll_now(int fd, short events);
/** Close; the descriptor is closed whatever is returned. Negative descriptors are ignored. */
int os_close(int fd);
/** Let writing to a closed pipe fail with -EPIPE instead of killing the process. */
int os_ignore_sigpipe(void);
/**
 * Start a thread; the caller joins it. It has all signals blocked, and a stack
 * large enough for the deepest evaluation.
 * @return 0 or -errno.
 */
int os_thread_start(pthread_t *ret_thread, void *(*run)(void *), void *argument);
/** Hide this process's memory, open files and environment in /proc from other processes of its
   user, and write no core dumps. Builds with sanitizers skip it: their leak check traces the
   process. */
int os_forbid_dumps(void);
/** Let neither this process nor the programs it starts gain privileges, by setuid files for
   example. Cannot be undone; call it before other threads start. */
int os_forbid_new_privileges(void);
/**
 * Open /dev/null as each of the descriptors 0 to 2 that is closed: otherwise the next file or
 * socket would become standard output or standard error. Reading such an input and writing such an
 * output still fail with -EBADF; text written to such an error output is dropped. Call it before
 * anything else is opened.
 */
int os_open_standard_files(void);
/** Collect a child's exit status. @return 1; 0 when it still runs; -errno. */
int os_reap(pid_t pid, siginfo_t *ret_info);
/** Signal a process group that we made. @return 0; -ESRCH when none of it is left. */
int os_kill_group(pid_t group, int number);
/** Fill memory with unpredictable bytes. @return 0 or -errno. */
int os_random(void *out, size_t size);
/** An allocator over the table, for libjsv. Never NULL. */
const struct jsv_allocator *os_allocator(void);
