/*
 * Appending to a buffer that nearly always has room: without a call, and of a
 * constant size without a loop.
 */
#pragma once

#include <string.h>

#include <jsv/jsv.h>

static inline void jsv_put(struct jsv_buf *buf, const char *data, size_t size)
{
    bool has_room = !buf->error && size <= buf->capacity - buf->size;
    if (__builtin_expect(has_room, 1)) {
        memcpy(buf->data + buf->size, data, size);
        buf->size += size;
    } else {
        jsv_buf_append(buf, data, size);
    }
}

/** Append a literal. */
#define JSV_PUT(buf, literal) jsv_put((buf), (literal), sizeof(literal) - 1)
