/*
 * The shape of a JSON-RPC message, before its method is looked up: its kind and
 * its parts.
 */
#pragma once

#include <jsv/problem.h>

#include "rpc/message.h"

enum mcp_kind {
    MCP_KIND_NONE, /* not a message */
    MCP_KIND_REQUEST,
    MCP_KIND_NOTIFICATION,
    MCP_KIND_RESPONSE,
    MCP_KIND_ERROR,
    MCP_KIND_BATCH,
};

/** "request", …; "none". */
const char *mcp_kind_name(enum mcp_kind kind);

struct mcp_shape {
    enum mcp_kind kind;
    struct rpc_members parts;
};

/**
 * Read the shape of a message. The contents of its parts are checked by definitions.
 *
 * @param ret_shape Its parts are also set when the shape is wrong; the kind is NONE then.
 * @return NULL, or the problem. Static.
 */
const struct jsv_problem *mcp_shape_read(struct jsv_value message, struct mcp_shape *ret_shape);

/** The same for an object whose parts are known. */
const struct jsv_problem *
mcp_shape_of(const struct rpc_members *parts, struct mcp_shape *ret_shape);
