/*
 * The system calls themselves, and the memory: the only file that makes them.
 * Each makes one call; all logic is in sys.c.
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

#include "os/sys.h"

/* For the calls that return an errno value themselves. */
static int set_errno(int error)
{
    errno = error;
    return error == 0 ? 0 : -1;
}

static int poll_masked(struct pollfd *fds, nfds_t count, int timeout_ms, const sigset_t *mask)
{
    const struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    return ppoll(fds, count, timeout_ms < 0 ? NULL : &timeout, mask);
}

static pid_t peer_pid(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ? -1 : peer.pid;
}

static uint64_t open_files_max(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) < 0 ? 0 : limit.rlim_cur;
}

static int raise_open_files_max(uint64_t most)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        return -1;
    }
    rlim_t wanted = limit.rlim_max < most ? limit.rlim_max : (rlim_t)most;
    if (wanted <= limit.rlim_cur) {
        return 0;
    }
    limit.rlim_cur = wanted;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

/* Programs get their pipes as 0 to 2, so our ends must be above. */
static int move_above_standard(int *fd)
{
    if (*fd > STDERR_FILENO) {
        return 0;
    }
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved >= 0) {
        close(*fd);
        *fd = moved;
    }
    return moved;
}

static int pipe_above_standard(int ret_fds[static 2])
{
    if (pipe2(ret_fds, O_CLOEXEC) < 0) {
        return -1;
    }
    if (move_above_standard(&ret_fds[0]) < 0 || move_above_standard(&ret_fds[1]) < 0) {
        int error = errno;
        close(ret_fds[0]);
        close(ret_fds[1]);
        return set_errno(error);
    }
    return 0;
}

/* @return 0 or an errno, as posix_spawn() returns it. */
static int set_spawn_files(posix_spawn_file_actions_t *actions, const struct os_spawn *program)
{
    int error = 0;
    for (int i = 0; i < 3 && error == 0; i++) {
        /* A descriptor below 3 would be overwritten by another of the three. */
        error = program->fds[i] <= 2
                    ? EBADF
                    : posix_spawn_file_actions_adddup2(actions, program->fds[i], i);
    }
    if (error == 0 && program->directory) {
        error = posix_spawn_file_actions_addchdir_np(actions, program->directory);
    }
    /* Our own are close-on-exec; those we inherited may not be. */
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
 * posix_spawn() shares our memory until the program runs, so starting one costs
 * the same however large we are, and it returns every error on the way, that
 * the program does not exist included.
 */
static int spawn_program(const struct os_spawn *program, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return set_errno(error);
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
    return set_errno(error);
}

/*
 * Validation may nest as deep as the validator's limit, 4,096 evaluations: 1
 * MiB, several times that in a build with sanitizers. The default depends on
 * the user's limits.
 */
#define STACK_SIZE ((size_t)16 << 20)

static int start_thread(pthread_t *ret_thread, void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        return set_errno(error);
    }
    (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
    error = pthread_create(ret_thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return set_errno(error);
}

static unsigned cpu_count(void)
{
    cpu_set_t cpus;
    int count = sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    return count > 0 ? (unsigned)count : 1;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *resize_block(void *memory, size_t size)
{
    if (size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, size);
}

#define CALL(test_name, type, name, parameters, arguments, real)                                   \
    static type real_##name parameters                                                             \
    {                                                                                              \
        type result = real;                                                                        \
        return result < 0 ? -errno : result;                                                       \
    }
#define RETRY CALL
#define OPEN  CALL
#define TABLE CALL
#define VALUE(test_name, type, name, parameters, arguments, real)                                  \
    static type real_##name parameters                                                             \
    {                                                                                              \
        return real;                                                                               \
    }
#include "os/sys.def"
#undef CALL
#undef VALUE

const struct os_sys os_sys_real = {
#define CALL(test_name, type, name, parameters, arguments, real) .name = real_##name,
#define VALUE                                                    CALL
#include "os/sys.def"
};
