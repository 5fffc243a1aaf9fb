#include "dialect/env.h"
#include "dialect/problems.h"

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
    jsv_write_key(&writer, JSV_STR("data"));
    jsv_write_span(&writer, text);
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
