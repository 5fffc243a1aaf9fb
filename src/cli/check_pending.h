/*
 * Requests of a stream that have not been answered yet: the method of each and
 * the version it was in, by its id.
 *
 * Memory is bounded: of more than CHECK_PENDING_MAX requests without an answer
 * the oldest is forgotten, and one whose id is longer than CHECK_ID_SIZE_MAX
 * is not remembered at all. Their answers are then nobody's in particular.
 *
 * Both sides of a conversation count their requests, so an id may be pending
 * twice in one stream. The later request is taken to be answered first: what a
 * server asks while it works on a request is answered before that.
 */
#pragma once

#include <jsv/json.h>

#include "mcp/versions.h"

struct mcp_method;
struct check_pending;

#define CHECK_PENDING_MAX 16384

/* A UUID has 36 characters, a prefix besides. */
#define CHECK_ID_SIZE_MAX 64

/** @return NULL when memory ran out. */
struct check_pending *check_pending_new(void);
void check_pending_free(struct check_pending *pending);

/** @param id A string or an integer. @param method Borrowed. */
void check_pending_put(
    struct check_pending *pending,
    struct jsv_value id,
    const struct mcp_method *method,
    enum mcp_version version);

/**
 * Look a request up and leave it where it is.
 * @param id Any value. @return its method; NULL, and the version untouched, when there is none.
 */
const struct mcp_method *check_pending_find(
    const struct check_pending *pending, struct jsv_value id, enum mcp_version *ret_version);

/** Take a request out. @return its method; NULL when there is none with that id. */
const struct mcp_method *check_pending_take(struct check_pending *pending, struct jsv_value id);
