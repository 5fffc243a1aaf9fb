/*
 * ENV: mcp.discover lists tools and prompts, mcp.prompt.get returns a prompt,
 * mcp.tool.invoke calls a tool. Each is a JSON-RPC method, and an HTTP endpoint
 * of its own, where the path names the prompt or tool and the body is what
 * params would be. The content of an answer is the same in both.
 *
 * A message must be an envelope: its id a string, its params an object. Errors
 * are the canonical ones, each with an HTTP status and a JSON-RPC code.
 */
#include <assert.h>
#include <string.h>

#include "dialect/mcp/mcp.h"
#include "dialect/prompts.h"
#include "dialect/write.h"
#include "envelope/canonical.h"
#include "envelope/invoke.h"
#include "envelope/schemas.h"
#include "tools/result.h"

/* Errors of methods and prompts, beside the canonical ones. */
static const struct envelope_canonical_error unknown_method = {
    .name = JSV_STR("METHOD_NOT_FOUND"),
    .http = 404,
    .rpc = -32601,
    .message = JSV_STR("Method not found"),
};
static const struct envelope_canonical_error unknown_prompt = {
    .name = JSV_STR("PROMPT_NOT_FOUND"),
    .http = 404,
    .rpc = -32602,
    .message = JSV_STR("Unknown prompt"),
};
static const struct envelope_canonical_error bad_params = {
    .name = JSV_STR("INVALID_PARAMS"),
    .http = 400,
    .rpc = -32602,
    .message = JSV_STR("Invalid params"),
};

static const struct envelope_canonical_error *canonical(enum envelope_canonical error)
{
    return envelope_canonical_get(error);
}

static bool env_is_method(struct jsv_str method)
{
    return method.size >= 4 && memcmp(method.data, "mcp.", 4) == 0;
}

/* ---- answers ---- */

/* Whether the request came at an endpoint, not as a message. */
static bool is_route(const struct dialect_req *req)
{
    return !dialect_is_open(req);
}

static struct jsv_writer result_begin(struct dialect_req *req)
{
    return is_route(req) ? jsv_writer_on(req->reply) : rpc_write_result(req->reply, &req->message);
}

static void result_end(const struct dialect_req *req, struct jsv_writer *writer)
{
    if (!is_route(req)) {
        rpc_write_result_end(writer);
    }
}

static void answer_error(
    struct dialect_req *req,
    const struct envelope_canonical_error *error,
    const struct jsv_buf *details)
{
    struct jsv_buf *reply = req->reply;
    struct jsv_str text = details->error == 0 ? jsv_buf_str(details) : JSV_STR("{}");
    req->http_status = error->http;
    if (is_route(req)) {
        envelope_canonical_write_http(error, text, reply);
        return;
    }
    struct jsv_writer writer = rpc_write_error(reply, &req->message, error->rpc, error->message);
    jsv_write_member_span(&writer, JSV_STR("data"), text);
    rpc_write_error_end(&writer);
}

static enum dialect_step answer_fault(
    struct dialect_req *req,
    const struct envelope_canonical_error *error,
    const struct rpc_fault *fault)
{
    struct jsv_buf details;
    jsv_buf_init(&details, &req->reply->allocator, req->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&details);
    rpc_write_fault_data(&writer, fault);
    answer_error(req, error, &details);
    jsv_buf_done(&details);
    return DIALECT_DONE;
}

/* A program's own first error, if its code is a canonical one; otherwise an internal error. */
static const struct envelope_canonical_error *failure_of(const struct tool_call *call)
{
    const struct envelope_canonical_error *error = canonical(ENVELOPE_CANONICAL_INTERNAL_ERROR);
    if (tool_tells_errors(call)) {
        struct jsv_value errors = jsv_value_get(call->result.value, JSV_STR("errors"));
        struct jsv_value code = jsv_value_get(jsv_value_at(errors, 0), JSV_STR("code"));
        (void)envelope_canonical_find(jsv_value_text(code), &error);
    }
    return error;
}

/* A program failed: the canonical error, with the codes of the failure. */
static void env_render_failure(struct dialect_req *req)
{
    const struct tool_call *call = req->call;
    struct jsv_buf details;
    jsv_buf_init(&details, &req->reply->allocator, req->reply->size_max);
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
    answer_error(req, failure_of(call), &details);
    jsv_buf_done(&details);
}

static enum dialect_step answer_problems(
    struct dialect_req *req,
    const struct envelope_canonical_error *error,
    struct jsv_str prefix,
    const struct jsv_problems *problems)
{
    struct jsv_buf details;
    jsv_buf_init(&details, &req->reply->allocator, req->reply->size_max);
    struct jsv_writer writer = jsv_writer_on(&details);
    dialect_write_problems(&writer, prefix, problems);
    answer_error(req, error, &details);
    jsv_buf_done(&details);
    return DIALECT_DONE;
}

/* The name in the path of an endpoint; data NULL for a message. */
static struct jsv_str route_parameter(const struct dialect_req *req)
{
    return is_route(req) ? req->http->parameter : (struct jsv_str){NULL, 0};
}

/* ---- recognising ---- */

static bool env_owns(const struct dialect_req *req)
{
    return dialect_is_open(req) && env_is_method(req->message.method);
}

static bool env_recognise(const struct dialect_req *req)
{
    enum rpc_kind kind = req->message.kind;
    return (kind == RPC_REQUEST || kind == RPC_NOTIFICATION) && env_owns(req);
}

static void env_malformed(struct dialect_req *req, const struct rpc_fault *fault)
{
    answer_fault(req, canonical(ENVELOPE_CANONICAL_INVALID_ENVELOPE), fault);
}

static void env_fail(struct dialect_req *req, struct jsv_str details)
{
    const struct rpc_fault fault = {
        .details = details,
        .suggestion = JSV_STR("Retry; if it persists, contact the operator"),
        .cause = JSV_STR(""),
    };
    answer_fault(req, canonical(ENVELOPE_CANONICAL_INTERNAL_ERROR), &fault);
}

/* ---- mcp.discover ---- */

static enum dialect_step discover(struct dialect_req *req)
{
    struct jsv_writer writer = result_begin(req);
    jsv_write_object_begin(&writer);
    mcp_write_server_info(&writer, JSV_STR("server"));
    dialect_write_tools(&writer, req->catalog);
    dialect_write_prompts(&writer);
    jsv_write_object_end(&writer);
    result_end(req, &writer);
    return DIALECT_DONE;
}

/* ---- mcp.prompt.get ---- */

/* @return whether the arguments are an object of strings; else the error is written. */
static bool check_prompt_arguments(struct dialect_req *req, struct jsv_value arguments)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("arguments of a prompt are an object of strings"),
        .suggestion = JSV_STR("Pass each argument by its name, as a string"),
        .cause = JSV_STR("/params/arguments"),
    };
    enum jsv_type type = jsv_value_type(arguments);
    bool good = type == JSV_TYPE_NONE || type == JSV_TYPE_OBJECT;
    struct jsv_iter iter = jsv_value_iter(arguments);
    while (good && jsv_iter_next(&iter)) {
        good = jsv_value_type(iter.value) == JSV_TYPE_STRING;
    }
    if (!good) {
        answer_fault(req, &bad_params, &fault);
    }
    return good;
}

static enum dialect_step answer_prompt(
    struct dialect_req *req, const struct dialect_prompt *prompt, struct jsv_value arguments)
{
    struct jsv_buf text;
    jsv_buf_init(&text, &req->reply->allocator, req->reply->size_max);
    if (dialect_prompt_write(prompt, arguments, &text) < 0) {
        env_fail(req, JSV_STR("out of memory"));
        jsv_buf_done(&text);
        return DIALECT_DONE;
    }
    struct jsv_writer writer = result_begin(req);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("promptId"), prompt->id);
    jsv_write_member_string(&writer, JSV_STR("title"), prompt->title);
    jsv_write_member_string(&writer, JSV_STR("description"), prompt->description);
    jsv_write_key(&writer, JSV_STR("messages"));
    dialect_write_user_message(&writer, jsv_buf_str(&text));
    jsv_write_object_end(&writer);
    result_end(req, &writer);
    jsv_buf_done(&text);
    return DIALECT_DONE;
}

static enum dialect_step get_prompt(struct dialect_req *req)
{
    static const struct rpc_fault no_id = {
        .details = JSV_STR("promptId must be a string"),
        .suggestion = JSV_STR("Name a prompt that mcp.discover lists"),
        .cause = JSV_STR("/params/promptId"),
    };
    static const struct rpc_fault unknown = {
        .details = JSV_STR("unknown prompt"),
        .suggestion = JSV_STR("Name a prompt that mcp.discover lists"),
        .cause = JSV_STR("/params/promptId"),
    };
    struct jsv_value params = req->message.params;
    struct jsv_str id = route_parameter(req);
    if (!id.data) {
        id = jsv_value_text(jsv_value_get(params, JSV_STR("promptId")));
    }
    if (!id.data) {
        return answer_fault(req, &bad_params, &no_id);
    }
    const struct dialect_prompt *prompt = dialect_prompt_find(id);
    if (!prompt) {
        return answer_fault(req, &unknown_prompt, &unknown);
    }
    struct jsv_value arguments = jsv_value_get(params, JSV_STR("arguments"));
    return check_prompt_arguments(req, arguments) ? answer_prompt(req, prompt, arguments)
                                                  : DIALECT_DONE;
}

/* ---- mcp.tool.invoke ---- */

static struct jsv_str params_path(const struct dialect_req *req)
{
    return is_route(req) ? JSV_STR("") : JSV_STR("/params");
}

static struct jsv_str arguments_path(const struct dialect_req *req)
{
    struct jsv_value params = req->message.params;
    bool is_input = jsv_value_type(jsv_value_get(params, JSV_STR("arguments"))) == JSV_TYPE_NONE &&
                    jsv_value_type(jsv_value_get(params, JSV_STR("input"))) != JSV_TYPE_NONE;
    if (is_route(req)) {
        return is_input ? JSV_STR("/input") : JSV_STR("/arguments");
    }
    return is_input ? JSV_STR("/params/input") : JSV_STR("/params/arguments");
}

static enum dialect_step answer_unknown_tool(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("unknown tool"),
        .suggestion = JSV_STR("Use the toolId of a tool that mcp.discover lists"),
        .cause = JSV_STR("/params/toolId"),
    };
    return answer_fault(req, canonical(ENVELOPE_CANONICAL_TOOL_NOT_FOUND), &fault);
}

static enum dialect_step invoke_tool(struct dialect_req *req)
{
    struct envelope_invoke invoke;
    struct jsv_problem problem;
    if (!envelope_invoke_read(req->message.params, route_parameter(req), &invoke, &problem)) {
        const struct jsv_problems problems = {.items = &problem, .count = 1};
        return answer_problems(
            req, canonical(ENVELOPE_CANONICAL_INVALID_TOOL_INPUT), params_path(req), &problems);
    }
    req->tool = dialect_find_tool(req, invoke.tool_id);
    if (!req->tool) {
        return answer_unknown_tool(req);
    }
    bool given = jsv_value_type(invoke.arguments) == JSV_TYPE_OBJECT;
    req->arguments = given ? invoke.arguments : req->empty_object;
    return DIALECT_CALL;
}

static void env_refuse(struct dialect_req *req, const struct jsv_problems *problems)
{
    answer_problems(
        req, canonical(ENVELOPE_CANONICAL_INVALID_TOOL_INPUT), arguments_path(req), problems);
}

/* The tool under the name it was called by, and its output, which must be an object. */
static void env_render(struct dialect_req *req, struct jsv_str result, enum tool_verdict verdict)
{
    (void)verdict; /* it is part of the result */
    struct envelope_invoke invoke = {0};
    struct jsv_problem problem;
    envelope_invoke_read(req->message.params, route_parameter(req), &invoke, &problem);
    if (result.size == 0 || result.data[0] != '{') {
        env_fail(req, JSV_STR("the tool's output is not an object"));
        return;
    }
    struct jsv_writer writer = result_begin(req);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("tool"), invoke.tool_id);
    jsv_write_member_span(&writer, JSV_STR("output"), result);
    jsv_write_object_end(&writer);
    result_end(req, &writer);
}

/* ---- methods ---- */

static const struct method {
    struct jsv_str name;
    enum rpc_endpoint endpoint;
    enum dialect_step (*run)(struct dialect_req *req);
} methods[] = {
    {JSV_STR("mcp.discover"), RPC_ENDPOINT_DISCOVER, discover},
    {JSV_STR("mcp.prompt.get"), RPC_ENDPOINT_PROMPT, get_prompt},
    {JSV_STR("mcp.tool.invoke"), RPC_ENDPOINT_TOOL, invoke_tool},
};

static const struct method *find_method(const struct dialect_req *req)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        bool is_it = is_route(req) ? req->http->endpoint == methods[i].endpoint
                                   : jsv_str_equal(req->message.method, methods[i].name);
        if (is_it) {
            return &methods[i];
        }
    }
    return NULL;
}

/* The body is what params would be. */
static enum dialect_step open_route(struct dialect_req *req)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("the body must be an object"),
        .suggestion = JSV_STR("Send {\"arguments\":{}} with the tool's arguments"),
        .cause = JSV_STR(""),
    };
    const struct method *method = find_method(req);
    assert(method); /* the table has each endpoint of this dialect */
    req->message.method = method->name;
    req->message.params = req->message.root;
    if (jsv_value_type(req->message.root) != JSV_TYPE_OBJECT) {
        env_malformed(req, &fault);
        return DIALECT_DONE;
    }
    return method->run(req);
}

static enum dialect_step open_message(struct dialect_req *req)
{
    static const struct rpc_fault no_method = {
        .details = JSV_STR("unknown method"),
        .suggestion = JSV_STR("Use mcp.discover, mcp.prompt.get or mcp.tool.invoke"),
        .cause = JSV_STR("/method"),
    };
    const struct jsv_schema *schema =
        envelope_schemas_get(req->envelopes, ENVELOPE_SCHEMA_ENV_REQUEST);
    struct jsv_problems problems;
    int r = jsv_validate_report(req->validator, schema, req->message.root, &problems);
    if (r < 0) {
        env_fail(req, JSV_STR("the envelope could not be checked"));
        return DIALECT_DONE;
    }
    if (r == 0) {
        return answer_problems(
            req, canonical(ENVELOPE_CANONICAL_INVALID_ENVELOPE), JSV_STR(""), &problems);
    }
    const struct method *method = find_method(req);
    return method ? method->run(req) : answer_fault(req, &unknown_method, &no_method);
}

static enum dialect_step env_open(struct dialect_req *req)
{
    return is_route(req) ? open_route(req) : open_message(req);
}

const struct dialect dialect_env = {
    .name = "env",
    .serial = true,
    .wants_id = true,
    .recognise = env_recognise,
    .owns_malformed = env_owns,
    .malformed = env_malformed,
    .open = env_open,
    .refuse = env_refuse,
    .render = env_render,
    .render_failure = env_render_failure,
    .fail = env_fail,
};
