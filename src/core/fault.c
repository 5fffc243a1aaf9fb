/*
 * Dialects have five ways of saying no:
 *
 *     {"jsonrpc":…,"error":{"code":-32001,"message":…,"data":…}}      JSON-RPC
 *     {"error":{"code":"TOOL_NOT_FOUND","message":…,"details":…}}     endpoints of HTTP
 *     {"jsonrpc":…,"result":{"ok":false,"reason":…,"errors":[…]}}     tools
 *     {…,"status":{"code":"error",…},"errors":[{"code":…}]}           response envelopes
 *     {"schema_version":…,"errors":[{"code":…}]}                      envelopes, also as results
 *
 * Reading every answer again would cost as much as making it. One whose tool
 * did its work is good; of the others, those of JSON-RPC tell in their first
 * bytes.
 */
#include "core/fault.h"

#include <stdio.h>
#include <string.h>

#include "core/request.h"
#include "core/worker_state.h"
#include "envelope/canonical.h"
#include "jsv/base/ascii.h"

/* ---- whether to look ---- */

/* Dialects that answer a message themselves only when they refuse it. */
static bool is_refusal(const struct core_request *request)
{
    return request->asked.dialect == &dialect_syn;
}

static bool may_be_fault(const struct core_request *request)
{
    struct jsv_str reply = jsv_buf_str(&request->reply);
    bool is_rpc = request->asked.message.kind != RPC_FOREIGN;
    switch (request->stopped) {
    case CORE_STAGE_RENDER:
        return request->call.verdict == TOOL_VERDICT_FAILED || request->call.failure.code.data ||
               request->asked.http_status >= 400;
    case CORE_STAGE_DIALECT:
        return is_refusal(request) || request->asked.http_status >= 400 || !is_rpc ||
               rpc_is_error(reply, &request->asked.message);
    case CORE_STAGE_FRAME:
    case CORE_STAGE_JSON:
    case CORE_STAGE_RPC:
    case CORE_STAGE_TURN:
    case CORE_STAGE_INPUT:
    case CORE_STAGE_TOOL:
    case CORE_STAGE_OUTPUT:
    case CORE_STAGE_ANSWER:
        break;
    }
    return true;
}

/* ---- names ---- */

/* "Method not found" is METHOD_NOT_FOUND. */
static void name_by_message(struct core_fault *fault, struct jsv_str message)
{
    size_t size = message.size < CORE_FAULT_NAME_SIZE ? message.size : CORE_FAULT_NAME_SIZE - 1;
    for (size_t i = 0; i < size; i++) {
        char c = message.data[i];
        bool is_lower = c >= 'a' && c <= 'z';
        fault->name[i] = is_lower ? (char)(c - ('a' - 'A')) : jsv_is_alnum(c) ? c : '_';
    }
    fault->name[size] = '\0';
    fault->code = jsv_str_from(fault->name);
}

/* An error of JSON-RPC by its number: a canonical one, or one of the protocol's own. */
static void name_by_number(struct core_fault *fault, struct jsv_value number)
{
    int64_t code = 0;
    (void)jsv_value_int64(number, &code);
    for (unsigned i = 0; i < ENVELOPE_CANONICALS; i++) {
        const struct envelope_canonical_error *error = envelope_canonical_get(i);
        if (error->rpc == code && jsv_str_equal(error->message, fault->message)) {
            fault->code = error->name;
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
            name_by_message(fault, rpc_error_message(errors[i]));
            return;
        }
    }
    name_by_message(fault, JSV_STR("error"));
}

static bool is_status_char(char c)
{
    return jsv_is_alnum(c) || c == '_' || c == '.' || c == '-';
}

/* Codes and messages of external tools may be empty or hold anything; log lines must not. */
static void finish(struct core_fault *fault)
{
    if (fault->code.size == 0) {
        fault->code = JSV_STR("ERROR");
    }
    if (fault->message.size == 0) {
        fault->message = fault->code;
    }
    size_t size =
        fault->code.size < CORE_FAULT_NAME_SIZE ? fault->code.size : CORE_FAULT_NAME_SIZE - 1;
    for (size_t i = 0; i < size; i++) {
        char c = jsv_to_lower(fault->code.data[i]);
        fault->status[i] = is_status_char(c) ? c : '_';
    }
    fault->status[size] = '\0';
}

/* ---- the ways of saying no ---- */

static struct jsv_value member(struct jsv_value object, const char *name)
{
    return jsv_value_get(object, jsv_str_from(name));
}

static struct jsv_str text_of(struct jsv_value object, const char *name)
{
    return jsv_value_text(member(object, name));
}

/* What the details tell of the first problem. */
static void find_problem(struct core_fault *fault, struct jsv_value details)
{
    struct jsv_value first = jsv_value_at(member(details, "errors"), 0);
    fault->pointer = text_of(details, "validationPath");
    fault->schema_path = text_of(details, "schemaPath");
    fault->problem = text_of(details, "validationError");
    if (!fault->problem.data && jsv_value_type(first) == JSV_TYPE_OBJECT) {
        fault->pointer = text_of(first, "path");
        fault->problem = text_of(first, "msg");
    }
    if (!fault->problem.data) {
        fault->problem = text_of(details, "details");
        fault->pointer = text_of(details, "cause");
    }
}

static bool take_error(struct core_fault *fault, struct jsv_value error)
{
    if (jsv_value_type(error) != JSV_TYPE_OBJECT) {
        return false;
    }
    struct jsv_value data = member(error, "data");
    fault->message = text_of(error, "message");
    fault->details = jsv_value_type(data) == JSV_TYPE_NONE ? member(error, "details") : data;
    fault->code = text_of(error, "code");
    if (!fault->code.data) {
        name_by_number(fault, member(error, "code"));
    }
    find_problem(fault, fault->details);
    return true;
}

/* {"ok":false,"reason":…}: upper case, as codes are. */
static bool take_result(struct core_fault *fault, struct jsv_value result)
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
    name_by_message(fault, reason.size > 0 ? reason : JSV_STR("failed"));
    fault->details = result;
    find_problem(fault, result);
    fault->message = detail.size > 0 ? detail : fault->problem.size > 0 ? fault->problem : reason;
    return true;
}

/* Of envelopes: the first of their errors. */
static bool take_issue(struct core_fault *fault, struct jsv_value root)
{
    struct jsv_value issue = jsv_value_at(member(root, "errors"), 0);
    if (jsv_value_type(issue) != JSV_TYPE_OBJECT) {
        return false;
    }
    struct jsv_value details = member(issue, "details");
    if (jsv_value_type(details) == JSV_TYPE_NONE) {
        details = member(issue, "detail"); /* of response envelopes */
    }
    fault->code = text_of(issue, "code");
    fault->message = text_of(issue, "message");
    fault->details = details;
    fault->pointer = text_of(details, "path");
    fault->schema_path = text_of(details, "schema_path");
    if (!fault->pointer.data) {
        fault->pointer = text_of(issue, "path");
    }
    return fault->code.data;
}

static bool take_any(struct core_fault *fault, struct jsv_value root)
{
    struct jsv_value result = member(root, "result");
    return take_error(fault, member(root, "error")) || take_result(fault, result) ||
           take_issue(fault, root) || take_issue(fault, result) ||
           take_issue(fault, member(result, "structuredContent")) || take_result(fault, root);
}

/* The official protocol has refused arguments in a text for people. */
static bool take_input(struct core_fault *fault, const struct core_request *request)
{
    if (request->stopped != CORE_STAGE_INPUT || !request->mismatch.message.data) {
        return false;
    }
    fault->code = JSV_STR("VALIDATION_FAILED");
    fault->message = fault->problem = request->mismatch.message;
    fault->pointer = request->mismatch.pointer;
    fault->schema_path = request->mismatch.schema_path;
    return true;
}

/*
 * The official protocol tells of a failure in a text for people; the code is
 * the call's, whose own text may be gone by now.
 */
static bool
take_failure(struct core_fault *fault, struct jsv_value root, const struct tool_call *call)
{
    struct jsv_value content = member(member(root, "result"), "content");
    fault->code = call->failure.code;
    fault->message = text_of(jsv_value_at(content, 0), "text");
    return fault->code.data;
}

void core_fault_find(struct core_request *request, struct core_fault *ret_fault)
{
    struct core_worker *worker = request->worker;
    *ret_fault = (struct core_fault){.status = "ok"};
    if (request->reply.size == 0 || !may_be_fault(request)) {
        return;
    }
    struct jsv_error error;
    int r =
        jsv_read(worker->output_reader, worker->output, jsv_buf_str(&request->reply), 0, &error);
    struct jsv_value root = jsv_document_root(worker->output);
    if (r < 0) {
        ret_fault->code = JSV_STR("INTERNAL_ERROR");
        ret_fault->message = JSV_STR("Internal error");
        finish(ret_fault);
    } else if (
        take_any(ret_fault, root) || take_input(ret_fault, request) ||
        take_failure(ret_fault, root, &request->call)) {
        finish(ret_fault);
    }
}
