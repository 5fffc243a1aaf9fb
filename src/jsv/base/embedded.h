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

/* A file of any kind, and what tells it from its other versions. */
struct jsv_embedded_bytes {
    const char *name; /* its path in its directory; NULL ends a table */
    const char *data;
    size_t size;
    const char *digest; /* SHA-256 of the bytes, in hexadecimal */
};
