/*
 * Deterministic ids of requests, traces, spans and runs.
 *
 * They are UUIDs of version 5 over a prefix and a seed. The seed is the
 * compact, key-sorted, ASCII-escaped JSON of {method, payload, route}. It does
 * not depend on the transport, so HTTP and stdio give equal ids, and the same
 * request always has the same trace.
 *
 * A number beyond the range of a double has no canonical form. Then the payload
 * goes into the seed as it was written, and only byte-for-byte equal requests
 * have equal ids.
 */
#pragma once

#include <jsv/json.h>

#include "os/uuid.h"

enum envelope_id {
    ENVELOPE_ID_REQUEST,
    ENVELOPE_ID_TRACE,
    ENVELOPE_ID_SPAN,
    ENVELOPE_ID_RUN,
};

/* Each appends a seed. @return 0; -ENOMEM; or the buffer's error. */

/** Of a dialect's message: the route is the dialect's name, the payload its params. */
int envelope_seed(
    struct jsv_str route,
    struct jsv_str method,
    struct jsv_value payload,
    struct jsv_arena *scratch,
    struct jsv_buf *out);
/** Of mcp.discover, whatever its params are. */
int envelope_seed_discover(struct jsv_buf *out);
/** Of mcp.prompt.get. @param prompt_id Valid UTF-8. */
int envelope_seed_prompt(struct jsv_str prompt_id, struct jsv_buf *out);
/**
 * Of mcp.tool.invoke.
 * @param tool_id   Valid UTF-8.
 * @param arguments NONE counts as {}.
 */
int envelope_seed_tool(
    struct jsv_str tool_id,
    struct jsv_value arguments,
    struct jsv_arena *scratch,
    struct jsv_buf *out);
/** Of a run for a provenance record: the payload is params without its member _meta. */
int envelope_seed_run(
    struct jsv_str tool_name,
    struct jsv_value params,
    struct jsv_arena *scratch,
    struct jsv_buf *out);

/** The id of a kind for a seed. */
void envelope_id_from_seed(
    enum envelope_id kind, struct jsv_str seed, char ret_text[static OS_UUID_SIZE + 1]);
