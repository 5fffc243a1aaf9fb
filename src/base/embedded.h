/*
 * Files that are part of the program, put into tables by cmake/embed.cmake.
 */
#pragma once

#include <stddef.h>

struct jsv_embedded {
    const char *name; /* a schema's URI, or a file's path in its directory; NULL ends a table */
    const char *data;
    size_t size;
};
