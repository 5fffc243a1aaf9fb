/* The functions around the table of system calls: forwarding, repeating, waiting. */
#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <jsv/jsv.h>

#include "os/interrupt.h"

const struct os_sys *os_sys = &os_sys_real;

/* Whether a call was interrupted by a signal that did not ask the program to stop. */
static bool was_interrupted(ssize_t result)
{
    return result == -EINTR && os_interrupt_signal() == 0;
}

#define CALL(test_name, type, name, parameters, arguments, real)                                   \
    type os_##name parameters                                                                      \
    {                                                                                              \
        return os_sys->name arguments;                                                             \
    }
#define RETRY(test_name, type, name, parameters, arguments, real)                                  \
    type os_##name parameters                                                                      \
    {                                                                                              \
        type result;                                                                               \
        do {                                                                                       \
            result = os_sys->name arguments;                                                       \
        } while (was_interrupted(result));                                                         \
        return result;                                                                             \
    }
#define OPEN RETRY
#define TABLE(...)
#define VALUE CALL
#include "os/sys.def"

/*
 * Whether to repeat a transfer that returned `result`; waits first when the
 * descriptor was not ready. Standard input and output are shared with the
 * process that started us, which may have made them non-blocking. When waiting
 * fails, *result becomes that error.
 */
static bool transfer_again(ssize_t *result, int fd, short events)
{
    if (*result != -EAGAIN) {
        return was_interrupted(*result);
    }
    struct pollfd one = {.fd = fd, .events = events};
    int ready = os_sys->poll(&one, 1, -1, NULL);
    if (ready < 0 && !was_interrupted(ready)) {
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
    } while (was_interrupted(length));
    return length;
}

ssize_t os_write_once(int fd, const void *data, size_t size)
{
    ssize_t length;
    do {
        length = os_sys->write(fd, data, size);
    } while (was_interrupted(length));
    return length;
}

/* Signals that ask to stop are delivered only while poll waits, not between check and wait. */
static int wait_watching(int fd, int timeout_ms, const sigset_t *mask)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    int ready;
    do {
        ready = os_interrupt_signal() ? -EINTR : os_sys->poll(&one, 1, timeout_ms, mask);
    } while (was_interrupted(ready));
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
            return -EIO; /* no progress and no reason given: do not loop for ever */
        }
        rest += length;
        size -= (size_t)length;
        if (size > 0 && os_interrupt_signal() != 0) {
            return -EINTR; /* a signal may have cut it short: the next write could block */
        }
    }
    return 0;
}

/* Poll first: the descriptor may be blocking, and its mode is shared with other processes. */
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

int os_poll_now(int fd, short events)
{
    struct pollfd one = {.fd = fd, .events = events};
    int ready = os_sys->poll(&one, 1, 0, NULL);
    return ready <= 0 ? ready : one.revents;
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

int os_reap(pid_t pid, siginfo_t *ret_info)
{
    int r;
    *ret_info = (siginfo_t){0};
    do {
        r = os_sys->wait_child(pid, WEXITED | WNOHANG, ret_info);
    } while (was_interrupted(r));
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
