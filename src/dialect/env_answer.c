#include "dialect/env.h"
#include "dialect/mcp/mcp.h"
#include "dialect/problems.h"
#include "tools/result.h"

bool env_is_route(const struct dialect_request *request)
{
    return !dialect_is_open(request);
}

struct jsv_writer env_result_begin(struct dialect_request *request)
{
    return env_is_route(request) ? jsv_writer_on(request->reply)
                                 : rpc_write_result(request->reply, &request->message);
}

void env_result_end(const struct dialect_request *request, struct jsv_writer *writer)
{
    if (!env_is_route(request)) {
        rpc_write_result_end(writer);
    }
}

static void answer_error(
    struct dialect_request *request,
    const struct envelope_canonical_error *error,
    const struct jsv_buf *details)
{
    struct jsv_buf *reply = request->reply;
    struct jsv_str text = details->error == 0 ? jsv_buf_str(details) : JSV_STR("{}");
    request->http_status = error->http;
    if (env_is_route(request)) {
        envelope_canonical_write_http(error, text, reply);
        return;
    }
    struct jsv_writer writer =
        rpc_write_error(reply, &request->message, error->rpc, error->message);
    jsv_write_member_span(&writer, JSV_STR("data"), text);
    rpc_write_error_end(&writer);
}

enum dialect_step env_answer_fault(
    struct dialect_request *request,
    const struct envelope_canonical_error *error,
    const struct rpc_fault *fault)
{
    struct jsv_buf details;
    jsv_buf_init(&details, &request->reply->allocator, request->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&details);
    rpc_write_fault_data(&writer, fault);
    answer_error(request, error, &details);
    jsv_buf_done(&details);
    return DIALECT_DONE;
}

/* The tool is a program that failed: the canonical error, with the codes of what went wrong. */
void env_render_failure(struct dialect_request *request)
{
    const struct tool_call *call = request->call;
    struct jsv_buf details;
    jsv_buf_init(&details, &request->reply->allocator, request->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&details);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("details"), call->failure.message);
    jsv_write_member_string(
        &writer,
        JSV_STR("suggestion"),
        JSV_STR("Correct the arguments if an error names them; else contact the operator"));
    jsv_write_member_string(&writer, JSV_STR("cause"), JSV_STR(""));
    jsv_write_key(&writer, JSV_STR("errors"));
    if (tool_tells_errors(call)) {
        jsv_write_value(&writer, jsv_value_get(call->result.value, JSV_STR("errors")));
    } else {
        envelope_issues_write(&(struct envelope_issues){&call->failure, 1}, "details", &writer);
    }
    jsv_write_object_end(&writer);
    answer_error(request, envelope_canonical_get(ENVELOPE_CANONICAL_INTERNAL_ERROR), &details);
    jsv_buf_done(&details);
}

enum dialect_step env_answer_problems(
    struct dialect_request *request,
    const struct envelope_canonical_error *error,
    struct jsv_str prefix,
    const struct jsv_problems *problems)
{
    struct jsv_buf details;
    jsv_buf_init(&details, &request->reply->allocator, request->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&details);
    dialect_write_problems(&writer, prefix, problems);
    answer_error(request, error, &details);
    jsv_buf_done(&details);
    return DIALECT_DONE;
}
