/*
 * Which version a message uses, whether it matches that version's definition,
 * and which handler answers it.
 *
 * Two eras share one connection. A request that names its version in
 * params._meta is modern and independent of others. All other requests are
 * legacy: they use the version that initialize negotiated, or the newest legacy
 * version before that.
 */
#include "dialect/mcp/mcp.h"

#include "dialect/mcp/notifications.h"
#include "dialect/write.h"
#include "jsv/base/text.h"
#include "mcp/check.h"

#define META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

#define META_SUGGESTION "Add \"" META_VERSION "\" and \"" META_CAPABILITIES "\" to params._meta"

static mcp_handler *const handlers[MCP_METHOD_COUNT] = {
#define MCP_HANDLER(method, handler) [MCP_METHOD_##method] = mcp_handle_##handler,
#include "dialect/mcp/handlers.def"
#undef MCP_HANDLER
};

enum mcp_version mcp_version_of(const struct dialect_req *req)
{
    return (enum mcp_version)req->variant;
}

bool mcp_is_modern(const struct dialect_req *req)
{
    return mcp_version_facts(mcp_version_of(req))->era == MCP_ERA_MODERN;
}

/* ---- params ---- */

static struct jsv_value *part_of(struct mcp_params *params, struct jsv_str name)
{
    return JSV_IS(name, "name")             ? &params->name
           : JSV_IS(name, "arguments")      ? &params->arguments
           : JSV_IS(name, "_meta")          ? &params->meta
           : JSV_IS(name, "uri")            ? &params->uri
           : JSV_IS(name, "requestState")   ? &params->request_state
           : JSV_IS(name, "inputResponses") ? &params->input_responses
                                            : NULL;
}

struct mcp_params mcp_params_find(struct jsv_value params)
{
    struct mcp_params found = {0};
    struct jsv_iter iter = jsv_value_iter(params);
    while (jsv_iter_next(&iter)) {
        struct jsv_value *part = part_of(&found, jsv_value_text(iter.key));
        if (part) {
            *part = iter.value;
        }
    }
    return found;
}

/* ---- recognising ---- */

static bool takes_batches(const struct dialect_session *session)
{
    return session && mcp_version_has(session->version, MCP_TRAIT_BATCH);
}

/* All JSON-RPC that no other dialect recognises; batches where the session allows them. Over HTTP
   the session is not known yet. */
static bool mcp_recognise(const struct dialect_req *req)
{
    switch (req->message.kind) {
    case RPC_REQUEST:
    case RPC_NOTIFICATION:
    case RPC_RESULT:
    case RPC_ERROR_ANSWER:
        return true;
    case RPC_BATCH:
        return mcp_is_endpoint(req) || takes_batches(*req->session);
    case RPC_FOREIGN:
        break;
    }
    return false;
}

/* ---- the version ---- */

static enum mcp_version legacy_version(const struct dialect_req *req)
{
    const struct dialect_session *session = *req->session;
    return session ? session->version : MCP_VERSION_NEWEST_LEGACY;
}

static bool answer_unsupported(struct dialect_req *req, struct jsv_value wanted)
{
    enum rpc_error error = RPC_ERROR_UNSUPPORTED_VERSION;
    mcp_set_status(req, error);
    struct jsv_writer writer =
        rpc_write_error(req->reply, &req->message, rpc_error_code(error), rpc_error_message(error));
    jsv_write_member_object_begin(&writer, JSV_STR("data"));
    jsv_write_member_array_begin(&writer, JSV_STR("supported"));
    jsv_write_string(&writer, jsv_str_from(mcp_version_name(MCP_VERSION_NEWEST)));
    jsv_write_array_end(&writer);
    mcp_write_member(&writer, JSV_STR("requested"), wanted);
    jsv_write_object_end(&writer);
    rpc_write_error_end(&writer);
    return false;
}

static bool answer_meta_missing(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details =
            JSV_STR("the request does not name its protocol version and client capabilities"),
        .suggestion = {META_SUGGESTION, sizeof(META_SUGGESTION) - 1},
        .cause = JSV_STR("/params/_meta"),
    };
    mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &fault);
    req->http_status = 400;
    return false;
}

/*
 * Decide on the version of a modern request.
 * @param name Of the version, in _meta.
 * @return whether the request may continue; else it is answered.
 */
static bool
decide_modern(struct dialect_req *req, const struct mcp_params *params, struct jsv_value name)
{
    struct jsv_value capabilities = jsv_value_get(params->meta, JSV_STR(META_CAPABILITIES));
    bool is_endpoint = mcp_is_endpoint(req);
    enum mcp_version version;
    req->variant = MCP_VERSION_NEWEST;
    bool is_request = req->message.kind == RPC_REQUEST;
    if (!is_request && jsv_value_type(name) == JSV_TYPE_NONE) {
        return mcp_check_version_header(req, jsv_str_from(mcp_version_name(req->variant)));
    }
    if (jsv_value_type(name) != JSV_TYPE_STRING ||
        (is_request && jsv_value_type(capabilities) != JSV_TYPE_OBJECT)) {
        return answer_meta_missing(req);
    }
    if (is_endpoint && !mcp_check_version_header(req, jsv_value_text(name))) {
        return false;
    }
    bool is_known = mcp_version_from_name(jsv_value_text(name), &version) == 0;
    if (!is_known || mcp_version_facts(version)->era != MCP_ERA_MODERN) {
        return answer_unsupported(req, name);
    }
    req->variant = version;
    return !is_endpoint || mcp_check_name_headers(req, params);
}

/* @param named The version header; NULL: not over HTTP. @return as decide_modern(). */
static bool decide_legacy(struct dialect_req *req, const struct mcp_version_header *named)
{
    req->variant = legacy_version(req);
    if (JSV_IS(req->message.method, "server/discover")) {
        req->variant = MCP_VERSION_NEWEST;
        return answer_meta_missing(req);
    }
    if (named && !mcp_find_session(req, named)) {
        return false;
    }
    req->variant = legacy_version(req);
    return true;
}

/*
 * Over HTTP the header counts, too; a notification may have nothing else.
 * @return as decide_modern().
 */
static bool decide_version(struct dialect_req *req, const struct mcp_params *params)
{
    struct jsv_value name = jsv_value_get(params->meta, JSV_STR(META_VERSION));
    if (jsv_value_type(name) != JSV_TYPE_NONE) {
        return decide_modern(req, params, name);
    }
    if (!mcp_is_endpoint(req)) {
        return decide_legacy(req, NULL);
    }
    struct mcp_version_header named = mcp_version_header(req->http);
    return mcp_header_is_modern(&named) ? decide_modern(req, params, name)
                                        : decide_legacy(req, &named);
}

/* ---- the definition ---- */

static enum dialect_step answer_not_found(struct dialect_req *req)
{
    const struct rpc_fault fault = {
        .message = dialect_message(req->scratch, JSV_STR("Method not found:"), req->message.method),
        .details = JSV_STR("unknown method"),
        .suggestion = JSV_STR("Use a method of the protocol version in use"),
        .cause = JSV_STR("/method"),
    };
    mcp_answer_fault(req, RPC_ERROR_METHOD_NOT_FOUND, &fault);
    if (req->message.kind == RPC_NOTIFICATION) {
        req->http_status = 202; /* it is ignored */
    }
    return DIALECT_DONE;
}

static enum dialect_step refuse_message(struct dialect_req *req, const struct mcp_verdict *verdict)
{
    if (verdict->code == MCP_CODE_METHOD_NOT_FOUND) {
        return answer_not_found(req);
    }
    enum rpc_error error = verdict->code == MCP_CODE_INVALID_PARAMS ? RPC_ERROR_INVALID_PARAMS
                                                                    : RPC_ERROR_INVALID_REQUEST;
    return mcp_answer_problems(req, error, JSV_STR(""), &verdict->problems);
}

static enum dialect_step
handle(struct dialect_req *req, const struct mcp_method *method, const struct mcp_params *params)
{
    mcp_handler *handler = method ? handlers[method->id] : NULL;
    if (!handler) {
        return answer_not_found(req);
    }
    bool has_params = jsv_value_type(req->message.params) == JSV_TYPE_OBJECT;
    struct mcp_exchange exchange = {
        .req = req,
        .version = mcp_version_of(req),
        .params = has_params ? req->message.params : req->empty_object,
        .parts = params,
    };
    return handler(&exchange);
}

static enum dialect_step open_batch(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("batches are not part of the protocol version in use"),
        .suggestion = JSV_STR("Send one message at a time"),
        .cause = JSV_STR(""),
    };
    req->variant = legacy_version(req);
    if (mcp_is_endpoint(req)) {
        struct mcp_version_header named = mcp_version_header(req->http);
        if (mcp_header_is_modern(&named)) {
            return mcp_answer_fault(req, RPC_ERROR_INVALID_REQUEST, &fault);
        }
        if (!mcp_find_session(req, &named)) {
            return DIALECT_DONE;
        }
    }
    if (!takes_batches(*req->session)) {
        return mcp_answer_fault(req, RPC_ERROR_INVALID_REQUEST, &fault);
    }
    return DIALECT_BATCH;
}

static enum dialect_step mcp_open(struct dialect_req *req)
{
    enum rpc_kind kind = req->message.kind;
    if (kind == RPC_BATCH) {
        return open_batch(req);
    }
    if (kind == RPC_RESULT || kind == RPC_ERROR_ANSWER) {
        return mcp_take_answer(req);
    }
    struct mcp_params params = mcp_params_find(req->message.params);
    if (!decide_version(req, &params)) {
        return DIALECT_DONE;
    }
    const struct mcp_check check = {
        .definitions = req->definitions,
        .version = mcp_version_of(req),
        .sender = MCP_SENDER_CLIENT,
        .validator = req->validator,
        .scratch = req->scratch,
    };
    struct mcp_verdict verdict;
    const struct rpc_message *message = &req->message;
    if (mcp_check_parts(&check, message->root, &message->members, &verdict) < 0) {
        return mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    }
    if (verdict.layer != MCP_LAYER_NONE) {
        return refuse_message(req, &verdict);
    }
    req->method = verdict.method;
    return handle(req, verdict.method, &params);
}

static void mcp_fail(struct dialect_req *req, struct jsv_str details)
{
    const struct rpc_fault fault = {
        .details = details,
        .suggestion = JSV_STR("Retry; if it persists, contact the operator"),
        .cause = JSV_STR(""),
    };
    mcp_answer_fault(req, RPC_ERROR_INTERNAL, &fault);
}

const struct dialect dialect_mcp = {
    .name = "mcp",
    .client = &mcp_notifications,
    .recognise = mcp_recognise,
    .open = mcp_open,
    .refuse = mcp_refuse,
    .render = mcp_render,
    .render_failure = mcp_render_failure,
    .end_listening = mcp_end_listening,
    .fail = mcp_fail,
};
