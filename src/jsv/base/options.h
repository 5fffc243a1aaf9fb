/*
 * Structs of options, which begin with their size: a program may be compiled
 * with an older or a newer header than the library's.
 */
#pragma once

#include <string.h>

/*
 * Copy a caller's struct; NULL means all defaults. Members that the caller's
 * struct lacks become 0, members that the library does not know are ignored.
 * struct_size 0 means the struct of version 0.1, which is ours so far.
 */
static inline void jsv_options_copy(void *options, size_t size, const void *given)
{
    size_t given_size = 0;
    memset(options, 0, size);
    if (given) {
        memcpy(&given_size, given, sizeof(given_size));
        memcpy(options, given, given_size && given_size < size ? given_size : size);
    }
}
