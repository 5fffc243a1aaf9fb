/*
 * The one door to the kernel, to threads and to the heap.
 *
 * Every system call and allocation of the program goes through the table
 * os_sys points to. Production never changes it; a test points it at a table
 * of its own and so makes any one call fail, once, with any error. The pointer
 * must not change while other threads run.
 *
 * Results are the kernel's, with errors as negative errno values. A call that
 * a signal interrupted is made again, unless the signal asked the program to
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
struct os_spawn;

/* Entries do one call each and nothing else: no retry, no loop. */
struct os_sys {
    int (*openat)(int dir_fd, const char *path, int flags);
    int (*openat2)(int dir_fd, const char *path, const struct open_how *how);
    int (*create)(int dir_fd, const char *path, int flags, mode_t mode);
    int (*unlinkat)(int dir_fd, const char *path);
    int (*rename)(const char *path, const char *new_path);
    int (*mkdir)(const char *path, mode_t mode);
    int (*symlink)(const char *target, const char *path);
    int (*truncate)(int fd, off_t size);
    ssize_t (*readlinkat)(int dir_fd, const char *path, char *out, size_t size);
    int (*fstat)(int fd, struct stat *ret_stat);
    int (*fstatat)(int dir_fd, const char *path, struct stat *ret_stat, int flags);
    ssize_t (*getdents)(int fd, void *out, size_t size);
    int (*getcwd)(char *out, size_t size);
    ssize_t (*read)(int fd, void *out, size_t size);
    ssize_t (*write)(int fd, const void *data, size_t size);
    ssize_t (*receive)(int fd, void *out, size_t size);
    ssize_t (*send)(int fd, const void *data, size_t size);
    /* mask: of signals while it waits; NULL leaves it */
    int (*poll)(struct pollfd *fds, nfds_t count, int timeout_ms, const sigset_t *mask);
    int (*close)(int fd);
    int (*set_cloexec)(int fd);
    int (*getsockname)(int fd, struct sockaddr *ret_address, socklen_t *size);
    pid_t (*peer_pid)(int fd);
    int (*socket)(int family, int type);
    int (*bind)(int fd, const struct sockaddr *address, socklen_t size);
    int (*set_option)(int fd, int level, int option, int value); /* of a socket */
    int (*listen)(int fd, int backlog);
    int (*accept)(int fd);
    int (*connect)(int fd, const struct sockaddr *address, socklen_t size);
    int (*shutdown)(int fd, int how);
    int (*fchmod)(int fd, mode_t mode);
    mode_t (*umask)(mode_t mask);
    int (*flock)(int fd, int operation);
    int (*get_flags)(int fd);
    int (*set_flags)(int fd, int flags);
    int (*inotify_init)(void);
    int (*inotify_add)(int fd, const char *path, uint32_t mask);
    int (*isatty)(int fd); /* 1 or 0 */
    int (*sigaction)(int number, const struct sigaction *action, struct sigaction *ret_old);
    int (*thread_sigmask)(int how, const sigset_t *set, sigset_t *ret_old);
    int (*raise)(int number);
    pid_t (*getpid)(void);
    int (*set_process)(int option, unsigned long value); /* prctl() */
    uint64_t (*open_files_max)(void);
    int (*raise_open_files_max)(uint64_t most); /* the limit in force; never lowers it */
    int (*pipe)(int ret_fds[static 2]);
    int (*spawn)(const struct os_spawn *program, pid_t *ret_pid);
    int (*pidfd_open)(pid_t pid);
    int (*wait_child)(pid_t pid, int options, siginfo_t *ret_info);
    int (*kill)(pid_t pid, int number);
    int (*thread_start)(pthread_t *ret_thread, void *(*run)(void *), void *argument);
    unsigned (*cpu_count)(void);
    uint64_t (*now_ms)(void);
    uint64_t (*now_us)(void);
    int64_t (*wall_seconds)(void);
    int64_t (*wall_ms)(void);
    ssize_t (*getrandom)(void *out, size_t size);
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
/** Make a file, or open one for writing. @param flags O_CREAT is added. @return a descriptor. */
int os_create(int dir_fd, const char *path, int flags, mode_t mode);
/** Remove a name that is no directory. */
int os_unlinkat(int dir_fd, const char *path);
/** Move a file to another name, at once, over what has that name. */
int os_rename(const char *path, const char *new_path);
/** @return 0; -EEXIST; -errno. */
int os_mkdir(const char *path, mode_t mode);
/** Make a link whose text is target. @return 0; -EEXIST; -errno. */
int os_symlink(const char *target, const char *path);
/** Cut an open file off at a size. */
int os_truncate(int fd, off_t size);
/** @return bytes written to out, size when the target may have been cut; -EINVAL: no link. */
ssize_t os_readlinkat(int dir_fd, const char *path, char *out, size_t size);
int os_fstat(int fd, struct stat *ret_stat);
/** @param flags 0, or AT_SYMLINK_NOFOLLOW. */
int os_fstatat(int dir_fd, const char *path, struct stat *ret_stat, int flags);
/** Some entries of an open directory, as struct dirent64. @return bytes; 0 at the end. */
ssize_t os_getdents(int fd, void *out, size_t size);
/** The working directory, with a terminator. @return 0; -ERANGE when it does not fit; -errno. */
int os_getcwd(char *out, size_t size);
/** Read once, waiting for data even when the descriptor is non-blocking. @return 0 at the end. */
ssize_t os_read(int fd, void *out, size_t size);
/**
 * Wait until reading would not have to.
 * @param timeout_ms Negative: for ever.
 * @return 1; 0 when the time is over; -EINTR when asked to stop, also before; -errno.
 */
int os_wait_read(int fd, int timeout_ms);
/** Read once, as the descriptor is: one that does not wait says -EAGAIN. @return 0 at the end. */
ssize_t os_read_once(int fd, void *out, size_t size);
/** Write once, as the descriptor is. @return bytes, perhaps not all; -EAGAIN; -errno. */
ssize_t os_write_once(int fd, const void *data, size_t size);
/** Write everything, waiting even when the descriptor is non-blocking. @return 0 or -errno. */
int os_write_all(int fd, const void *data, size_t size);
/** Write once, and only what can be taken at once. @return bytes; -EAGAIN for none; -errno. */
ssize_t os_write_now(int fd, const void *data, size_t size);
/** Close; the descriptor is gone whatever is returned. Negative descriptors are ignored. */
int os_close(int fd);
/** Keep a descriptor that was handed to us from the programs we start. */
int os_set_cloexec(int fd);
/** The address a socket is bound to. @param size In: room; out: bytes of the address. */
int os_getsockname(int fd, struct sockaddr *ret_address, socklen_t *size);
/** The process at the other end of a Unix socket, as it was when it began to listen. -errno. */
pid_t os_peer_pid(int fd);
/** A socket that programs we start do not get. @param type As socket(2). @return a descriptor. */
int os_socket(int family, int type);
int os_bind(int fd, const struct sockaddr *address, socklen_t size);
/** As os_read_once(), of a socket alone; quicker. */
ssize_t os_receive_once(int fd, void *out, size_t size);
/** As os_write_once(), to a socket alone; quicker, and nobody there is only an error. */
ssize_t os_send_once(int fd, const void *data, size_t size);
/** A socket option that is an int. */
int os_set_option(int fd, int level, int option, int value);
int os_listen(int fd, int backlog);
/** Take a connection; its descriptor does not wait. @return it; -EAGAIN when there is none. */
int os_accept(int fd);
int os_connect(int fd, const struct sockaddr *address, socklen_t size);
/** End one direction of a connection. @param how SHUT_RD or SHUT_WR. */
int os_shutdown(int fd, int how);
int os_fchmod(int fd, mode_t mode);
/** What is taken off the permissions of files the process makes. @return what it was. */
mode_t os_umask(mode_t mask);
/** @param operation As flock(2); with LOCK_NB. @return 0; -EWOULDBLOCK; -errno. */
int os_flock(int fd, int operation);
/** Flags of an open file (O_NONBLOCK and others), which all who share it share. @return them. */
int os_get_flags(int fd);
int os_set_flags(int fd, int flags);
/** Whether something has come of events (POLLIN, POLLHUP, …), now. @return them; 0; -errno. */
int os_poll_now(int fd, short events);
/** Notice changes of directories: a descriptor that never waits. @return it, or -errno. */
int os_inotify_init(void);
int os_inotify_add(int fd, const char *path, uint32_t mask);
bool os_isatty(int fd);
/** Let writing to a closed pipe fail with -EPIPE instead of killing the process. */
int os_ignore_sigpipe(void);

/**
 * Start a thread; the caller joins it. Signals are the others' business: it
 * has all of them blocked. Its stack has room for the deepest evaluation.
 * @return 0 or -errno.
 */
int os_thread_start(pthread_t *ret_thread, void *(*run)(void *), void *argument);
/** Processors this process may run on; at least 1. */
unsigned os_cpu_count(void);
/** Milliseconds of a clock that only goes forward. */
uint64_t os_now_ms(void);
/** Microseconds of the same clock. */
uint64_t os_now_us(void);

/** Seconds since 1970, UTC; may be set forth and back. */
int64_t os_wall_seconds(void);
/** The same in milliseconds. */
int64_t os_wall_ms(void);
/** The number of this process. */
pid_t os_getpid(void);

/** Keep this process's memory, open files and environment in /proc from other processes of its
   user, and write no core dumps. Builds with sanitizers skip it: their leak check traces the
   process. */
int os_forbid_dumps(void);
/** Let neither this process nor the programs it starts gain privileges, by setuid files for
   example. Cannot be taken back; before other threads start. */
int os_forbid_new_privileges(void);
/** How many descriptors this process may have open. */
uint64_t os_open_files_max(void);
/** Allow this process so many descriptors, or as many as its hard limit allows. */
int os_raise_open_files_max(uint64_t most);
/**
 * Open /dev/null as each of the descriptors 0 to 2 that is closed: else the next file or socket
 * would become standard output or standard error. Reading such an input and writing such an output
 * still fail with -EBADF; what is written to such an error output is dropped. Before anything else
 * is opened.
 */
int os_open_standard_files(void);

/* ---- programs (os/spawn.h starts them) ---- */

/** A pipe that programs we start do not get; [0] reads, [1] writes. @return 0 or -errno. */
int os_pipe(int ret_fds[static 2]);
/** A descriptor that can be read from once a child has ended. @return it, or -errno. */
int os_pidfd_open(pid_t pid);
/** Take note of a child's end. @return 1; 0 when it still runs; -errno. */
int os_reap(pid_t pid, siginfo_t *ret_info);
/** Signal a process group of our making. @return 0; -ESRCH when nothing of it is left. */
int os_kill_group(pid_t group, int number);

/** Fill memory with bytes nobody can guess. @return 0 or -errno. */
int os_random(void *out, size_t size);

/** An environment variable, borrowed; NULL when it is not set. */
const char *os_getenv(const char *name);

/** An allocator over the table, for libjsv. Never NULL. */
const struct jsv_allocator *os_allocator(void);
