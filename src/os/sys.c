/*
 * What the program calls instead of the system: each goes through the table,
 * and is done again where a signal of no interest disturbed it.
 */
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <jsv/jsv.h>

#include "os/interrupt.h"
#include "os/spawn.h"

const struct os_sys *os_sys = &os_sys_real;

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

ssize_t os_receive_once(int fd, void *out, size_t size)
{
    ssize_t length;
    do {
        length = os_sys->receive(fd, out, size);
    } while (was_disturbed(length));
    return length;
}

ssize_t os_send_once(int fd, const void *data, size_t size)
{
    ssize_t length;
    do {
        length = os_sys->send(fd, data, size);
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

pid_t os_peer_pid(int fd)
{
    return os_sys->peer_pid(fd);
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

int os_forbid_dumps(void)
{
#ifdef MCPGATE_SANITIZED
    return 0;
#else
    return os_sys->set_process(PR_SET_DUMPABLE, 0);
#endif
}

int os_forbid_new_privileges(void)
{
    return os_sys->set_process(PR_SET_NO_NEW_PRIVS, 1);
}

uint64_t os_open_files_max(void)
{
    return os_sys->open_files_max();
}

int os_raise_open_files_max(uint64_t most)
{
    return os_sys->raise_open_files_max(most);
}

int os_open_standard_files(void)
{
    static const int flags[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd < 3; fd++) {
        if (os_get_flags(fd) == -EBADF) {
            int r = os_openat(AT_FDCWD, "/dev/null", flags[fd]); /* the lowest that is free: fd */
            if (r < 0) {
                return r;
            }
        }
    }
    return 0;
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
