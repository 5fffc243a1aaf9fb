#define _GNU_SOURCE /* struct dirent64 */
#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include <jsv/jsv.h>

#include "jsv/base/percent.h"
#include "os/sys.h"

/* First guess where the size is unknown: the default capacity of a pipe. */
#define SIZE_GUESS ((size_t)64 * 1024)

static size_t room_left(const struct jsv_buf *buf)
{
    return buf->size_max - buf->size;
}

/* The buffer's limit is the caller's limit on the file. */
static int as_file_error(int error)
{
    return error == -ENOBUFS ? -EFBIG : error;
}

/* Reserve the size of the file, so that reading allocates once. */
static int reserve_for(int fd, struct jsv_buf *out)
{
    struct stat stat;
    int r = os_fstat(fd, &stat);
    if (r < 0) {
        return r;
    }
    size_t room = room_left(out);
    size_t size = room < SIZE_GUESS ? room : SIZE_GUESS;
    if (S_ISREG(stat.st_mode)) {
        if ((uintmax_t)stat.st_size > room) {
            return -EFBIG;
        }
        size = (size_t)stat.st_size;
    }
    return as_file_error(jsv_buf_reserve(out, size));
}

/*
 * Read once into the free capacity. Without any, read into a block on the stack
 * first: usually that read finds the end of the file, and a buffer that fits
 * exactly need not grow for it.
 */
static ssize_t read_some(int fd, struct jsv_buf *out)
{
    char block[4096];
    size_t room = out->capacity - out->size;
    if (room > 0) {
        ssize_t length = os_read(fd, out->data + out->size, room);
        out->size += length > 0 ? (size_t)length : 0;
        return length;
    }
    ssize_t length = os_read(fd, block, sizeof(block));
    if (length <= 0) {
        return length;
    }
    int r = jsv_buf_append(out, block, (size_t)length);
    return r < 0 ? as_file_error(r) : length;
}

int os_file_read(int fd, struct jsv_buf *out)
{
    int r = reserve_for(fd, out);
    if (r < 0) {
        return r;
    }
    ssize_t length;
    do {
        length = read_some(fd, out);
    } while (length > 0);
    return (int)length;
}

int os_file_read_path(const char *path, struct jsv_buf *out)
{
    int fd = os_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return fd;
    }
    int r = os_file_read(fd, out);
    os_close(fd);
    return r;
}

/* ---- directories ---- */

static bool is_self_or_parent(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

int os_dir_next(struct os_dir *dir, const char **ret_name)
{
    for (;;) {
        if (dir->at == dir->size) {
            ssize_t size = os_getdents(dir->fd, dir->block, sizeof(dir->block));
            if (size <= 0) {
                return (int)size;
            }
            dir->at = 0;
            dir->size = (size_t)size;
        }
        const struct dirent64 *entry = (const void *)(dir->block + dir->at);
        dir->at += entry->d_reclen;
        if (!is_self_or_parent(entry->d_name)) {
            *ret_name = entry->d_name;
            return 1;
        }
    }
}

/* ---- URIs ---- */

int os_uri_append_file(struct jsv_buf *out, const char *path)
{
    char directory[PATH_MAX] = "";
    jsv_buf_append_str(out, JSV_STR("file://"));
    if (path[0] != '/') {
        if (os_getcwd(directory, sizeof(directory)) == 0) {
            jsv_percent_append(out, jsv_str_from(directory), JSV_PERCENT_PATH);
        }
        jsv_buf_append_byte(out, '/');
    }
    jsv_percent_append(out, jsv_str_from(path), JSV_PERCENT_PATH);
    return out->error;
}
