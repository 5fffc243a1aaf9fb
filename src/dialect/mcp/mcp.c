/*
 * Which version does a message speak, does it fit that version's definition,
 * and who answers it.
 *
 * Two eras share one connection. A request that names its version in
 * params._meta is modern and stands for itself. All others are legacy, and
 * speak what initialize settled, or the newest legacy version before that.
 */
#include "dialect/mcp/ask.h"
#include "dialect/mcp/http.h"
#include "dialect/mcp/talk.h"
#include "dialect/write.h"
#include "jsv/base/append.h"
#include "jsv/base/literal.h"
#include "jsv/base/utf8.h"
#include "log/text.h"
#include "mcp/check.h"
#include "tools/result.h"

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

static bool takes_batches(const struct dialect_session *session)
{
    return session && mcp_version_has(session->version, MCP_TRAIT_BATCH);
}

/* Whatever JSON-RPC is left over by others; batches where the session allows them, which over HTTP
   is known only when the session is. */
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
        .details = JSV_STR("a request names its protocol version and client capabilities"),
        .suggestion = {META_SUGGESTION, sizeof(META_SUGGESTION) - 1},
        .cause = JSV_STR("/params/_meta"),
    };
    mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &fault);
    req->http_status = 400;
    return false;
}

/*
 * Find out what a modern request speaks.
 * @param name Of the version, in the params' _meta.
 * @return whether it may go on; else it is answered.
 */
static bool
settle_modern(struct dialect_req *req, const struct mcp_params *params, struct jsv_value name)
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

/* @param named What the header says; NULL: there are none. @return as settle_version(). */
static bool settle_legacy(struct dialect_req *req, const struct mcp_version_header *named)
{
    req->variant = legacy_version(req);
    if (JSV_IS(req->message.method, "server/discover")) {
        req->variant = MCP_VERSION_NEWEST;
        return answer_meta_missing(req);
    }
    if (named && !mcp_settle_session(req, named)) {
        return false;
    }
    req->variant = legacy_version(req);
    return true;
}

/*
 * Over HTTP the header tells, too: of a notification it may be all that does.
 * @return whether the request may go on; else it is answered.
 */
static bool settle_version(struct dialect_req *req, const struct mcp_params *params)
{
    struct jsv_value name = jsv_value_get(params->meta, JSV_STR(META_VERSION));
    if (jsv_value_type(name) != JSV_TYPE_NONE) {
        return settle_modern(req, params, name);
    }
    if (!mcp_is_endpoint(req)) {
        return settle_legacy(req, NULL);
    }
    struct mcp_version_header named = mcp_version_header(req->http);
    return mcp_header_is_modern(&named) ? settle_modern(req, params, name)
                                        : settle_legacy(req, &named);
}

/* ---- the definition ---- */

static struct mcp_check check_for(struct dialect_req *req)
{
    return (struct mcp_check){
        .definitions = req->definitions,
        .version = mcp_version_of(req),
        .sender = MCP_SENDER_CLIENT,
        .validator = req->validator,
        .scratch = req->scratch,
    };
}

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
        req->http_status = 202; /* it is ignored, and nobody is told */
    }
    return DIALECT_DONE;
}

static enum dialect_step answer_verdict(struct dialect_req *req, const struct mcp_verdict *verdict)
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
        if (!mcp_settle_session(req, &named)) {
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
    if (!settle_version(req, &params)) {
        return DIALECT_DONE;
    }
    struct mcp_check check = check_for(req);
    struct mcp_verdict verdict;
    const struct rpc_message *message = &req->message;
    if (mcp_check_parts(&check, message->root, &message->members, &verdict) < 0) {
        return mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    }
    if (verdict.layer != MCP_LAYER_NONE) {
        return answer_verdict(req, &verdict);
    }
    req->method = verdict.method;
    return handle(req, verdict.method, &params);
}

/* ---- the outcome of a tool ---- */

static void end_call_result(struct jsv_writer *writer, bool is_error)
{
    if (is_error) {
        JSV_PUT(writer->out, ",\"isError\":true");
    } else {
        JSV_PUT(writer->out, ",\"isError\":false");
    }
    mcp_result_end(writer);
}

static void write_call_result(struct dialect_req *req, struct jsv_str result, bool is_error)
{
    struct jsv_writer writer = mcp_result_begin(req);
    mcp_write_text_content(&writer, result);
    if (mcp_version_of(req) >= MCP_VERSION_2025_06_18) {
        JSV_PUT(writer.out, ",\"structuredContent\":");
        jsv_put(writer.out, result.data, result.size);
    }
    end_call_result(&writer, is_error);
}

static void write_text_result(struct dialect_req *req, struct jsv_str text, bool is_error)
{
    struct jsv_writer writer = mcp_result_begin(req);
    mcp_write_text_content(&writer, text);
    end_call_result(&writer, is_error);
}

/* What a program has put out, as text. */
static void write_output_block(struct jsv_writer *writer, const struct tool_call *call)
{
    if (call->result.kind == ENVELOPE_RESULT_JSON) {
        mcp_write_text_block(writer, jsv_buf_str(call->out));
        return;
    }
    struct jsv_buf text;
    jsv_buf_init(&text, &writer->out->allocator, writer->out->size_max);
    if (jsv_utf8_append_repaired(&text, call->result.bytes) == 0) {
        mcp_write_text_block(writer, jsv_buf_str(&text));
    } else if (writer->out->error == 0) {
        writer->out->error = text.error;
    }
    jsv_buf_done(&text);
}

/* What is no JSON object has no place but in the text. */
static void write_unstructured(struct dialect_req *req, bool is_error)
{
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_array_begin(&writer, JSV_STR("content"));
    write_output_block(&writer, req->call);
    jsv_write_array_end(&writer);
    end_call_result(&writer, is_error);
}

/* What a tool has written in the protocol's own words goes out as it is. */
static void write_blocks(struct dialect_req *req, struct jsv_str blocks, bool is_error)
{
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_span(&writer, JSV_STR("content"), blocks);
    end_call_result(&writer, is_error);
}

static void mcp_render(struct dialect_req *req, struct jsv_str result, enum tool_verdict verdict)
{
    bool is_error = verdict == TOOL_VERDICT_FAILED;
    if (req->tool->is_content) {
        write_blocks(req, result, is_error);
    } else if (result.size > 0 && result.data[0] == '{') {
        write_call_result(req, result, is_error);
    } else {
        write_unstructured(req, is_error);
    }
}

/* The failure, then what the program had put out; nothing of it is structured as promised. */
static void mcp_render_failure(struct dialect_req *req)
{
    const struct tool_call *call = req->call;
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_array_begin(&writer, JSV_STR("content"));
    if (!tool_tells_errors(call)) {
        mcp_write_text_block(&writer, call->failure.message);
    }
    if (call->result.kind != ENVELOPE_RESULT_NONE) {
        write_output_block(&writer, call);
    }
    jsv_write_array_end(&writer);
    end_call_result(&writer, true);
}

/*
 * A refusal as a result, in the words of the tool's own failures. It is no output of the tool, so
 * it is not structured: clients would hold it against the tool's output schema.
 */
static void refuse_by_result(struct dialect_req *req, const struct jsv_problems *problems)
{
    struct jsv_buf text;
    jsv_buf_init(&text, &req->reply->allocator, req->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&text);
    tool_write_invalid(&writer, problems);
    if (text.error == 0) {
        write_text_result(req, jsv_buf_str(&text), true);
    } else {
        mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    }
    jsv_buf_done(&text);
}

static void mcp_refuse(struct dialect_req *req, const struct jsv_problems *problems)
{
    if (mcp_version_has(mcp_version_of(req), MCP_TRAIT_BAD_ARGUMENTS_ARE_RESULTS)) {
        refuse_by_result(req, problems);
    } else {
        mcp_answer_problems(req, RPC_ERROR_INVALID_PARAMS, JSV_STR("/params/arguments"), problems);
    }
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
