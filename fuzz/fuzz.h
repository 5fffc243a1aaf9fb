/*
 * What fuzz targets share: a check that survives NDEBUG, inputs of several
 * texts, and the entry point.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <jsv/jsv.h>

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

/* Between the texts of an input. */
#define FUZZ_SEPARATOR 0x1e

/* Take the text up to the next separator, which is stepped over, or all there is. */
static inline struct jsv_str fuzz_take(struct jsv_str *rest, char separator)
{
    const char *at = rest->size ? memchr(rest->data, separator, rest->size) : NULL;
    size_t size = at ? (size_t)(at - rest->data) : rest->size;
    struct jsv_str text = {rest->data, size};
    size_t used = size + (at != NULL);
    *rest = (struct jsv_str){rest->data + used, rest->size - used};
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
