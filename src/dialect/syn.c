/*
 * SYN: a bare method name is a tool, params are its arguments, and the answer is
 * a result {"ok": …}. Only an invalid JSON-RPC message, or params that are not an
 * object, are answered with an error.
 */
#include <string.h>

#include "dialect/dialect.h"
#include "jsv/base/text.h"
#include "log/text.h"
#include "tools/result.h"

/* Methods of MCP that look like names of tools. */
static bool is_protocol_name(struct jsv_str method)
{
    return JSV_IS(method, "initialize") || JSV_IS(method, "ping");
}

static bool has_prefix(struct jsv_str text, struct jsv_str prefix)
{
    return text.size >= prefix.size && memcmp(text.data, prefix.data, prefix.size) == 0;
}

static bool is_bare(struct jsv_str method)
{
    bool has_slash = method.size > 0 && memchr(method.data, '/', method.size);
    return !has_slash && !has_prefix(method, JSV_STR("mcp.")) && !is_protocol_name(method);
}

static bool syn_recognise(const struct dialect_req *req)
{
    const struct rpc_message *message = &req->message;
    bool calls = message->kind == RPC_REQUEST || message->kind == RPC_NOTIFICATION;
    bool only_mcp = req->http && req->http->endpoint == RPC_ENDPOINT_MCP;
    return calls && !only_mcp && is_bare(message->method);
}

static void reply_unsupported(struct dialect_req *req, struct jsv_str detail)
{
    struct jsv_writer writer = rpc_write_result(req->reply, &req->message);
    jsv_write_object_begin(&writer);
    jsv_write_member_bool(&writer, JSV_STR("ok"), false);
    jsv_write_member_string(&writer, JSV_STR("reason"), JSV_STR("unsupported"));
    jsv_write_member_string(&writer, JSV_STR("detail"), detail);
    jsv_write_object_end(&writer);
    rpc_write_result_end(&writer);
}

static void reply_params_not_object(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("params must be an object"),
        .suggestion = JSV_STR("Pass the parameters by name"),
        .cause = JSV_STR("/params"),
    };
    req->http_status = rpc_error_status(RPC_ERROR_INVALID_PARAMS);
    rpc_write_fault(req->reply, &req->message, RPC_ERROR_INVALID_PARAMS, &fault);
}

static void syn_fail(struct dialect_req *req, struct jsv_str details)
{
    const struct rpc_fault fault = {
        .details = details,
        .suggestion = JSV_STR("Retry; if it persists, contact the operator"),
        .cause = JSV_STR(""),
    };
    req->http_status = rpc_error_status(RPC_ERROR_INTERNAL);
    rpc_write_fault(req->reply, &req->message, RPC_ERROR_INTERNAL, &fault);
}

/* "validate" is a deprecated alias of "validate_asset". */
static struct jsv_str current_name(struct jsv_str method)
{
    if (!JSV_IS(method, "validate")) {
        return method;
    }
    log_text_warning("deprecated_alias", "method", method);
    return JSV_STR("validate_asset");
}

static enum dialect_step syn_open(struct dialect_req *req)
{
    struct jsv_value params = req->message.params;
    enum jsv_type type = jsv_value_type(params);
    if (type != JSV_TYPE_NONE && type != JSV_TYPE_OBJECT) {
        reply_params_not_object(req);
        return DIALECT_DONE;
    }
    req->tool = catalog_tool_find(req->catalog, current_name(req->message.method));
    if (!req->tool) {
        reply_unsupported(req, JSV_STR("tool not implemented"));
        return DIALECT_DONE;
    }
    if (dialect_take_arguments(req, type == JSV_TYPE_NONE ? req->empty_object : params) < 0) {
        syn_fail(req, JSV_STR("out of memory"));
        return DIALECT_DONE;
    }
    return DIALECT_CALL;
}

static void syn_refuse(struct dialect_req *req, const struct jsv_problems *problems)
{
    struct jsv_writer writer = rpc_write_result(req->reply, &req->message);
    tool_write_invalid(&writer, problems);
    rpc_write_result_end(&writer);
}

static void syn_render(struct dialect_req *req, struct jsv_str result, enum tool_verdict verdict)
{
    (void)verdict; /* it is part of the result */
    struct jsv_writer writer = rpc_write_result(req->reply, &req->message);
    jsv_put(req->reply, result.data, result.size);
    rpc_write_result_end(&writer);
}

static void syn_render_failure(struct dialect_req *req)
{
    struct jsv_writer writer = rpc_write_result(req->reply, &req->message);
    tool_write_failure(&writer, req->call);
    rpc_write_result_end(&writer);
}

const struct dialect dialect_syn = {
    .name = "syn",
    .serial = true,
    .recognise = syn_recognise,
    .open = syn_open,
    .refuse = syn_refuse,
    .render = syn_render,
    .render_failure = syn_render_failure,
    .fail = syn_fail,
};
