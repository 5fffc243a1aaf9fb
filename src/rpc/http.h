/*
 * What HTTP says about a frame besides its bytes, as the corridor sees it: the
 * endpoint it was sent to, the name in its path, and headers by name. Frames
 * that came in lines have none of this.
 */
#pragma once

#include <jsv/jsv.h>

enum rpc_endpoint {
    RPC_ENDPOINT_RPC, /* any dialect, one message per request */
    RPC_ENDPOINT_MCP, /* the official protocol's own */
    /* Those that stand for one thing to do; the body is what it is done with. */
    RPC_ENDPOINT_TOOL,     /* call the tool that is the parameter */
    RPC_ENDPOINT_DISCOVER, /* what there is */
    RPC_ENDPOINT_PROMPT,   /* the prompt that is the parameter */
    RPC_ENDPOINT_INVOKE,   /* a request envelope */
    RPC_ENDPOINT_TOOLS,    /* the catalog of tools */
    RPC_ENDPOINT_SCHEMA,   /* the schema that is the parameter */
    RPC_ENDPOINT_OPENAPI,  /* all of these, described */
};

enum rpc_header {
    RPC_HEADER_ABSENT,
    RPC_HEADER_FOUND,
    RPC_HEADER_CONFLICT, /* several times, with different values */
};

struct rpc_http {
    enum rpc_endpoint endpoint;
    struct jsv_str parameter; /* decoded, valid UTF-8; empty where the path has none */
    bool is_query;            /* a GET: there is no body, and the frame is empty */
    /* Look a header up, ignoring case. ret_value is written when found. */
    enum rpc_header (*header)(
        const struct rpc_http *http, struct jsv_str name, struct jsv_str *ret_value);
};
