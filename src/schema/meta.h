/*
 * The drafts' meta-schemas, part of the library: verdicts as the published
 * ones give, none of their prose. Written in schemas/json-schema/, put into a
 * table by cmake/embed.cmake.
 */
#pragma once

#include <jsv/jsv.h>

struct jsv_embedded {
    const char *uri; /* absolute, without fragment */
    const char *data;
    size_t size;
};

/* All of them; the last entry has no URI. */
extern const struct jsv_embedded jsv_meta_schemas[];

/* The meta-schema of that URI, which may end in an empty fragment; NULL when there is none. */
const struct jsv_embedded *jsv_meta_find(struct jsv_str uri);
