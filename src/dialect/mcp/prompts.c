/*
 * Prompts listed and filled in, and what could be filled in: completion, which
 * serves the templates of resources, too.
 */
#include <string.h>

#include "dialect/mcp/ask.h"
#include "dialect/mcp/page.h"
#include "dialect/mcp/provider.h"
#include "dialect/write.h"

/* Values a completion lists at most, as the protocol has it. */
#define COMPLETIONS_MAX 100

/* ---- prompts/list ---- */

enum dialect_step mcp_handle_prompts_list(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    size_t count = req->provider->prompt_count(req->catalog);
    size_t first;
    size_t end;
    if (!mcp_page_find(exchange, count, &first, &end)) {
        return mcp_answer_bad_cursor(req);
    }
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_array_begin(&writer, JSV_STR("prompts"));
    for (size_t i = first; i < end; i++) {
        req->provider->write_prompt(req->catalog, i, exchange->version, &writer);
    }
    jsv_write_array_end(&writer);
    mcp_write_next_page(&writer, count, end);
    mcp_write_cache_hints(&writer, exchange);
    mcp_result_end(&writer);
    return DIALECT_DONE;
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

/* Only the modern era can ask in the middle of this; an older client is told so. */
static enum dialect_step ask_for_prompt(struct dialect_req *req, struct jsv_str questions)
{
    struct jsv_value root;
    bool is_modern = mcp_version_facts(mcp_version_of(req))->era == MCP_ERA_MODERN;
    if (!is_modern) {
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
    struct jsv_str beginning = completion->beginning;
    bool fits = value.size >= beginning.size &&
                (beginning.size == 0 || memcmp(value.data, beginning.data, beginning.size) == 0);
    if (fits && completion->total++ < COMPLETIONS_MAX) {
        jsv_write_string(completion->values, value);
    }
}

static enum dialect_step nothing_to_complete(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("nothing to complete there"),
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
        .beginning = jsv_value_text(jsv_value_get(argument, JSV_STR("value"))),
        .values = &writer,
    };
    jsv_write_array_begin(&writer);
    bool is_known = req->provider->complete(&completion);
    jsv_write_array_end(&writer);
    if (!is_known) {
        nothing_to_complete(req);
    } else if (values.error < 0) {
        mcp_answer_error(req, RPC_ERROR_INTERNAL, JSV_STR("out of memory"));
    } else {
        write_completion(req, &completion, jsv_buf_str(&values));
    }
    jsv_buf_done(&values);
    return DIALECT_DONE;
}
