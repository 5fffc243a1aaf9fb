/*
 * Inline functions for texts that are on hot paths.
 */
#pragma once

#include <string.h>

#include <jsv/jsv.h>

/**
 * Whether a struct jsv_str is a literal that is not empty. A literal of another
 * length costs one comparison, so a list of them is cheap.
 */
#define JSV_IS(text, literal)                                                                      \
    ((text).size == sizeof(literal) - 1 && memcmp((text).data, literal, sizeof(literal) - 1) == 0)

/** Append to a buffer; without a call when there is room, as there nearly always is. */
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

/** Eight bytes from anywhere in a text. */
static inline uint64_t jsv_load_word(const char *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word;
}
