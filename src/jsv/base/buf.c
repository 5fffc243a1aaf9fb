#include <errno.h>
#include <string.h>

#include <jsv/jsv.h>

#include "jsv/base/alloc.h"

/* Enough for most keys and paths, so that those take one allocation. */
#define CAPACITY_MIN 256

void jsv_buf_init(struct jsv_buf *buf, const struct jsv_allocator *allocator, size_t size_max)
{
    *buf = (struct jsv_buf){
        .size_max = size_max,
        .allocator = jsv_allocator_or_default(allocator),
    };
}

/* Doubling keeps the bytes moved over a buffer's life proportional to its size. */
static size_t next_capacity(const struct jsv_buf *buf, size_t needed)
{
    size_t wanted = buf->capacity > buf->size_max / 2 ? buf->size_max : buf->capacity * 2;
    if (wanted < CAPACITY_MIN) {
        wanted = CAPACITY_MIN;
    }
    if (wanted < needed) {
        wanted = needed;
    }
    return wanted < buf->size_max ? wanted : buf->size_max;
}

static int grow(struct jsv_buf *buf, size_t size)
{
    if (size > buf->size_max - buf->size) {
        return buf->error = -ENOBUFS;
    }
    size_t capacity = next_capacity(buf, buf->size + size);
    char *data = jsv_realloc(&buf->allocator, buf->data, buf->capacity, capacity);
    if (!data) {
        return buf->error = -ENOMEM;
    }
    buf->data = data;
    buf->capacity = capacity;
    return 0;
}

int jsv_buf_reserve(struct jsv_buf *buf, size_t size)
{
    if (buf->error) {
        return buf->error;
    }
    return size <= buf->capacity - buf->size ? 0 : grow(buf, size);
}

int jsv_buf_append(struct jsv_buf *buf, const void *data, size_t size)
{
    int error = jsv_buf_reserve(buf, size);
    if (error) {
        return error;
    }
    if (size > 0) {
        memcpy(buf->data + buf->size, data, size);
        buf->size += size;
    }
    return 0;
}

int jsv_buf_append_byte(struct jsv_buf *buf, char byte)
{
    int error = jsv_buf_reserve(buf, 1);
    if (error) {
        return error;
    }
    buf->data[buf->size++] = byte;
    return 0;
}

int jsv_buf_append_str(struct jsv_buf *buf, struct jsv_str text)
{
    return jsv_buf_append(buf, text.data, text.size);
}

struct jsv_str jsv_buf_str(const struct jsv_buf *buf)
{
    return (struct jsv_str){buf->data, buf->size};
}

void jsv_buf_reset(struct jsv_buf *buf)
{
    if (buf) {
        buf->size = 0;
        buf->error = 0;
    }
}

void jsv_buf_done(struct jsv_buf *buf)
{
    if (!buf) {
        return;
    }
    jsv_dealloc(&buf->allocator, buf->data, buf->capacity);
    buf->data = NULL;
    buf->size = 0;
    buf->capacity = 0;
    buf->error = 0;
}
