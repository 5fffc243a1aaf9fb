/*
 * Three races are closed here.
 *
 * Permissions: bind() creates the file with the permissions of the socket itself
 * less the umask. So they are set on the socket before, and the umask allows
 * exactly these during the call; permissions are never widened afterwards.
 *
 * Left-over files: the file of a server that was killed looks like that of a
 * server which has bound and does not listen yet. So a server holds a lock while
 * it checks, binds and begins to listen. The lock is an flock, which ends with
 * the process, on a file of its own beside the socket, "<socket>.lock". Only its
 * owner can open that file, so other users cannot hold the lock; it is removed
 * again at once.
 *
 * Removing: at the end the name may already be that of another server. So the
 * file is compared with the one that was created, under the same lock.
 */
#define _GNU_SOURCE /* O_PATH */
#include "net/unix.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "os/sys.h"

/* Connections the kernel queues until they are accepted; it has a limit of its own. */
#define BACKLOG 1024

/* A server that starts holds the lock for microseconds. */
#define LOCK_WAIT_MS  1000
#define LOCK_RETRY_MS 5

#define PERMISSIONS 0777

/* ---- the lock ---- */

#define LOCK_SUFFIX ".lock"

struct lock {
    char path[sizeof(((struct sockaddr_un *)0)->sun_path) + sizeof(LOCK_SUFFIX)];
    int fd;
};

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Check that other users cannot lock the file, and that it still has the name: another server may
 * have removed it before we had the lock.
 * @return 0; -ENOLCK for a file that is not a lock of ours; -EAGAIN when it is gone; -errno.
 */
static int check_lock(const struct lock *lock)
{
    struct stat held;
    struct stat named;
    int r = os_fstat(lock->fd, &held);
    if (r < 0) {
        return r;
    }
    if (!S_ISREG(held.st_mode) || held.st_mode & (S_IRWXG | S_IRWXO)) {
        return -ENOLCK;
    }
    r = os_fstatat(AT_FDCWD, lock->path, &named, AT_SYMLINK_NOFOLLOW);
    if (r < 0) {
        return r == -ENOENT ? -EAGAIN : r;
    }
    return is_same_file(&held, &named) ? 0 : -EAGAIN;
}

/* Tell a lock file that is not ours from a directory that is not writable. */
static int explain(const struct lock *lock, int error)
{
    struct stat stat;
    switch (error) {
    case -EACCES:
    case -EPERM:
        return os_fstatat(AT_FDCWD, lock->path, &stat, AT_SYMLINK_NOFOLLOW) == 0 ? -ENOLCK : error;
    case -ELOOP:
    case -EISDIR:
    case -ENXIO:
        return -ENOLCK;
    default:
        return error;
    }
}

/* @return 0; -EWOULDBLOCK when another process has it; an error of check_lock() or explain(). */
static int try_lock(struct lock *lock)
{
    lock->fd = os_create(
        AT_FDCWD, lock->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (lock->fd < 0) {
        return explain(lock, lock->fd);
    }
    int r = os_flock(lock->fd, LOCK_EX | LOCK_NB);
    r = r < 0 ? r : check_lock(lock);
    if (r < 0) {
        os_close(lock->fd);
    }
    return r;
}

/* Another server, perhaps of another user, may be about to release the lock. */
static bool is_temporary(int error)
{
    return error == -EWOULDBLOCK || error == -EAGAIN || error == -ENOLCK;
}

static int take_lock(const char *path, struct lock *ret_lock)
{
    size_t size = strlen(path);
    memcpy(ret_lock->path, path, size);
    memcpy(ret_lock->path + size, LOCK_SUFFIX, sizeof(LOCK_SUFFIX));
    uint64_t give_up_at = os_now_ms() + LOCK_WAIT_MS;
    for (;;) {
        int r = try_lock(ret_lock);
        if (!is_temporary(r)) {
            return r;
        }
        if (os_now_ms() >= give_up_at) {
            return r == -ENOLCK ? r : -EBUSY;
        }
        (void)os_sys->poll(NULL, 0, LOCK_RETRY_MS, NULL);
    }
}

static void release_lock(const struct lock *lock)
{
    (void)os_unlinkat(AT_FDCWD, lock->path);
    os_close(lock->fd);
}

/* ---- the name ---- */

/*
 * Check whether a server listens at a socket's file.
 * @return 0 when none does, or the file is gone; -EADDRINUSE when one does, also when it does not
 *         accept us; -EEXIST when it is a socket of another kind; -errno.
 */
static int probe(const struct sockaddr_un *address)
{
    int fd = os_socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK);
    if (fd < 0) {
        return fd;
    }
    int r = os_connect(fd, (const struct sockaddr *)address, sizeof(*address));
    os_close(fd);
    switch (r) {
    case 0:
    case -EAGAIN: /* its queue is full */
    case -EINPROGRESS:
    case -EACCES:
    case -EPERM:
        return -EADDRINUSE;
    case -ECONNREFUSED:
    case -ENOENT:
        return 0;
    case -EPROTOTYPE:
        return -EEXIST;
    default:
        return r;
    }
}

/* Make the name free, if it may be. @return 0 or an error of net_unix_listen(). */
static int clear_name(const struct sockaddr_un *address)
{
    struct stat stat;
    int r = os_fstatat(AT_FDCWD, address->sun_path, &stat, AT_SYMLINK_NOFOLLOW);
    if (r < 0) {
        return r == -ENOENT ? 0 : r;
    }
    if (!S_ISSOCK(stat.st_mode)) {
        return -EEXIST;
    }
    r = probe(address);
    if (r < 0) {
        return r;
    }
    r = os_unlinkat(AT_FDCWD, address->sun_path);
    return r == -ENOENT ? 0 : r;
}

/* ---- binding ---- */

static int bind_with_mode(int fd, const struct sockaddr_un *address, mode_t mode)
{
    int r = os_fchmod(fd, mode);
    if (r < 0) {
        return r;
    }
    mode_t before = os_umask(~mode & PERMISSIONS);
    r = os_bind(fd, (const struct sockaddr *)address, sizeof(*address));
    os_umask(before);
    return r;
}

/* Once bound: open the file, then listen. @return its descriptor, or -errno. */
static int pin_and_listen(int fd, const struct sockaddr_un *address)
{
    int pin = os_openat(AT_FDCWD, address->sun_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    int r = pin < 0 ? pin : os_listen(fd, BACKLOG);
    if (r < 0) {
        (void)os_unlinkat(AT_FDCWD, address->sun_path);
        os_close(pin);
        return r;
    }
    return pin;
}

static int make_socket(const struct sockaddr_un *address, mode_t mode, int *ret_pin)
{
    int fd = os_socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK);
    if (fd < 0) {
        return fd;
    }
    int r = bind_with_mode(fd, address, mode);
    int pin = r < 0 ? r : pin_and_listen(fd, address);
    if (pin < 0) {
        os_close(fd);
        return pin;
    }
    *ret_pin = pin;
    return fd;
}

int net_unix_listen(const char *path, mode_t mode, struct net_unix_address *ret_address)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path);
    if (size == 0) {
        return -ENOENT;
    }
    if (size >= sizeof(address.sun_path)) {
        return -ENAMETOOLONG;
    }
    memcpy(address.sun_path, path, size);

    struct lock lock;
    int r = take_lock(path, &lock);
    if (r < 0) {
        return r;
    }
    int pin;
    r = clear_name(&address);
    int fd = r < 0 ? r : make_socket(&address, mode & PERMISSIONS, &pin);
    release_lock(&lock);
    if (fd >= 0) {
        *ret_address = (struct net_unix_address){.path = path, .pin_fd = pin};
    }
    return fd;
}

/* ---- removing ---- */

static bool is_ours(const struct net_unix_address *address)
{
    struct stat ours;
    struct stat found;
    return os_fstat(address->pin_fd, &ours) == 0 &&
           os_fstatat(AT_FDCWD, address->path, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           is_same_file(&ours, &found);
}

/* Without the lock the file is left: the next server replaces it. */
void net_unix_remove(const struct net_unix_address *address)
{
    struct lock lock;
    if (take_lock(address->path, &lock) == 0) {
        if (is_ours(address)) {
            (void)os_unlinkat(AT_FDCWD, address->path);
        }
        release_lock(&lock);
    }
    os_close(address->pin_fd);
}
