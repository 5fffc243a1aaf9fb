/*
 * The one door to the kernel and to the heap.
 *
 * Every system call and allocation of the program goes through the table
 * os_sys points to. Production never changes it; a test points it at a table
 * of its own and so makes any one call fail, once, with any error. The pointer
 * must not change while other threads run.
 *
 * Results are the kernel's, with errors as negative errno values. A call that
 * a signal interrupted is made again.
 */
#pragma once

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct jsv_allocator;
struct open_how;

/* Entries do one call each and nothing else: no retry, no loop. */
struct os_sys {
    int (*openat)(int dir_fd, const char *path, int flags);
    int (*openat2)(int dir_fd, const char *path, const struct open_how *how);
    ssize_t (*readlinkat)(int dir_fd, const char *path, char *out, size_t size);
    int (*fstat)(int fd, struct stat *ret_stat);
    ssize_t (*read)(int fd, void *out, size_t size);
    ssize_t (*write)(int fd, const void *data, size_t size);
    int (*poll)(struct pollfd *fds, nfds_t count, int timeout_ms);
    int (*close)(int fd);
    int (*isatty)(int fd); /* 1 or 0 */
    int (*sigaction)(int number, const struct sigaction *action);
    char *(*getenv)(const char *name);
    /* As realloc, but size 0 always frees. NULL: no memory, and the old block is as it was. */
    void *(*resize)(void *memory, size_t size);
};

/** The real calls. */
extern const struct os_sys os_sys_real;
/** The table in use. */
extern const struct os_sys *os_sys;

/** Open relative to a directory; dir_fd may be AT_FDCWD. @return a descriptor or -errno. */
int os_openat(int dir_fd, const char *path, int flags);
/** @return a descriptor or -errno; -ENOSYS before Linux 5.6, -EPERM in some sandboxes. */
int os_openat2(int dir_fd, const char *path, const struct open_how *how);
/** @return bytes written to out, size when the target may have been cut; -EINVAL: no link. */
ssize_t os_readlinkat(int dir_fd, const char *path, char *out, size_t size);
int os_fstat(int fd, struct stat *ret_stat);
/** Read once, waiting for data even when the descriptor is non-blocking. @return 0 at the end. */
ssize_t os_read(int fd, void *out, size_t size);
/** Write everything, waiting even when the descriptor is non-blocking. @return 0 or -errno. */
int os_write_all(int fd, const void *data, size_t size);
/** Close; the descriptor is gone whatever is returned. Negative descriptors are ignored. */
int os_close(int fd);
bool os_isatty(int fd);
/** Let writing to a closed pipe fail with -EPIPE instead of killing the process. */
int os_ignore_sigpipe(void);

/** An environment variable, borrowed; NULL when it is not set. */
const char *os_getenv(const char *name);

/** An allocator over the table, for libjsv. Never NULL. */
const struct jsv_allocator *os_allocator(void);
