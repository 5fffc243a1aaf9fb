/*
 * Eight bytes at a time, from anywhere in a text.
 */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint64_t jsv_load_word(const char *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word;
}
