/*
 * Files that cmake/embed.cmake puts into tables of the program.
 */
#pragma once

#include <stddef.h>

struct jsv_embedded {
    const char *name; /* a schema's URI, or a file's path in its directory; NULL ends a table */
    const char *data;
    size_t size;
};

/* A file of any kind, with a digest that identifies its version. */
struct jsv_embedded_bytes {
    const char *name; /* its path in its directory; NULL ends a table */
    const char *data;
    size_t size;
    const char *digest; /* SHA-256 of the bytes, in hexadecimal */
};
