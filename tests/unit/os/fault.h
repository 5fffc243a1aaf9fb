/*
 * A table for os_sys that does the real calls, counts them, and lets one fail.
 *
 *     fault_arm(FAULT_READ, 2, EIO);    the second read from now on fails with EIO
 *     … call what is tested …
 *     assert_true(fault.hit);
 *     fault_disarm();                   the real table again
 *
 * Threads may call; arming and looking at the counts is for one of them, alone.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/sys.h"

enum fault_call {
    FAULT_OPENAT,
    FAULT_OPENAT2,
    FAULT_READLINKAT,
    FAULT_FSTAT,
    FAULT_FSTATAT,
    FAULT_GETDENTS,
    FAULT_GETCWD,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_POLL,
    FAULT_CLOSE,
    FAULT_CREATE,
    FAULT_RENAME,
    FAULT_UNLINKAT,
    FAULT_SET_CLOEXEC,
    FAULT_GETSOCKNAME,
    FAULT_INOTIFY_INIT,
    FAULT_INOTIFY_ADD,
    FAULT_SOCKET,
    FAULT_BIND,
    FAULT_LISTEN,
    FAULT_ACCEPT,
    FAULT_CONNECT,
    FAULT_SHUTDOWN,
    FAULT_FCHMOD,
    FAULT_FLOCK,
    FAULT_GET_FLAGS,
    FAULT_SET_FLAGS,
    FAULT_SIGACTION,
    FAULT_THREAD_SIGMASK,
    FAULT_THREAD_START,
    FAULT_PIPE,
    FAULT_SPAWN,
    FAULT_SET_PROCESS,
    FAULT_PIDFD_OPEN,
    FAULT_RESIZE, /* freeing is no call */
    FAULT_CALLS,
    FAULT_NONE = FAULT_CALLS,
};

/* A call, and what it fails with: for tables. */
struct fault_case {
    enum fault_call call;
    int error;
};

struct fault {
    enum fault_call call; /* which call fails … */
    unsigned at;          /* … when it is made for the at-th time, from 1; 0: each time … */
    int error;            /* … with this errno */
    bool hit;             /* it has failed */
    unsigned calls[FAULT_CALLS];
    int open_fds;      /* opened and not closed */
    long live_blocks;  /* allocated and not freed */
    size_t write_most; /* bytes one write takes; 0: all */
    int no_openat2;    /* openat2 always fails with this errno; 0: it does not */
};

static struct fault fault;

static inline bool fault_now(enum fault_call call)
{
    unsigned count = __atomic_add_fetch(&fault.calls[call], 1, __ATOMIC_RELAXED);
    if (fault.call != call || (fault.at != 0 && fault.at != count)) {
        return false;
    }
    __atomic_store_n(&fault.hit, true, __ATOMIC_RELAXED);
    return true;
}

static int fault_opened(int fd)
{
    __atomic_add_fetch(&fault.open_fds, fd >= 0, __ATOMIC_RELAXED);
    return fd;
}

static int fault_openat(int dir_fd, const char *path, int flags)
{
    return fault_now(FAULT_OPENAT) ? -fault.error
                                   : fault_opened(os_sys_real.openat(dir_fd, path, flags));
}

static int fault_openat2(int dir_fd, const char *path, const struct open_how *how)
{
    if (fault_now(FAULT_OPENAT2)) {
        return -fault.error;
    }
    return fault.no_openat2 ? -fault.no_openat2
                            : fault_opened(os_sys_real.openat2(dir_fd, path, how));
}

static ssize_t fault_readlinkat(int dir_fd, const char *path, char *out, size_t size)
{
    return fault_now(FAULT_READLINKAT) ? -fault.error
                                       : os_sys_real.readlinkat(dir_fd, path, out, size);
}

static int fault_fstat(int fd, struct stat *ret_stat)
{
    return fault_now(FAULT_FSTAT) ? -fault.error : os_sys_real.fstat(fd, ret_stat);
}

static int fault_fstatat(int dir_fd, const char *path, struct stat *ret_stat, int flags)
{
    return fault_now(FAULT_FSTATAT) ? -fault.error
                                    : os_sys_real.fstatat(dir_fd, path, ret_stat, flags);
}

static ssize_t fault_getdents(int fd, void *out, size_t size)
{
    return fault_now(FAULT_GETDENTS) ? -fault.error : os_sys_real.getdents(fd, out, size);
}

static int fault_getcwd(char *out, size_t size)
{
    return fault_now(FAULT_GETCWD) ? -fault.error : os_sys_real.getcwd(out, size);
}

static ssize_t fault_read(int fd, void *out, size_t size)
{
    return fault_now(FAULT_READ) ? -fault.error : os_sys_real.read(fd, out, size);
}

static size_t fault_size_taken(size_t size)
{
    return fault.write_most != 0 && size > fault.write_most ? fault.write_most : size;
}

static ssize_t fault_write(int fd, const void *data, size_t size)
{
    size = fault_size_taken(size);
    return fault_now(FAULT_WRITE) ? -fault.error : os_sys_real.write(fd, data, size);
}

static ssize_t fault_receive(int fd, void *out, size_t size)
{
    return fault_now(FAULT_READ) ? -fault.error : os_sys_real.receive(fd, out, size);
}

static ssize_t fault_send(int fd, const void *data, size_t size)
{
    size = fault_size_taken(size);
    return fault_now(FAULT_WRITE) ? -fault.error : os_sys_real.send(fd, data, size);
}

static int fault_poll(struct pollfd *fds, nfds_t count, int timeout_ms, const sigset_t *mask)
{
    return fault_now(FAULT_POLL) ? -fault.error : os_sys_real.poll(fds, count, timeout_ms, mask);
}

/* As Linux has it, the descriptor is gone also when closing fails. */
static int fault_close(int fd)
{
    __atomic_sub_fetch(&fault.open_fds, 1, __ATOMIC_RELAXED);
    int r = os_sys_real.close(fd);
    return fault_now(FAULT_CLOSE) ? -fault.error : r;
}

static int fault_create(int dir_fd, const char *path, int flags, mode_t mode)
{
    return fault_now(FAULT_CREATE) ? -fault.error
                                   : fault_opened(os_sys_real.create(dir_fd, path, flags, mode));
}

static int fault_rename(const char *path, const char *new_path)
{
    return fault_now(FAULT_RENAME) ? -fault.error : os_sys_real.rename(path, new_path);
}

static int fault_set_cloexec(int fd)
{
    return fault_now(FAULT_SET_CLOEXEC) ? -fault.error : os_sys_real.set_cloexec(fd);
}

static pid_t fault_peer_pid(int fd)
{
    return os_sys_real.peer_pid(fd);
}

static int fault_getsockname(int fd, struct sockaddr *ret_address, socklen_t *size)
{
    return fault_now(FAULT_GETSOCKNAME) ? -fault.error
                                        : os_sys_real.getsockname(fd, ret_address, size);
}

static int fault_inotify_init(void)
{
    return fault_now(FAULT_INOTIFY_INIT) ? -fault.error : fault_opened(os_sys_real.inotify_init());
}

static int fault_inotify_add(int fd, const char *path, uint32_t mask)
{
    return fault_now(FAULT_INOTIFY_ADD) ? -fault.error : os_sys_real.inotify_add(fd, path, mask);
}

static int fault_unlinkat(int dir_fd, const char *path)
{
    return fault_now(FAULT_UNLINKAT) ? -fault.error : os_sys_real.unlinkat(dir_fd, path);
}

static int fault_socket(int family, int type)
{
    return fault_now(FAULT_SOCKET) ? -fault.error : fault_opened(os_sys_real.socket(family, type));
}

static int fault_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    return fault_now(FAULT_BIND) ? -fault.error : os_sys_real.bind(fd, address, size);
}

static int fault_listen(int fd, int backlog)
{
    return fault_now(FAULT_LISTEN) ? -fault.error : os_sys_real.listen(fd, backlog);
}

static int fault_accept(int fd)
{
    return fault_now(FAULT_ACCEPT) ? -fault.error : fault_opened(os_sys_real.accept(fd));
}

static int fault_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    return fault_now(FAULT_CONNECT) ? -fault.error : os_sys_real.connect(fd, address, size);
}

static int fault_shutdown(int fd, int how)
{
    return fault_now(FAULT_SHUTDOWN) ? -fault.error : os_sys_real.shutdown(fd, how);
}

static int fault_fchmod(int fd, mode_t mode)
{
    return fault_now(FAULT_FCHMOD) ? -fault.error : os_sys_real.fchmod(fd, mode);
}

static int fault_flock(int fd, int operation)
{
    return fault_now(FAULT_FLOCK) ? -fault.error : os_sys_real.flock(fd, operation);
}

static int fault_get_flags(int fd)
{
    return fault_now(FAULT_GET_FLAGS) ? -fault.error : os_sys_real.get_flags(fd);
}

static int fault_set_flags(int fd, int flags)
{
    return fault_now(FAULT_SET_FLAGS) ? -fault.error : os_sys_real.set_flags(fd, flags);
}

static int fault_sigaction(int number, const struct sigaction *action, struct sigaction *ret_old)
{
    return fault_now(FAULT_SIGACTION) ? -fault.error
                                      : os_sys_real.sigaction(number, action, ret_old);
}

static int fault_sigmask(int how, const sigset_t *set, sigset_t *ret_old)
{
    return fault_now(FAULT_THREAD_SIGMASK) ? -fault.error
                                           : os_sys_real.thread_sigmask(how, set, ret_old);
}

static int fault_thread_start(pthread_t *ret_thread, void *(*start)(void *), void *argument)
{
    return fault_now(FAULT_THREAD_START) ? -fault.error
                                         : os_sys_real.thread_start(ret_thread, start, argument);
}

static int fault_pipe(int ret_fds[static 2])
{
    int r = fault_now(FAULT_PIPE) ? -fault.error : os_sys_real.pipe(ret_fds);
    __atomic_add_fetch(&fault.open_fds, r == 0 ? 2 : 0, __ATOMIC_RELAXED);
    return r;
}

static int fault_spawn(const struct os_spawn *program, pid_t *ret_pid)
{
    return fault_now(FAULT_SPAWN) ? -fault.error : os_sys_real.spawn(program, ret_pid);
}

static int fault_set_process(int option, unsigned long value)
{
    return fault_now(FAULT_SET_PROCESS) ? -fault.error : os_sys_real.set_process(option, value);
}

static int fault_pidfd_open(pid_t pid)
{
    return fault_now(FAULT_PIDFD_OPEN) ? -fault.error : fault_opened(os_sys_real.pidfd_open(pid));
}

static void *fault_resize(void *memory, size_t size)
{
    if (size == 0) {
        __atomic_sub_fetch(&fault.live_blocks, memory != NULL, __ATOMIC_RELAXED);
        return os_sys_real.resize(memory, 0);
    }
    if (fault_now(FAULT_RESIZE)) {
        return NULL;
    }
    void *resized = os_sys_real.resize(memory, size);
    __atomic_add_fetch(&fault.live_blocks, memory == NULL && resized != NULL, __ATOMIC_RELAXED);
    return resized;
}

/* Completed by fault_arm(). */
static struct os_sys fault_sys = {
    .openat = fault_openat,
    .openat2 = fault_openat2,
    .readlinkat = fault_readlinkat,
    .fstat = fault_fstat,
    .fstatat = fault_fstatat,
    .getdents = fault_getdents,
    .getcwd = fault_getcwd,
    .read = fault_read,
    .write = fault_write,
    .receive = fault_receive,
    .send = fault_send,
    .poll = fault_poll,
    .close = fault_close,
    .create = fault_create,
    .rename = fault_rename,
    .unlinkat = fault_unlinkat,
    .set_cloexec = fault_set_cloexec,
    .getsockname = fault_getsockname,
    .peer_pid = fault_peer_pid,
    .inotify_init = fault_inotify_init,
    .inotify_add = fault_inotify_add,
    .socket = fault_socket,
    .bind = fault_bind,
    .listen = fault_listen,
    .accept = fault_accept,
    .connect = fault_connect,
    .shutdown = fault_shutdown,
    .fchmod = fault_fchmod,
    .flock = fault_flock,
    .get_flags = fault_get_flags,
    .set_flags = fault_set_flags,
    .sigaction = fault_sigaction,
    .thread_sigmask = fault_sigmask,
    .thread_start = fault_thread_start,
    .pipe = fault_pipe,
    .spawn = fault_spawn,
    .set_process = fault_set_process,
    .pidfd_open = fault_pidfd_open,
    .resize = fault_resize,
};

static inline void fault_arm(enum fault_call call, unsigned at, int error)
{
    fault = (struct fault){.call = call, .at = at, .error = error};
    fault_sys.isatty = os_sys_real.isatty;
    fault_sys.umask = os_sys_real.umask;
    fault_sys.getenv = os_sys_real.getenv;
    fault_sys.raise = os_sys_real.raise;
    fault_sys.cpu_count = os_sys_real.cpu_count;
    fault_sys.now_ms = os_sys_real.now_ms;
    fault_sys.getrandom = os_sys_real.getrandom;
    fault_sys.set_option = os_sys_real.set_option;
    fault_sys.wall_seconds = os_sys_real.wall_seconds;
    fault_sys.getpid = os_sys_real.getpid;
    fault_sys.open_files_max = os_sys_real.open_files_max;
    fault_sys.raise_open_files_max = os_sys_real.raise_open_files_max;
    fault_sys.wait_child = os_sys_real.wait_child;
    fault_sys.kill = os_sys_real.kill;
    fault_sys.mkdir = os_sys_real.mkdir;
    fault_sys.symlink = os_sys_real.symlink;
    fault_sys.truncate = os_sys_real.truncate;
    fault_sys.now_us = os_sys_real.now_us;
    fault_sys.wall_ms = os_sys_real.wall_ms;
    os_sys = &fault_sys;
}

/* Count only. */
static inline void fault_watch(void)
{
    fault_arm(FAULT_NONE, 0, 0);
}

static inline void fault_disarm(void)
{
    os_sys = &os_sys_real;
}
