#include "dialect/dialect.h"

#include <errno.h>
#include <string.h>

#include "envelope/policy.h"

static const struct dialect *const dialects[] = {
#define DIALECT(name) &dialect_##name,
#include "dialect/dialects.def"
#undef DIALECT
};

#define DIALECT_COUNT (sizeof(dialects) / sizeof(dialects[0]))

bool dialect_is_open(const struct dialect_req *req)
{
    return !req->http || req->http->endpoint == RPC_ENDPOINT_RPC;
}

const struct dialect *dialect_recognise(const struct dialect_req *req)
{
    for (size_t i = 0; i < DIALECT_COUNT; i++) {
        if (dialects[i]->recognise(req)) {
            return dialects[i];
        }
    }
    return NULL;
}

const struct dialect *dialect_of_endpoint(const struct rpc_http *http)
{
    if (!http) {
        return NULL;
    }
    switch (http->endpoint) {
    case RPC_ENDPOINT_RPC:
    case RPC_ENDPOINT_MCP:
        break;
    case RPC_ENDPOINT_TOOL:
    case RPC_ENDPOINT_DISCOVER:
    case RPC_ENDPOINT_PROMPT:
        return &dialect_env;
    case RPC_ENDPOINT_INVOKE:
        return &dialect_ref;
    case RPC_ENDPOINT_TOOLS:
    case RPC_ENDPOINT_SCHEMA:
    case RPC_ENDPOINT_OPENAPI:
        break; /* documents */
    }
    return NULL;
}

static const struct dialect *owner_of(const struct dialect_req *req)
{
    for (size_t i = 0; i < DIALECT_COUNT && !req->dialect; i++) {
        if (dialects[i]->owns_malformed && dialects[i]->owns_malformed(req)) {
            return dialects[i];
        }
    }
    return req->dialect;
}

void dialect_refuse_message(
    struct dialect_req *req, enum rpc_error error, const struct rpc_fault *fault)
{
    const struct dialect *dialect = owner_of(req);
    req->http_status = rpc_error_status(error);
    if (dialect && dialect->malformed) {
        dialect->malformed(req, fault);
    } else {
        rpc_write_fault(req->reply, &req->message, error, fault);
    }
}

/* The copy lives as long as the request. */
static int take_without_meta(struct dialect_req *req, struct jsv_value params)
{
    struct jsv_buf text;
    jsv_buf_init(&text, &req->reply->allocator, req->reply->size_max);
    int r = envelope_write_without(params, JSV_STR("_meta"), &text);
    char *kept = r == 0 ? jsv_arena_alloc(req->scratch, text.size) : NULL;
    if (kept) {
        memcpy(kept, text.data, text.size);
        r = req->host->read(req, (struct jsv_str){kept, text.size}, &req->arguments);
    } else {
        r = -ENOMEM;
    }
    jsv_buf_done(&text);
    return r;
}

int dialect_take_arguments(struct dialect_req *req, struct jsv_value params)
{
    req->arguments = params;
    bool has_meta = jsv_value_type(jsv_value_get(params, JSV_STR("_meta"))) != JSV_TYPE_NONE;
    return has_meta ? take_without_meta(req, params) : 0;
}

const struct catalog_tool *dialect_find_tool(const struct dialect_req *req, struct jsv_str id)
{
    size_t size = sizeof(DIALECT_TOOL_ID_PREFIX) - 1;
    if (id.size > size && memcmp(id.data, DIALECT_TOOL_ID_PREFIX, size) == 0) {
        id = (struct jsv_str){id.data + size, id.size - size};
    }
    return catalog_tool_find(req->catalog, id);
}
