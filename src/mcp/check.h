/*
 * Checking a message of the protocol against its definition, in layers, each
 * with its own error code:
 *
 *     rpc    the shape of a JSON-RPC message                     -32600
 *     mcp    the method exists in this version                   -32601
 *            the definition of that method: at or under /params  -32602
 *                                           elsewhere            -32600
 *
 * A message is never checked against the union of all messages: its method, or
 * the request it answers, selects the definition. The caller has parsed the
 * text already (-32700).
 *
 * After the first message of a kind, checking a valid one allocates nothing.
 */
#pragma once

#include "mcp/definitions.h"
#include "mcp/shape.h"

enum mcp_layer {
    MCP_LAYER_NONE, /* valid */
    MCP_LAYER_JSON,
    MCP_LAYER_RPC,
    MCP_LAYER_MCP,
};

/** "json", "rpc", "mcp"; "none". */
const char *mcp_layer_name(enum mcp_layer layer);

enum mcp_code {
    MCP_CODE_PARSE_ERROR = -32700,
    MCP_CODE_INVALID_REQUEST = -32600,
    MCP_CODE_METHOD_NOT_FOUND = -32601,
    MCP_CODE_INVALID_PARAMS = -32602,
};

/** Matches answers to requests. Members may be NULL. */
struct mcp_pairing {
    /* Called for a request of a known method, before its params are checked. */
    void (*asked)(void *context, struct jsv_value id, const struct mcp_method *method);
    /*
     * Called for an answer. @return the method of its request, one that the version has; NULL
     * if that is not known.
     */
    const struct mcp_method *(*answered)(void *context, struct jsv_value id);
    void *context;
};

struct mcp_check {
    struct mcp_definitions *definitions;
    enum mcp_version version;
    enum mcp_sender sender;            /* BOTH: either side's messages */
    const struct mcp_pairing *pairing; /* NULL: results are not checked against their method */
    struct jsv_validator *validator;
    struct jsv_arena *scratch; /* reset by each check */
};

struct mcp_verdict {
    enum mcp_layer layer; /* that refuses the message */
    int code;             /* 0 when it is valid */
    struct mcp_shape shape;
    const struct mcp_method *method; /* its own, or that of the request it answers; may be NULL */
    const char *definition;          /* it was checked against; NULL: refused before that */
    struct jsv_problems problems;    /* valid until the next use of validator or scratch */
};

/**
 * Check a message, or a batch in a version that has batches. The verdict on a batch is that on its
 * first invalid message, with paths in the batch.
 *
 * @return 0 when there is a verdict; -ENOMEM.
 */
int mcp_check(
    const struct mcp_check *check, struct jsv_value message, struct mcp_verdict *ret_verdict);

/**
 * Check a message, an object whose parts are known.
 * @return As mcp_check.
 */
int mcp_check_parts(
    const struct mcp_check *check,
    struct jsv_value message,
    const struct rpc_members *parts,
    struct mcp_verdict *ret_verdict);

/**
 * Check a value against one definition only.
 *
 * @param schema Of mcp_definitions_find().
 * @return As mcp_check.
 */
int mcp_check_as(
    const struct mcp_check *check,
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct mcp_verdict *ret_verdict);
