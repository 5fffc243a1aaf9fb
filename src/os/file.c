#include "os/file.h"

#include <errno.h>
#include <fcntl.h>

#include <jsv/jsv.h>

#include "os/sys.h"

/* First guess where the size is unknown: what a pipe holds at most by default. */
#define SIZE_GUESS ((size_t)64 * 1024)

static size_t room_below_ceiling(const struct jsv_buf *buf)
{
    return buf->size_max - buf->size;
}

/* The ceiling is the caller's limit on the file, so say it in a file's terms. */
static int as_file_error(int error)
{
    return error == -ENOBUFS ? -EFBIG : error;
}

/* Make room for what the file says it holds, so that reading allocates once. */
static int reserve_for(int fd, struct jsv_buf *out)
{
    struct stat stat;
    int r = os_fstat(fd, &stat);
    if (r < 0) {
        return r;
    }
    size_t room = room_below_ceiling(out);
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
 * Read once into the room there is. Without room, read into a spare block
 * first: most often that is the read which finds the end of the file, and a
 * buffer that fits exactly need not grow for it.
 */
static ssize_t read_some(int fd, struct jsv_buf *out)
{
    char spare[4096];
    size_t room = out->capacity - out->size;
    if (room > 0) {
        ssize_t length = os_read(fd, out->data + out->size, room);
        out->size += length > 0 ? (size_t)length : 0;
        return length;
    }
    ssize_t length = os_read(fd, spare, sizeof(spare));
    if (length <= 0) {
        return length;
    }
    int r = jsv_buf_append(out, spare, (size_t)length);
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
