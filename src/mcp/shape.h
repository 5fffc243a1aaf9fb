/*
 * The shape of a JSON-RPC message, before any method is looked up: what kind
 * of message it is and where its parts are.
 */
#pragma once

#include <jsv/problem.h>

#include "rpc/message.h"

enum mcp_kind {
    MCP_KIND_NONE, /* no message */
    MCP_KIND_REQUEST,
    MCP_KIND_NOTIFICATION,
    MCP_KIND_RESPONSE,
    MCP_KIND_ERROR,
    MCP_KIND_BATCH,
};

/** "request" and so on; "none" for no message. */
const char *mcp_kind_name(enum mcp_kind kind);

struct mcp_shape {
    enum mcp_kind kind;
    struct rpc_members parts;
};

/**
 * Look at a message. Parts are not looked into: that is what definitions do.
 *
 * @param ret_shape Its parts are filled in also when the shape is wrong; the kind is NONE then.
 * @return NULL, or what is wrong. Static.
 */
const struct jsv_problem *mcp_shape_read(struct jsv_value message, struct mcp_shape *ret_shape);

/** The same of an object whose parts have been found. */
const struct jsv_problem *
mcp_shape_of(const struct rpc_members *parts, struct mcp_shape *ret_shape);
