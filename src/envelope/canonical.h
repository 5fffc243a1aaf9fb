/* The canonical errors of ENV, each with its HTTP status, JSON-RPC code and message. */
#pragma once

#include <jsv/json.h>

enum envelope_canonical {
#define ENVELOPE_CANONICAL(name, http, rpc, message) ENVELOPE_CANONICAL_##name,
#include "envelope/canonical.def"
#undef ENVELOPE_CANONICAL
    ENVELOPE_CANONICALS,
};

struct envelope_canonical_error {
    struct jsv_str name; /* "TOOL_NOT_FOUND" */
    unsigned http;
    int rpc;
    struct jsv_str message;
};

const struct envelope_canonical_error *envelope_canonical_get(enum envelope_canonical error);

/** Find an error by its name. @return 0; -ENOENT for an unknown name: there is no default. */
int envelope_canonical_find(struct jsv_str name, const struct envelope_canonical_error **ret_error);

/**
 * Append the body of an HTTP answer: {"error":{"code":"TOOL_NOT_FOUND","message":…,"details":…}}.
 * @param details A JSON object; empty: {}.
 * @return 0, or the buffer's sticky error.
 */
int envelope_canonical_write_http(
    const struct envelope_canonical_error *error, struct jsv_str details, struct jsv_buf *out);
