#define _GNU_SOURCE /* getdents64(), ppoll(), sched_getaffinity(), …_addchdir_np() */
#include "os/sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jsv/jsv.h>

#include "os/interrupt.h"
#include "os/spawn.h"

/* ---- the real calls ---- */

static int real_openat(int dir_fd, const char *path, int flags)
{
    int fd = openat(dir_fd, path, flags);
    return fd < 0 ? -errno : fd;
}

/* The C library has no wrapper for this one. */
static int real_openat2(int dir_fd, const char *path, const struct open_how *how)
{
    long fd = syscall(SYS_openat2, dir_fd, path, how, sizeof(*how));
    return fd < 0 ? -errno : (int)fd;
}

static int real_create(int dir_fd, const char *path, int flags, mode_t mode)
{
    int fd = openat(dir_fd, path, flags | O_CREAT, mode);
    return fd < 0 ? -errno : fd;
}

static int real_unlinkat(int dir_fd, const char *path)
{
    return unlinkat(dir_fd, path, 0) < 0 ? -errno : 0;
}

static int real_rename(const char *path, const char *new_path)
{
    return rename(path, new_path) < 0 ? -errno : 0;
}

static int real_mkdir(const char *path, mode_t mode)
{
    return mkdir(path, mode) < 0 ? -errno : 0;
}

static int real_symlink(const char *target, const char *path)
{
    return symlink(target, path) < 0 ? -errno : 0;
}

static int real_truncate(int fd, off_t size)
{
    return ftruncate(fd, size) < 0 ? -errno : 0;
}

static ssize_t real_readlinkat(int dir_fd, const char *path, char *out, size_t size)
{
    ssize_t length = readlinkat(dir_fd, path, out, size);
    return length < 0 ? -errno : length;
}

static int real_fstat(int fd, struct stat *ret_stat)
{
    return fstat(fd, ret_stat) < 0 ? -errno : 0;
}

static int real_fstatat(int dir_fd, const char *path, struct stat *ret_stat, int flags)
{
    return fstatat(dir_fd, path, ret_stat, flags) < 0 ? -errno : 0;
}

static ssize_t real_getdents(int fd, void *out, size_t size)
{
    ssize_t length = getdents64(fd, out, size);
    return length < 0 ? -errno : length;
}

static int real_getcwd(char *out, size_t size)
{
    return getcwd(out, size) ? 0 : -errno;
}

static ssize_t real_read(int fd, void *out, size_t size)
{
    ssize_t length = read(fd, out, size);
    return length < 0 ? -errno : length;
}

static ssize_t real_write(int fd, const void *data, size_t size)
{
    ssize_t length = write(fd, data, size);
    return length < 0 ? -errno : length;
}

static int real_poll(struct pollfd *fds, nfds_t count, int timeout_ms, const sigset_t *mask)
{
    const struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    int ready = ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, mask);
    return ready < 0 ? -errno : ready;
}

static int real_close(int fd)
{
    return close(fd) < 0 ? -errno : 0;
}

static int real_set_cloexec(int fd)
{
    return fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? -errno : 0;
}

static int real_getsockname(int fd, struct sockaddr *ret_address, socklen_t *size)
{
    return getsockname(fd, ret_address, size) < 0 ? -errno : 0;
}

static int real_socket(int family, int type)
{
    int fd = socket(family, type | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

static int real_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    return bind(fd, address, size) < 0 ? -errno : 0;
}

static int real_set_option(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value)) < 0 ? -errno : 0;
}

static int real_listen(int fd, int backlog)
{
    return listen(fd, backlog) < 0 ? -errno : 0;
}

static int real_accept(int fd)
{
    int connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return connection < 0 ? -errno : connection;
}

static int real_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    return connect(fd, address, size) < 0 ? -errno : 0;
}

static int real_shutdown(int fd, int how)
{
    return shutdown(fd, how) < 0 ? -errno : 0;
}

static int real_fchmod(int fd, mode_t mode)
{
    return fchmod(fd, mode) < 0 ? -errno : 0;
}

static int real_flock(int fd, int operation)
{
    return flock(fd, operation) < 0 ? -errno : 0;
}

static int real_get_flags(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -errno : flags;
}

static int real_set_flags(int fd, int flags)
{
    return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}

static int real_inotify_init(void)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int real_inotify_add(int fd, const char *path, uint32_t mask)
{
    int watch = inotify_add_watch(fd, path, mask);
    return watch < 0 ? -errno : watch;
}

static int real_sigaction(int number, const struct sigaction *action, struct sigaction *ret_old)
{
    return sigaction(number, action, ret_old) < 0 ? -errno : 0;
}

static int real_sigmask(int how, const sigset_t *set, sigset_t *ret_old)
{
    return -pthread_sigmask(how, set, ret_old);
}

static int real_raise(int number)
{
    return -raise(number);
}

static int real_pipe(int ret_fds[static 2])
{
    return pipe2(ret_fds, O_CLOEXEC) < 0 ? -errno : 0;
}

/* The C library has no wrapper for this one. */
static int real_pidfd_open(pid_t pid)
{
    long fd = syscall(SYS_pidfd_open, pid, 0);
    return fd < 0 ? -errno : (int)fd;
}

static int real_wait_child(pid_t pid, int options, siginfo_t *ret_info)
{
    return waitid(P_PID, (id_t)pid, ret_info, options) < 0 ? -errno : 0;
}

static int real_kill(pid_t pid, int number)
{
    return kill(pid, number) < 0 ? -errno : 0;
}

/* @return 0 or an errno, as the calls of this family have it. */
static int set_spawn_files(posix_spawn_file_actions_t *actions, const struct os_spawn *program)
{
    int error = 0;
    for (int i = 0; i < 3 && error == 0; i++) {
        /* A low one, of a process begun without its own three, would overwrite another. */
        error = program->fds[i] <= 2
                    ? EBADF
                    : posix_spawn_file_actions_adddup2(actions, program->fds[i], i);
    }
    if (error == 0 && program->directory) {
        error = posix_spawn_file_actions_addchdir_np(actions, program->directory);
    }
    return error;
}

static int set_spawn_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    (void)posix_spawnattr_setsigdefault(attributes, &all);
    (void)posix_spawnattr_setpgroup(attributes, 0);
    return posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

/*
 * posix_spawn() borrows our memory until the program runs, so starting one
 * costs the same however large we are, and what goes wrong on the way, the
 * look for the program included, is its result.
 */
static int real_spawn(const struct os_spawn *program, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return -error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = set_spawn_files(&actions, program);
        error = error ? error : set_spawn_attributes(&attributes);
        error = error ? error
                      : posix_spawn(
                            ret_pid,
                            program->path,
                            &actions,
                            &attributes,
                            program->arguments,
                            program->environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

/*
 * Validation may nest as deep as the validator's limit, 4,096 evaluations: 1
 * MiB, several times that in a build with sanitizers. What a thread gets by
 * itself depends on the user's limits.
 */
#define STACK_SIZE ((size_t)16 << 20)

static int real_thread_start(pthread_t *ret_thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        return -error;
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
    error = pthread_create(ret_thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return -error;
}

static unsigned real_cpu_count(void)
{
    cpu_set_t cpus;
    int count = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    return count > 0 ? (unsigned)count : 1;
}

static ssize_t real_getrandom(void *out, size_t size)
{
    ssize_t got = getrandom(out, size, 0);
    return got < 0 ? -errno : got;
}

static uint64_t real_now_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t real_now_us(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static int64_t real_wall_seconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

static int64_t real_wall_ms(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *real_resize(void *memory, size_t size)
{
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, size);
}

const struct os_sys os_sys_real = {
    .openat = real_openat,
    .openat2 = real_openat2,
    .create = real_create,
    .unlinkat = real_unlinkat,
    .rename = real_rename,
    .mkdir = real_mkdir,
    .symlink = real_symlink,
    .truncate = real_truncate,
    .readlinkat = real_readlinkat,
    .fstat = real_fstat,
    .fstatat = real_fstatat,
    .getdents = real_getdents,
    .getcwd = real_getcwd,
    .read = real_read,
    .write = real_write,
    .poll = real_poll,
    .close = real_close,
    .set_cloexec = real_set_cloexec,
    .getsockname = real_getsockname,
    .socket = real_socket,
    .bind = real_bind,
    .set_option = real_set_option,
    .listen = real_listen,
    .accept = real_accept,
    .connect = real_connect,
    .shutdown = real_shutdown,
    .fchmod = real_fchmod,
    .umask = umask,
    .flock = real_flock,
    .get_flags = real_get_flags,
    .set_flags = real_set_flags,
    .inotify_init = real_inotify_init,
    .inotify_add = real_inotify_add,
    .isatty = isatty,
    .sigaction = real_sigaction,
    .thread_sigmask = real_sigmask,
    .raise = real_raise,
    .getpid = getpid,
    .pipe = real_pipe,
    .spawn = real_spawn,
    .pidfd_open = real_pidfd_open,
    .wait_child = real_wait_child,
    .kill = real_kill,
    .thread_start = real_thread_start,
    .cpu_count = real_cpu_count,
    .now_ms = real_now_ms,
    .now_us = real_now_us,
    .wall_seconds = real_wall_seconds,
    .wall_ms = real_wall_ms,
    .getrandom = real_getrandom,
    .getenv = getenv,
    .resize = real_resize,
};

const struct os_sys *os_sys = &os_sys_real;

/* ---- what the program calls ---- */

/* Whether a call that returned `result` was interrupted by a signal of no interest. */
static bool was_disturbed(ssize_t result)
{
    return result == -EINTR && os_interrupt_signal() == 0;
}

int os_openat(int dir_fd, const char *path, int flags)
{
    int fd;
    do {
        fd = os_sys->openat(dir_fd, path, flags);
    } while (was_disturbed(fd));
    return fd;
}

int os_openat2(int dir_fd, const char *path, const struct open_how *how)
{
    int fd;
    do {
        fd = os_sys->openat2(dir_fd, path, how);
    } while (was_disturbed(fd));
    return fd;
}

int os_create(int dir_fd, const char *path, int flags, mode_t mode)
{
    int fd;
    do {
        fd = os_sys->create(dir_fd, path, flags, mode);
    } while (was_disturbed(fd));
    return fd;
}

int os_unlinkat(int dir_fd, const char *path)
{
    return os_sys->unlinkat(dir_fd, path);
}

int os_rename(const char *path, const char *new_path)
{
    return os_sys->rename(path, new_path);
}

int os_mkdir(const char *path, mode_t mode)
{
    return os_sys->mkdir(path, mode);
}

int os_symlink(const char *target, const char *path)
{
    return os_sys->symlink(target, path);
}

int os_truncate(int fd, off_t size)
{
    return os_sys->truncate(fd, size);
}

ssize_t os_readlinkat(int dir_fd, const char *path, char *out, size_t size)
{
    return os_sys->readlinkat(dir_fd, path, out, size);
}

int os_fstat(int fd, struct stat *ret_stat)
{
    return os_sys->fstat(fd, ret_stat);
}

int os_fstatat(int dir_fd, const char *path, struct stat *ret_stat, int flags)
{
    return os_sys->fstatat(dir_fd, path, ret_stat, flags);
}

ssize_t os_getdents(int fd, void *out, size_t size)
{
    return os_sys->getdents(fd, out, size);
}

int os_getcwd(char *out, size_t size)
{
    return os_sys->getcwd(out, size);
}

/*
 * Whether a transfer that returned `result` is worth another try; waits first
 * when the descriptor was not ready. Standard input and output are shared with
 * whoever started us, so they may be non-blocking without our doing. On
 * failure to wait, *result becomes that failure.
 */
static bool transfer_again(ssize_t *result, int fd, short events)
{
    if (*result != -EAGAIN) {
        return was_disturbed(*result);
    }
    struct pollfd one = {.fd = fd, .events = events};
    int ready = os_sys->poll(&one, 1, -1, NULL);
    if (ready < 0 && !was_disturbed(ready)) {
        *result = ready;
        return false;
    }
    return true;
}

ssize_t os_read(int fd, void *out, size_t size)
{
    ssize_t length;
    do {
        length = os_sys->read(fd, out, size);
    } while (transfer_again(&length, fd, POLLIN));
    return length;
}

ssize_t os_read_once(int fd, void *out, size_t size)
{
    ssize_t length;
    do {
        length = os_sys->read(fd, out, size);
    } while (was_disturbed(length));
    return length;
}

ssize_t os_write_once(int fd, const void *data, size_t size)
{
    ssize_t length;
    do {
        length = os_sys->write(fd, data, size);
    } while (was_disturbed(length));
    return length;
}

/* Signals that ask to stop come only while poll waits: not between the look and the wait. */
static int wait_watching(int fd, int timeout_ms, const sigset_t *mask)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    int ready;
    do {
        ready = os_interrupt_signal() ? -EINTR : os_sys->poll(&one, 1, timeout_ms, mask);
    } while (was_disturbed(ready));
    return ready;
}

int os_wait_read(int fd, int timeout_ms)
{
    sigset_t stops;
    sigset_t before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    int r = os_sys->thread_sigmask(SIG_BLOCK, &stops, &before);
    if (r < 0) {
        return r;
    }
    int ready = wait_watching(fd, timeout_ms, &before);
    (void)os_sys->thread_sigmask(SIG_SETMASK, &before, NULL);
    return ready;
}

int os_write_all(int fd, const void *data, size_t size)
{
    const char *rest = data;
    while (size > 0) {
        ssize_t length;
        do {
            length = os_sys->write(fd, rest, size);
        } while (transfer_again(&length, fd, POLLOUT));
        if (length < 0) {
            return (int)length;
        }
        if (length == 0) {
            return -EIO; /* no progress and no reason given: do not turn in circles */
        }
        rest += length;
        size -= (size_t)length;
        if (size > 0 && os_interrupt_signal() != 0) {
            return -EINTR; /* a signal may be why it was not all: the next write could wait */
        }
    }
    return 0;
}

/* Also a descriptor that would wait is only looked at first: its mode is shared with others. */
ssize_t os_write_now(int fd, const void *data, size_t size)
{
    struct pollfd one = {.fd = fd, .events = POLLOUT};
    int ready = os_sys->poll(&one, 1, 0, NULL);
    if (ready <= 0) {
        return ready < 0 && ready != -EINTR ? ready : -EAGAIN;
    }
    ssize_t length = os_sys->write(fd, data, size);
    return length == -EINTR ? -EAGAIN : length;
}

int os_close(int fd)
{
    if (fd < 0) {
        return 0;
    }
    /* Linux frees the descriptor before it can be interrupted: closing again could hit another. */
    int r = os_sys->close(fd);
    return r == -EINTR ? 0 : r;
}

int os_set_cloexec(int fd)
{
    return os_sys->set_cloexec(fd);
}

int os_getsockname(int fd, struct sockaddr *ret_address, socklen_t *size)
{
    return os_sys->getsockname(fd, ret_address, size);
}

int os_socket(int family, int type)
{
    return os_sys->socket(family, type);
}

int os_bind(int fd, const struct sockaddr *address, socklen_t size)
{
    return os_sys->bind(fd, address, size);
}

int os_set_option(int fd, int level, int option, int value)
{
    return os_sys->set_option(fd, level, option, value);
}

int os_listen(int fd, int backlog)
{
    return os_sys->listen(fd, backlog);
}

int os_accept(int fd)
{
    int connection;
    do {
        connection = os_sys->accept(fd);
    } while (was_disturbed(connection));
    return connection;
}

int os_connect(int fd, const struct sockaddr *address, socklen_t size)
{
    return os_sys->connect(fd, address, size);
}

int os_shutdown(int fd, int how)
{
    return os_sys->shutdown(fd, how);
}

int os_fchmod(int fd, mode_t mode)
{
    return os_sys->fchmod(fd, mode);
}

mode_t os_umask(mode_t mask)
{
    return os_sys->umask(mask);
}

int os_flock(int fd, int operation)
{
    return os_sys->flock(fd, operation);
}

int os_get_flags(int fd)
{
    return os_sys->get_flags(fd);
}

int os_set_flags(int fd, int flags)
{
    return os_sys->set_flags(fd, flags);
}

int os_poll_now(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};
    int ready = os_sys->poll(&one, 1, 0, NULL);
    return ready <= 0 ? ready : one.revents;
}

int os_inotify_init(void)
{
    return os_sys->inotify_init();
}

int os_inotify_add(int fd, const char *path, uint32_t mask)
{
    return os_sys->inotify_add(fd, path, mask);
}

bool os_isatty(int fd)
{
    return os_sys->isatty(fd) == 1;
}

int os_ignore_sigpipe(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    return os_sys->sigaction(SIGPIPE, &action, NULL);
}

int os_thread_start(pthread_t *ret_thread, void *(*run)(void *), void *argument)
{
    /* A thread begins with the mask of the one that starts it. */
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    int r = os_sys->thread_sigmask(SIG_SETMASK, &all, &before);
    if (r < 0) {
        return r;
    }
    r = os_sys->thread_start(ret_thread, run, argument);
    (void)os_sys->thread_sigmask(SIG_SETMASK, &before, NULL);
    return r;
}

unsigned os_cpu_count(void)
{
    return os_sys->cpu_count();
}

uint64_t os_now_ms(void)
{
    return os_sys->now_ms();
}

uint64_t os_now_us(void)
{
    return os_sys->now_us();
}

int64_t os_wall_seconds(void)
{
    return os_sys->wall_seconds();
}

int64_t os_wall_ms(void)
{
    return os_sys->wall_ms();
}

pid_t os_getpid(void)
{
    return os_sys->getpid();
}

int os_pipe(int ret_fds[static 2])
{
    return os_sys->pipe(ret_fds);
}

int os_spawn(const struct os_spawn *program, pid_t *ret_pid)
{
    return os_sys->spawn(program, ret_pid);
}

int os_pidfd_open(pid_t pid)
{
    return os_sys->pidfd_open(pid);
}

int os_reap(pid_t pid, siginfo_t *ret_info)
{
    int r;
    *ret_info = (siginfo_t){0};
    do {
        r = os_sys->wait_child(pid, WEXITED | WNOHANG, ret_info);
    } while (was_disturbed(r));
    return r < 0 ? r : ret_info->si_pid != 0;
}

int os_kill_group(pid_t group, int number)
{
    return os_sys->kill(-group, number);
}

int os_random(void *out, size_t size)
{
    char *at = out;
    while (size > 0) {
        ssize_t got = os_sys->getrandom(at, size);
        if (got < 0 && got != -EINTR) {
            return (int)got;
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return 0;
}

const char *os_getenv(const char *name)
{
    return os_sys->getenv(name);
}

/* The table's resize has no use for a context or the old size. */
static void *allocator_resize(void *context, void *memory, size_t old_size, size_t new_size)
{
    (void)context;
    (void)old_size;
    return os_sys->resize(memory, new_size);
}

const struct jsv_allocator *os_allocator(void)
{
    static const struct jsv_allocator allocator = {.resize = allocator_resize};
    return &allocator;
}
