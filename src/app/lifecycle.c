#include "app/lifecycle.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "os/process.h"
#include "os/sys.h"

/* Passed descriptors follow the three standard ones. */
#define ACTIVATION_FIRST_FD 3

/* Whether the sockets are meant for this process, not for its parent. */
static bool is_for_us(void)
{
    char pid[24];
    const char *named = os_getenv("LISTEN_PID");
    snprintf(pid, sizeof(pid), "%ld", (long)os_getpid());
    return named && strcmp(named, pid) == 0;
}

/* The path of a Unix socket; empty for an unnamed one. */
static int find_path(int fd, char *out)
{
    struct sockaddr_un address = {0};
    socklen_t size = sizeof(address);
    int r = os_getsockname(fd, (struct sockaddr *)&address, &size);
    if (r < 0) {
        return r;
    }
    if (address.sun_family != AF_UNIX) {
        return -ENOTSOCK;
    }
    memcpy(out, address.sun_path, sizeof(address.sun_path));
    out[sizeof(address.sun_path)] = '\0';
    return 0;
}

int app_activation_find(struct app_activation *ret_activation)
{
    struct app_activation activation = {.fd = -1};
    const char *count = os_getenv("LISTEN_FDS");
    if (!count || !is_for_us()) {
        *ret_activation = activation;
        return 0;
    }
    if (count[0] < '1' || count[0] > '9') {
        return -EINVAL;
    }
    if (strcmp(count, "1") != 0) {
        return -E2BIG;
    }
    activation.fd = ACTIVATION_FIRST_FD;
    int r = os_set_cloexec(activation.fd);
    if (r == 0) {
        r = find_path(activation.fd, activation.path);
    }
    if (r == 0) {
        *ret_activation = activation;
    }
    return r;
}

/* ---- the ready file ---- */

/* Room for a pid, a time and separators. */
#define READY_SIZE_MAX 64

/* Readable by other users, who may wait for the server. */
#define READY_MODE 0644

/* Write "<pid> ", the start of our file. @return its length */
static size_t put_pid(char out[static READY_SIZE_MAX])
{
    int size = snprintf(out, READY_SIZE_MAX, "%ld ", (long)os_getpid());
    return (size_t)size;
}

/* A regular file may be replaced; anything else is refused. */
static int check_replaceable(const char *path)
{
    struct stat status;
    int r = os_fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW);
    if (r == -ENOENT) {
        return 0;
    }
    if (r == 0 && !S_ISREG(status.st_mode)) {
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

/* Written under another name and renamed, so that readers never see a partial file. */
static int write_whole(const char *path, const char *text, size_t size)
{
    char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long)os_getpid());
    if (length < 0 || (size_t)length >= sizeof(temporary)) {
        return -ENAMETOOLONG;
    }
    int r = write_new(temporary, text, size);
    if (r == -EEXIST) {
        return r; /* a file of another process: do not remove it */
    }
    if (r == 0) {
        r = os_rename(temporary, path);
    }
    if (r < 0) {
        (void)os_unlinkat(AT_FDCWD, temporary);
    }
    return r;
}

int app_ready_write(const char *path, const char *timestamp)
{
    char text[READY_SIZE_MAX];
    size_t size = put_pid(text);
    int rest = snprintf(text + size, sizeof(text) - size, "%s\n", timestamp);
    int r = check_replaceable(path);
    return r < 0 ? r : write_whole(path, text, size + (size_t)rest);
}

/* Read the start of a regular file. @return its length, -1 when it cannot be read. */
static ssize_t read_start(const char *path, char text[static READY_SIZE_MAX])
{
    int fd = os_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return -1;
    }
    struct stat status;
    bool is_regular = os_fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    ssize_t length = is_regular ? os_read(fd, text, READY_SIZE_MAX) : -1;
    os_close(fd);
    return length;
}

pid_t app_ready_other(const char *path)
{
    char text[READY_SIZE_MAX];
    ssize_t length = read_start(path, text);
    long pid = 0;
    for (ssize_t i = 0; i < length && text[i] != ' '; i++) {
        if (!jsv_is_digit(text[i]) || pid > INT_MAX / 10) {
            return 0;
        }
        pid = pid * 10 + (text[i] - '0');
    }
    return os_process_is_like_us((pid_t)pid) ? (pid_t)pid : 0;
}

/* Whether the file starts with our pid. */
static bool is_ours(const char *path)
{
    char pid[READY_SIZE_MAX];
    char text[READY_SIZE_MAX];
    size_t size = put_pid(pid);
    ssize_t length = read_start(path, text);
    return length >= (ssize_t)size && memcmp(text, pid, size) == 0;
}

void app_ready_remove(const char *path)
{
    if (is_ours(path)) {
        (void)os_unlinkat(AT_FDCWD, path);
    }
}
