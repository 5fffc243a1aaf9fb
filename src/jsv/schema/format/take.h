/*
 * Scanning text from its start. Each function takes the thing it is named after
 * and returns true, or leaves the text unchanged and returns false.
 */
#pragma once

#include <jsv/jsv.h>

#include "jsv/base/ascii.h"

static inline struct jsv_str jsv_skip(struct jsv_str text, size_t size)
{
    /* Adding 0 to a null pointer is undefined behaviour. */
    return size == 0 ? text : (struct jsv_str){text.data + size, text.size - size};
}

static inline bool jsv_take_char(struct jsv_str *text, char c)
{
    if (text->size == 0 || text->data[0] != c) {
        return false;
    }
    *text = jsv_skip(*text, 1);
    return true;
}

/* A letter in either case. */
static inline bool jsv_take_letter(struct jsv_str *text, char lower)
{
    return jsv_take_char(text, lower) || jsv_take_char(text, (char)(lower - 'a' + 'A'));
}

/* All digits. @return how many. */
static inline size_t jsv_take_digits(struct jsv_str *text)
{
    size_t size = 0;
    while (size < text->size && jsv_is_digit(text->data[size])) {
        size++;
    }
    *text = jsv_skip(*text, size);
    return size;
}

/* A '%' and two hexadecimal digits. */
static inline bool jsv_take_encoded(struct jsv_str *text)
{
    if (text->size < 3 || text->data[0] != '%' || jsv_hex_value(text->data[1]) < 0 ||
        jsv_hex_value(text->data[2]) < 0) {
        return false;
    }
    *text = jsv_skip(*text, 3);
    return true;
}
