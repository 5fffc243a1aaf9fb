/*
 * What HTTP says about a frame besides its bytes, as the corridor sees it: the
 * endpoint it was sent to, and headers by name. Frames that came in lines have
 * none of this.
 */
#pragma once

#include <jsv/jsv.h>

enum rpc_endpoint {
    RPC_ENDPOINT_RPC, /* any dialect, one message per request */
    RPC_ENDPOINT_MCP, /* the official protocol's own */
};

enum rpc_header {
    RPC_HEADER_ABSENT,
    RPC_HEADER_FOUND,
    RPC_HEADER_CONFLICT, /* several times, with different values */
};

struct rpc_http {
    enum rpc_endpoint endpoint;
    /* Look a header up, ignoring case. ret_value is written when found. */
    enum rpc_header (*header)(
        const struct rpc_http *http, struct jsv_str name, struct jsv_str *ret_value);
};
