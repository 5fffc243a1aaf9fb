/*
 * The shape of a JSON-RPC message, before any method is looked up: what kind
 * of message it is and where its parts are.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

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

/** The parts of a message; those that are missing are of type NONE. */
struct mcp_shape {
    enum mcp_kind kind;
    struct jsv_value id;
    struct jsv_value method;
    struct jsv_value params;
    struct jsv_value result;
    struct jsv_value error;
};

/**
 * Look at a message. Parts are not looked into: that is what definitions do.
 *
 * @param ret_shape Its parts are filled in also when the shape is wrong; the kind is NONE then.
 * @return NULL, or what is wrong. Static.
 */
const struct jsv_problem *mcp_shape_read(struct jsv_value message, struct mcp_shape *ret_shape);
