#include "app/ready.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "os/process.h"
#include "os/sys.h"

/* Room for the largest number, a time and what stands between them. */
#define READY_SIZE_MAX 64

/* Whoever watches for us may be somebody else. */
#define READY_MODE 0644

/* "<pid> ": how a file of ours begins. @return its length */
static size_t put_pid(char out[static READY_SIZE_MAX])
{
    int size = snprintf(out, READY_SIZE_MAX, "%ld ", (long)os_getpid());
    return (size_t)size;
}

/* A file that stands there already may be replaced, anything else may not. */
static int check_place(const char *path)
{
    struct stat there;
    int r = os_fstatat(AT_FDCWD, path, &there, AT_SYMLINK_NOFOLLOW);
    if (r == -ENOENT) {
        return 0;
    }
    if (r == 0 && !S_ISREG(there.st_mode)) {
        return -EEXIST;
    }
    return r;
}

static int write_new(const char *path, const char *text, size_t size)
{
    int fd = os_create(
        AT_FDCWD, path, O_WRONLY | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, READY_MODE);
    if (fd < 0) {
        return fd;
    }
    int r = os_write_all(fd, text, size);
    int closed = os_close(fd);
    return r < 0 ? r : closed;
}

/* Beside its place at first, then moved there: nobody sees half of it. */
static int write_whole(const char *path, const char *text, size_t size)
{
    char beside[PATH_MAX];
    int length = snprintf(beside, sizeof(beside), "%s.%ld", path, (long)os_getpid());
    if (length < 0 || (size_t)length >= sizeof(beside)) {
        return -ENAMETOOLONG;
    }
    int r = write_new(beside, text, size);
    if (r == -EEXIST) {
        return r; /* not ours to remove */
    }
    if (r == 0) {
        r = os_rename(beside, path);
    }
    if (r < 0) {
        (void)os_unlinkat(AT_FDCWD, beside);
    }
    return r;
}

int app_ready_write(const char *path, const char *timestamp)
{
    char text[READY_SIZE_MAX];
    size_t size = put_pid(text);
    int rest = snprintf(text + size, sizeof(text) - size, "%s\n", timestamp);
    int r = check_place(path);
    return r < 0 ? r : write_whole(path, text, size + (size_t)rest);
}

/* The beginning of a plain file. @return its length, -1 when it cannot be read. */
static ssize_t read_beginning(const char *path, char text[static READY_SIZE_MAX])
{
    int fd = os_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return -1;
    }
    struct stat there;
    bool plain = os_fstat(fd, &there) == 0 && S_ISREG(there.st_mode);
    ssize_t length = plain ? os_read(fd, text, READY_SIZE_MAX) : -1;
    os_close(fd);
    return length;
}

pid_t app_ready_other(const char *path)
{
    char text[READY_SIZE_MAX];
    ssize_t length = read_beginning(path, text);
    long pid = 0;
    for (ssize_t i = 0; i < length && text[i] != ' '; i++) {
        if (!jsv_is_digit(text[i]) || pid > INT_MAX / 10) {
            return 0;
        }
        pid = pid * 10 + (text[i] - '0');
    }
    return os_process_is_like_us((pid_t)pid) ? (pid_t)pid : 0;
}

/* Whether the file begins with our process's number. */
static bool is_ours(const char *path)
{
    char pid[READY_SIZE_MAX];
    char text[READY_SIZE_MAX];
    size_t size = put_pid(pid);
    ssize_t length = read_beginning(path, text);
    return length >= (ssize_t)size && memcmp(text, pid, size) == 0;
}

void app_ready_remove(const char *path)
{
    if (is_ours(path)) {
        (void)os_unlinkat(AT_FDCWD, path);
    }
}
