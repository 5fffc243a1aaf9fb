/*
 * The system calls themselves, and the memory: the one file that makes them.
 * Each does what its name says and gives back the result or -errno; whatever
 * there is to think about is in sys.c.
 */
#define _GNU_SOURCE /* getdents64(), ppoll(), sched_getaffinity(), …_addchdir_np(), … */
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
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/spawn.h"
#include "os/sys.h"

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

static ssize_t real_receive(int fd, void *out, size_t size)
{
    ssize_t length = recv(fd, out, size, 0);
    return length < 0 ? -errno : length;
}

static ssize_t real_send(int fd, const void *data, size_t size)
{
    ssize_t length = send(fd, data, size, MSG_NOSIGNAL);
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

static pid_t real_peer_pid(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ? -errno : peer.pid;
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

static int real_set_process(int option, unsigned long value)
{
    return prctl(option, value, 0UL, 0UL, 0UL) < 0 ? -errno : 0;
}

static uint64_t real_open_files_max(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0 : limit.rlim_cur;
}

static int real_raise_open_files_max(uint64_t most)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return -errno;
    }
    rlim_t wanted = limit.rlim_max < most ? limit.rlim_max : (rlim_t)most;
    if (wanted <= limit.rlim_cur) {
        return 0;
    }
    limit.rlim_cur = wanted;
    return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? -errno : 0;
}

/* Programs get their pipes as 0 to 2, so these ends must be others. @return 0 or -errno. */
static int move_above_standard(int *fd)
{
    if (*fd > STDERR_FILENO) {
        return 0;
    }
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0) {
        return -errno;
    }
    close(*fd);
    *fd = moved;
    return 0;
}

static int real_pipe(int ret_fds[static 2])
{
    if (pipe2(ret_fds, O_CLOEXEC) < 0) {
        return -errno;
    }
    int r = move_above_standard(&ret_fds[0]);
    if (r == 0) {
        r = move_above_standard(&ret_fds[1]);
    }
    if (r < 0) {
        close(ret_fds[0]);
        close(ret_fds[1]);
    }
    return r;
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
    /* Ours are closed anyway; those we were started with may not be. */
    return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, 3);
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
    .receive = real_receive,
    .send = real_send,
    .poll = real_poll,
    .close = real_close,
    .set_cloexec = real_set_cloexec,
    .getsockname = real_getsockname,
    .peer_pid = real_peer_pid,
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
    .set_process = real_set_process,
    .open_files_max = real_open_files_max,
    .raise_open_files_max = real_raise_open_files_max,
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
