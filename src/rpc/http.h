/*
 * The HTTP request of a frame, as the pipeline sees it: the endpoint, the name
 * in the path, and headers by name. Frames of stdio and sockets have none.
 */
#pragma once

#include <jsv/jsv.h>

enum rpc_endpoint {
    RPC_ENDPOINT_RPC, /* any dialect, one message per request */
    RPC_ENDPOINT_MCP, /* the official protocol */
    /* Endpoints for one operation each; the body is its argument. */
    RPC_ENDPOINT_TOOL,     /* call the tool named in the path */
    RPC_ENDPOINT_DISCOVER, /* list tools and prompts */
    RPC_ENDPOINT_PROMPT,   /* get the prompt named in the path */
    RPC_ENDPOINT_INVOKE,   /* a request envelope */
    RPC_ENDPOINT_TOOLS,    /* list the tools */
    RPC_ENDPOINT_SCHEMA,   /* get the schema named in the path */
    RPC_ENDPOINT_OPENAPI,  /* the OpenAPI description */
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
