/*
 * ASCII characters and hexadecimal digits, in any locale.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

static inline bool jsv_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool jsv_is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool jsv_is_alnum(char c)
{
    return jsv_is_alpha(c) || jsv_is_digit(c);
}

static inline bool jsv_is_ascii(char c)
{
    return (unsigned char)c < 0x80;
}

static inline char jsv_to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* The value of a hexadecimal digit of either case; -1 for anything else. */
static inline int jsv_hex_value(char c)
{
    if (jsv_is_digit(c)) {
        return c - '0';
    }
    c = jsv_to_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The digit of a number's lowest four bits. */
static inline char jsv_hex_digit(unsigned number)
{
    return "0123456789abcdef"[number & 15];
}

/* Write two digits for each byte. @return where they end. */
static inline char *jsv_hex_write(char *out, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        *out++ = jsv_hex_digit(bytes[i] >> 4);
        *out++ = jsv_hex_digit(bytes[i]);
    }
    return out;
}
