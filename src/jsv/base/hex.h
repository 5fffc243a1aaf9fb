/*
 * Numbers in hexadecimal digits, in lower case. (Reading them: ascii.h.)
 */
#pragma once

#include <stddef.h>

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
