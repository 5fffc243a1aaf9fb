/*
 * What a finished request was about, and how it ended, read from the message
 * and from the answer.
 *
 * Dialects report errors in five formats:
 *
 *     {"jsonrpc":…,"error":{"code":-32001,"message":…,"data":…}}      JSON-RPC
 *     {"error":{"code":"TOOL_NOT_FOUND","message":…,"details":…}}     HTTP endpoints
 *     {"jsonrpc":…,"result":{"ok":false,"reason":…,"errors":[…]}}     tools
 *     {…,"status":{"code":"error",…},"errors":[{"code":…}]}           response envelopes
 *     {"schema_version":…,"errors":[{"code":…}]}                      envelopes, also as results
 *
 * Reading every answer again would cost as much as writing it. So answers are
 * only read when their tool failed, or when their first bytes are those of a
 * JSON-RPC error.
 */
#include "core/outcome.h"

#include <stdio.h>
#include <string.h>

#include "core/request.h"
#include "core/worker_state.h"
#include "envelope/canonical.h"
#include "envelope/invoke.h"
#include "jsv/base/ascii.h"

/* ---- the subject ---- */

/* The name in the path of an ENV endpoint. */
static struct jsv_str name_in_path(const struct dialect_req *req)
{
    struct jsv_str none = {NULL, 0};
    return req->http && req->http->parameter.size > 0 ? req->http->parameter : none;
}

static void read_env(const struct dialect_req *req, struct core_subject *subject)
{
    struct jsv_value params = req->message.params;
    if (jsv_str_equal(subject->method, JSV_STR("mcp.discover"))) {
        subject->seed = CORE_SEED_DISCOVER;
        subject->route = JSV_STR("discover");
    } else if (jsv_str_equal(subject->method, JSV_STR("mcp.prompt.get"))) {
        struct jsv_str id = name_in_path(req);
        subject->seed = CORE_SEED_PROMPT;
        subject->route = JSV_STR("prompt");
        subject->prompt_id =
            id.data ? id : jsv_value_text(jsv_value_get(params, JSV_STR("promptId")));
    } else if (jsv_str_equal(subject->method, JSV_STR("mcp.tool.invoke"))) {
        struct envelope_invoke invoke = {.tool_id = {NULL, 0}};
        struct jsv_problem problem;
        subject->route = JSV_STR("tool");
        if (envelope_invoke_read(params, name_in_path(req), &invoke, &problem)) {
            subject->seed = CORE_SEED_TOOL;
            subject->tool_id = invoke.tool_id;
            subject->payload = invoke.arguments;
        }
    }
}

static void read_ref(struct jsv_value root, struct core_subject *subject)
{
    subject->method = subject->tool_id = jsv_value_text(jsv_value_get(root, JSV_STR("tool")));
    subject->payload = jsv_value_get(root, JSV_STR("payload"));
    subject->meta = jsv_value_get(root, JSV_STR("context"));
}

static void read_policy(struct jsv_value root, struct core_subject *subject)
{
    struct jsv_value tool = jsv_value_get(root, JSV_STR("tool"));
    subject->method = subject->tool_id = jsv_value_text(jsv_value_get(tool, JSV_STR("name")));
    subject->payload = jsv_value_get(root, JSV_STR("params"));
    subject->meta = jsv_value_get(subject->payload, JSV_STR("_meta"));
}

struct core_subject core_subject_of(const struct core_request *request)
{
    const struct dialect_req *req = &request->req;
    const struct dialect *dialect = req->dialect;
    struct core_subject subject = {
        .seed = dialect ? CORE_SEED_PLAIN : CORE_SEED_UNREAD,
        .route = {dialect ? dialect->name : NULL, dialect ? strlen(dialect->name) : 0},
        .method = req->message.method,
        .payload = req->message.params,
        .meta = jsv_value_get(req->message.params, JSV_STR("_meta")),
    };
    if (dialect == &dialect_env) {
        read_env(req, &subject);
    } else if (dialect == &dialect_ref) {
        read_ref(req->message.root, &subject);
    } else if (dialect == &dialect_policy) {
        read_policy(req->message.root, &subject);
    } else if (req->tool) {
        subject.tool_id = req->tool->name;
    }
    return subject;
}

static struct jsv_str header_of(const struct rpc_http *http, struct jsv_str name)
{
    struct jsv_str value;
    bool is_there = http->header(http, name, &value) == RPC_HEADER_FOUND;
    return is_there ? value : (struct jsv_str){NULL, 0};
}

struct log_trace_context core_trace_of(const struct core_request *request, struct jsv_value meta)
{
    const struct rpc_http *http = request->req.http;
    struct log_trace_context trace = log_trace_context_of(
        jsv_value_text(jsv_value_get(meta, JSV_STR("traceparent"))),
        jsv_value_text(jsv_value_get(meta, JSV_STR("tracestate"))));
    if (!trace.parent.data && http) {
        trace = log_trace_context_of(
            header_of(http, JSV_STR("traceparent")), header_of(http, JSV_STR("tracestate")));
    }
    return trace;
}

/* ---- whether to read the answer ---- */

static bool may_be_error(const struct core_request *request)
{
    struct jsv_str reply = jsv_buf_str(&request->reply);
    bool is_rpc = request->req.message.kind != RPC_FOREIGN;
    bool is_bad = request->req.http_status >= 400;
    if (request->stopped == CORE_STAGE_RENDER) {
        return request->call.verdict == TOOL_VERDICT_FAILED || request->call.failure.code.data ||
               is_bad;
    }
    if (request->stopped == CORE_STAGE_DIALECT) {
        bool is_refusal = request->req.dialect == &dialect_syn; /* its tools write the results */
        return is_refusal || is_bad || !is_rpc || rpc_is_error(reply, &request->req.message);
    }
    return true;
}

/* ---- error names ---- */

/* METHOD_NOT_FOUND for "Method not found". */
static void name_by_message(struct core_error *found, struct jsv_str message)
{
    size_t size = message.size < CORE_ERROR_NAME_SIZE ? message.size : CORE_ERROR_NAME_SIZE - 1;
    for (size_t i = 0; i < size; i++) {
        char c = message.data[i];
        bool is_lower = c >= 'a' && c <= 'z';
        found->name[i] = is_lower ? (char)(c - ('a' - 'A')) : jsv_is_alnum(c) ? c : '_';
    }
    found->name[size] = '\0';
    found->code = jsv_str_from(found->name);
}

/* The name of a JSON-RPC error code: canonical, or of the protocol. */
static void name_by_number(struct core_error *found, struct jsv_value number)
{
    int64_t code = 0;
    (void)jsv_value_int64(number, &code);
    for (unsigned i = 0; i < ENVELOPE_CANONICALS; i++) {
        const struct envelope_canonical_error *error = envelope_canonical_get(i);
        if (error->rpc == code && jsv_str_equal(error->message, found->message)) {
            found->code = error->name;
            return;
        }
    }
    static const enum rpc_error errors[] = {
#define RPC_ERROR(name, code, status, message) RPC_ERROR_##name,
#include "rpc/errors.def"
#undef RPC_ERROR
    };
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (rpc_error_code(errors[i]) == code) {
            name_by_message(found, rpc_error_message(errors[i]));
            return;
        }
    }
    name_by_message(found, JSV_STR("error"));
}

static bool is_status_char(char c)
{
    return jsv_is_alnum(c) || c == '_' || c == '.' || c == '-';
}

/* External tools may send empty codes and messages, or any characters; log lines must not. */
static void finish(struct core_error *found)
{
    if (found->code.size == 0) {
        found->code = JSV_STR("ERROR");
    }
    if (found->message.size == 0) {
        found->message = found->code;
    }
    size_t size =
        found->code.size < CORE_ERROR_NAME_SIZE ? found->code.size : CORE_ERROR_NAME_SIZE - 1;
    for (size_t i = 0; i < size; i++) {
        char c = jsv_to_lower(found->code.data[i]);
        found->status[i] = is_status_char(c) ? c : '_';
    }
    found->status[size] = '\0';
}

/* ---- formats ---- */

static struct jsv_value member(struct jsv_value object, const char *name)
{
    return jsv_value_get(object, jsv_str_from(name));
}

static struct jsv_str text_of(struct jsv_value object, const char *name)
{
    return jsv_value_text(member(object, name));
}

/* The first problem in the details. */
static void find_problem(struct core_error *found, struct jsv_value details)
{
    struct jsv_value first = jsv_value_at(member(details, "errors"), 0);
    found->pointer = text_of(details, "validationPath");
    found->schema_path = text_of(details, "schemaPath");
    found->problem = text_of(details, "validationError");
    if (!found->problem.data && jsv_value_type(first) == JSV_TYPE_OBJECT) {
        found->pointer = text_of(first, "path");
        found->problem = text_of(first, "msg");
    }
    if (!found->problem.data) {
        found->problem = text_of(details, "details");
        found->pointer = text_of(details, "cause");
    }
}

static bool read_error(struct core_error *found, struct jsv_value error)
{
    if (jsv_value_type(error) != JSV_TYPE_OBJECT) {
        return false;
    }
    struct jsv_value data = member(error, "data");
    found->message = text_of(error, "message");
    found->details = jsv_value_type(data) == JSV_TYPE_NONE ? member(error, "details") : data;
    found->code = text_of(error, "code");
    if (!found->code.data) {
        name_by_number(found, member(error, "code"));
    }
    find_problem(found, found->details);
    return true;
}

/* {"ok":false,"reason":…}; the reason in upper case is the code. */
static bool read_result(struct core_error *found, struct jsv_value result)
{
    struct jsv_value structured = member(result, "structuredContent");
    struct jsv_value output = member(result, "output");
    result = jsv_value_type(structured) == JSV_TYPE_OBJECT ? structured
             : jsv_value_type(output) == JSV_TYPE_OBJECT   ? output
                                                           : result;
    struct jsv_value ok = member(result, "ok");
    if (jsv_value_type(ok) != JSV_TYPE_BOOLEAN || jsv_value_bool(ok)) {
        return false;
    }
    struct jsv_str reason = text_of(result, "reason");
    struct jsv_str detail = text_of(result, "detail");
    name_by_message(found, reason.size > 0 ? reason : JSV_STR("failed"));
    found->details = result;
    find_problem(found, result);
    found->message = detail.size > 0 ? detail : found->problem.size > 0 ? found->problem : reason;
    return true;
}

/* Envelopes: the first of their errors. */
static bool read_issue(struct core_error *found, struct jsv_value root)
{
    struct jsv_value issue = jsv_value_at(member(root, "errors"), 0);
    if (jsv_value_type(issue) != JSV_TYPE_OBJECT) {
        return false;
    }
    struct jsv_value details = member(issue, "details");
    if (jsv_value_type(details) == JSV_TYPE_NONE) {
        details = member(issue, "detail"); /* response envelopes */
    }
    found->code = text_of(issue, "code");
    found->message = text_of(issue, "message");
    found->details = details;
    found->pointer = text_of(details, "path");
    found->schema_path = text_of(details, "schema_path");
    if (!found->pointer.data) {
        found->pointer = text_of(issue, "path");
    }
    return found->code.data;
}

static bool read_any(struct core_error *found, struct jsv_value root)
{
    struct jsv_value result = member(root, "result");
    return read_error(found, member(root, "error")) || read_result(found, result) ||
           read_issue(found, root) || read_issue(found, result) ||
           read_issue(found, member(result, "structuredContent")) || read_result(found, root);
}

/* MCP reports refused arguments as text only, so what the check found is used. */
static bool read_input(struct core_error *found, const struct core_request *request)
{
    if (request->stopped != CORE_STAGE_INPUT || !request->mismatch.message.data) {
        return false;
    }
    found->code = JSV_STR("VALIDATION_FAILED");
    found->message = found->problem = request->mismatch.message;
    found->pointer = request->mismatch.pointer;
    found->schema_path = request->mismatch.schema_path;
    return true;
}

/* MCP reports a failed tool as text only. The code is the call's; its message may be freed. */
static bool
read_failure(struct core_error *found, struct jsv_value root, const struct tool_call *call)
{
    struct jsv_value content = member(member(root, "result"), "content");
    found->code = call->failure.code;
    found->message = text_of(jsv_value_at(content, 0), "text");
    return found->code.data;
}

void core_error_find(struct core_request *request, struct core_error *ret_error)
{
    struct core_worker *worker = request->worker;
    *ret_error = (struct core_error){.status = "ok"};
    if (request->reply.size == 0 || !may_be_error(request)) {
        return;
    }
    struct jsv_error error;
    int r =
        jsv_read(worker->output_reader, worker->output, jsv_buf_str(&request->reply), 0, &error);
    struct jsv_value root = jsv_document_root(worker->output);
    if (r < 0) {
        ret_error->code = JSV_STR("INTERNAL_ERROR");
        ret_error->message = JSV_STR("Internal error");
        finish(ret_error);
    } else if (
        read_any(ret_error, root) || read_input(ret_error, request) ||
        read_failure(ret_error, root, &request->call)) {
        finish(ret_error);
    }
}
