/*
 * What the official protocol asks of HTTP at its own endpoint: which headers
 * say what, and which status goes with an error.
 */
#pragma once

#include "dialect/mcp/mcp.h"

/** Whether a request came to the protocol's endpoint. */
bool mcp_is_endpoint(const struct dialect_req *req);

/** Set the status that goes with an error. */
void mcp_set_status(struct dialect_req *req, enum rpc_error error);

/** What the header MCP-Protocol-Version says. */
struct mcp_version_header {
    enum rpc_header found;
    bool is_known;            /* it names a version that we know */
    enum mcp_version version; /* then */
};

/** Look at it. */
struct mcp_version_header mcp_version_header(const struct rpc_http *http);
/** Whether it says that a request is modern. */
bool mcp_header_is_modern(const struct mcp_version_header *named);

/**
 * Find the session a legacy request belongs to.
 * @return whether it may go on; else it is answered.
 */
bool mcp_settle_session(struct dialect_req *req, const struct mcp_version_header *named);

/** The version in the header against that of the body. @return as above. */
bool mcp_check_version_header(struct dialect_req *req, struct jsv_str version);
/** The headers that repeat method and name of a modern request. @return as above. */
bool mcp_check_name_headers(struct dialect_req *req, const struct mcp_params *params);
/** The headers that repeat arguments of a tool. @return as above. */
bool mcp_check_argument_headers(
    struct dialect_req *req, const struct catalog_tool *tool, struct jsv_value arguments);
