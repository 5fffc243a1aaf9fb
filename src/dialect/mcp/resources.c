/*
 * Resources: list, read, subscribe.
 */
#include <errno.h>

#include "dialect/mcp/provider.h"
#include "dialect/write.h"

/* ---- resources/list, resources/templates/list ---- */

static void
write_resource(const struct mcp_exchange *exchange, size_t index, struct jsv_writer *writer)
{
    exchange->req->provider->write_resource(exchange->req->catalog, index, writer);
}

enum dialect_step mcp_handle_resources_list(struct mcp_exchange *exchange)
{
    size_t count = exchange->req->provider->resource_count(exchange->req->catalog);
    return mcp_answer_list(exchange, JSV_STR("resources"), count, write_resource);
}

static void
write_template(const struct mcp_exchange *exchange, size_t index, struct jsv_writer *writer)
{
    exchange->req->provider->write_template(index, writer);
}

enum dialect_step mcp_handle_resources_templates(struct mcp_exchange *exchange)
{
    size_t count = exchange->req->provider->template_count();
    return mcp_answer_list(exchange, JSV_STR("resourceTemplates"), count, write_template);
}

/* ---- resources/read ---- */

static enum dialect_step unknown_resource(struct mcp_exchange *exchange, struct jsv_value uri)
{
    struct dialect_req *req = exchange->req;
    const struct mcp_version_facts *facts = mcp_version_facts(exchange->version);
    bool is_modern = facts->era == MCP_ERA_MODERN; /* then it is an invalid parameter */
    mcp_set_status(req, is_modern ? RPC_ERROR_INVALID_PARAMS : RPC_ERROR_RESOURCE_NOT_FOUND);
    struct jsv_str text =
        dialect_message(req->scratch, JSV_STR("Resource not found:"), jsv_value_text(uri));
    struct jsv_writer writer =
        rpc_write_error(req->reply, &req->message, facts->unknown_resource, text);
    jsv_write_member_object_begin(&writer, JSV_STR("data"));
    mcp_write_member(&writer, JSV_STR("uri"), uri);
    jsv_write_object_end(&writer);
    rpc_write_error_end(&writer);
    return DIALECT_DONE;
}

enum dialect_step mcp_handle_resources_read(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    struct jsv_value uri = exchange->parts->uri;
    if (!req->provider->has_resource(req, jsv_value_text(uri))) {
        return unknown_resource(exchange, uri);
    }
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_array_begin(&writer, JSV_STR("contents"));
    req->provider->write_contents(req, jsv_value_text(uri), &writer);
    jsv_write_array_end(&writer);
    if (req->provider->is_live && req->provider->is_live(jsv_value_text(uri))) {
        mcp_write_live_hints(&writer, exchange->version);
    } else {
        mcp_write_cache_hints(&writer, exchange);
    }
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

/* ---- resources/subscribe, resources/unsubscribe ---- */

static enum dialect_step no_session(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("no session to subscribe in"),
        .suggestion = JSV_STR("Send initialize first"),
        .cause = JSV_STR("/method"),
    };
    return mcp_answer_fault(req, RPC_ERROR_INVALID_REQUEST, &fault);
}

enum dialect_step mcp_handle_subscribe(struct mcp_exchange *exchange)
{
    static const struct rpc_fault too_many = {
        .details = JSV_STR("the session has 1000 subscriptions, or 65536 bytes of URIs"),
        .suggestion = JSV_STR("Unsubscribe from a resource first, or begin another session"),
        .cause = JSV_STR("/params/uri"),
    };
    struct dialect_req *req = exchange->req;
    struct jsv_value uri = exchange->parts->uri;
    if (!*req->session) {
        return no_session(req);
    }
    if (!req->provider->has_resource(req, jsv_value_text(uri))) {
        return unknown_resource(exchange, uri);
    }
    int r = dialect_session_subscribe(*req->session, jsv_value_text(uri));
    if (r == -ENOSPC) {
        return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &too_many);
    }
    if (r < 0) {
        return mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    }
    return mcp_answer_empty(req);
}

enum dialect_step mcp_handle_unsubscribe(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    struct jsv_value uri = exchange->parts->uri;
    if (!*req->session) {
        return no_session(req);
    }
    dialect_session_unsubscribe(*req->session, jsv_value_text(uri));
    return mcp_answer_empty(req);
}
