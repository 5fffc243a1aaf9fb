#include "os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <jsv/jsv.h>

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

static ssize_t real_readlinkat(int dir_fd, const char *path, char *out, size_t size)
{
    ssize_t length = readlinkat(dir_fd, path, out, size);
    return length < 0 ? -errno : length;
}

static int real_fstat(int fd, struct stat *ret_stat)
{
    return fstat(fd, ret_stat) < 0 ? -errno : 0;
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

static int real_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    int ready = poll(fds, count, timeout_ms);
    return ready < 0 ? -errno : ready;
}

static int real_close(int fd)
{
    return close(fd) < 0 ? -errno : 0;
}

static int real_sigaction(int number, const struct sigaction *action)
{
    return sigaction(number, action, NULL) < 0 ? -errno : 0;
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
    .readlinkat = real_readlinkat,
    .fstat = real_fstat,
    .read = real_read,
    .write = real_write,
    .poll = real_poll,
    .close = real_close,
    .isatty = isatty,
    .sigaction = real_sigaction,
    .getenv = getenv,
    .resize = real_resize,
};

const struct os_sys *os_sys = &os_sys_real;

/* ---- what the program calls ---- */

int os_openat(int dir_fd, const char *path, int flags)
{
    int fd;
    do {
        fd = os_sys->openat(dir_fd, path, flags);
    } while (fd == -EINTR);
    return fd;
}

int os_openat2(int dir_fd, const char *path, const struct open_how *how)
{
    int fd;
    do {
        fd = os_sys->openat2(dir_fd, path, how);
    } while (fd == -EINTR);
    return fd;
}

ssize_t os_readlinkat(int dir_fd, const char *path, char *out, size_t size)
{
    return os_sys->readlinkat(dir_fd, path, out, size);
}

int os_fstat(int fd, struct stat *ret_stat)
{
    return os_sys->fstat(fd, ret_stat);
}

/*
 * Whether a transfer that returned `result` is worth another try; waits first
 * when the descriptor was not ready. Standard input and output are shared with
 * whoever started us, so they may be non-blocking without our doing. On
 * failure to wait, *result becomes that failure.
 */
static bool transfer_again(ssize_t *result, int fd, short events)
{
    if (*result == -EINTR) {
        return true;
    }
    if (*result != -EAGAIN) {
        return false;
    }
    struct pollfd one = {.fd = fd, .events = events};
    int ready = os_sys->poll(&one, 1, -1);
    if (ready < 0 && ready != -EINTR) {
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
    }
    return 0;
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

bool os_isatty(int fd)
{
    return os_sys->isatty(fd) == 1;
}

int os_ignore_sigpipe(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    return os_sys->sigaction(SIGPIPE, &action);
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
