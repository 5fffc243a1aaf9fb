/*
 * Prompts, and completion of arguments of prompts and of resource templates.
 */
#include <string.h>

#include "dialect/mcp/provider.h"
#include "dialect/write.h"

/* The most values of a completion, by the protocol. */
#define COMPLETIONS_MAX 100

/* ---- prompts/list ---- */

static void
write_prompt(const struct mcp_exchange *exchange, size_t index, struct jsv_writer *writer)
{
    const struct dialect_req *req = exchange->req;
    req->provider->write_prompt(req->catalog, index, exchange->version, writer);
}

enum dialect_step mcp_handle_prompts_list(struct mcp_exchange *exchange)
{
    size_t count = exchange->req->provider->prompt_count(exchange->req->catalog);
    return mcp_answer_list(exchange, JSV_STR("prompts"), count, write_prompt);
}

/* ---- prompts/get ---- */

static enum dialect_step unknown_prompt(struct dialect_req *req, struct jsv_str name)
{
    const struct rpc_fault fault = {
        .message = dialect_message(req->scratch, JSV_STR("Unknown prompt"), name),
        .details = JSV_STR("unknown prompt"),
        .suggestion = JSV_STR("Use a name that prompts/list returns"),
        .cause = JSV_STR("/params/name"),
    };
    return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &fault);
}

static enum dialect_step argument_missing(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("an argument of the prompt is missing"),
        .suggestion = JSV_STR("Give all arguments that prompts/list says are required"),
        .cause = JSV_STR("/params/arguments"),
    };
    return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &fault);
}

/* Only modern clients can be asked while a prompt is made. */
static enum dialect_step ask_for_prompt(struct dialect_req *req, struct jsv_str questions)
{
    struct jsv_value root;
    if (!mcp_is_modern(req)) {
        return mcp_answer_error(
            req, RPC_ERROR_INVALID_PARAMS, JSV_STR("this prompt needs a newer protocol version"));
    }
    if (req->host->read(req, questions, &root) < 0) {
        return mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    }
    (void)mcp_ask(req, root, JSV_STR(""));
    return DIALECT_DONE;
}

static enum dialect_step answer_prompt(struct mcp_prompt_call *call)
{
    struct dialect_req *req = call->req;
    switch (req->provider->get_prompt(call)) {
    case MCP_PROMPT_UNKNOWN:
        return unknown_prompt(req, call->name);
    case MCP_PROMPT_INCOMPLETE:
        return argument_missing(req);
    case MCP_PROMPT_ASK:
        return ask_for_prompt(req, jsv_buf_str(call->out));
    case MCP_PROMPT_DONE:
        break;
    }
    if (call->out->error < 0) {
        return mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    }
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_span(&writer, JSV_STR("messages"), jsv_buf_str(call->out));
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

enum dialect_step mcp_handle_prompts_get(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    struct jsv_value arguments = exchange->parts->arguments;
    if (!mcp_take_inputs(exchange)) {
        return DIALECT_DONE;
    }
    struct jsv_buf out;
    jsv_buf_init(&out, &req->reply->allocator, req->reply->size_max);
    struct mcp_prompt_call call = {
        .req = req,
        .name = jsv_value_text(exchange->parts->name),
        .arguments = arguments,
        .inputs = req->inputs,
        .out = &out,
    };
    enum dialect_step step = answer_prompt(&call);
    jsv_buf_done(&out);
    return step;
}

/* ---- completion/complete ---- */

void mcp_completion_offer(struct mcp_completion *completion, struct jsv_str value)
{
    struct jsv_str prefix = completion->prefix;
    bool fits = value.size >= prefix.size &&
                (prefix.size == 0 || memcmp(value.data, prefix.data, prefix.size) == 0);
    if (fits && completion->total++ < COMPLETIONS_MAX) {
        jsv_write_string(completion->values, value);
    }
}

static enum dialect_step unknown_reference(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("unknown prompt or template"),
        .suggestion = JSV_STR("Name a prompt, or a template that resources/templates/list returns"),
        .cause = JSV_STR("/params/ref"),
    };
    return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &fault);
}

static void write_completion(
    struct dialect_req *req, const struct mcp_completion *completion, struct jsv_str values)
{
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_object_begin(&writer, JSV_STR("completion"));
    jsv_write_member_span(&writer, JSV_STR("values"), values);
    jsv_write_member_uint64(&writer, JSV_STR("total"), completion->total);
    jsv_write_member_bool(&writer, JSV_STR("hasMore"), completion->total > COMPLETIONS_MAX);
    jsv_write_object_end(&writer);
    mcp_result_end(&writer);
}

enum dialect_step mcp_handle_complete(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    struct jsv_value argument = jsv_value_get(exchange->params, JSV_STR("argument"));
    struct jsv_buf values;
    jsv_buf_init(&values, &req->reply->allocator, req->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&values);
    struct mcp_completion completion = {
        .catalog = req->catalog,
        .reference = jsv_value_get(exchange->params, JSV_STR("ref")),
        .argument = jsv_value_text(jsv_value_get(argument, JSV_STR("name"))),
        .prefix = jsv_value_text(jsv_value_get(argument, JSV_STR("value"))),
        .values = &writer,
    };
    jsv_write_array_begin(&writer);
    bool is_known = req->provider->complete(&completion);
    jsv_write_array_end(&writer);
    if (!is_known) {
        unknown_reference(req);
    } else if (values.error < 0) {
        mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    } else {
        write_completion(req, &completion, jsv_buf_str(&values));
    }
    jsv_buf_done(&values);
    return DIALECT_DONE;
}
