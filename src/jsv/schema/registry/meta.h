/*
 * The drafts' meta-schemas, part of the library: verdicts as the published
 * ones give, none of their prose. Written in schemas/json-schema/, put into a
 * table by cmake/embed.cmake.
 */
#pragma once

#include <jsv/jsv.h>

#include "jsv/base/embedded.h"

/* All of them, by URI, absolute and without fragment. */
extern const struct jsv_embedded jsv_meta_schemas[];

/* The meta-schema of that URI, which may end in an empty fragment; NULL when there is none. */
const struct jsv_embedded *jsv_meta_find(struct jsv_str uri);
