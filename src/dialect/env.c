/*
 * ENV: mcp.discover says what there is, mcp.prompt.get gives a prompt,
 * mcp.tool.invoke calls a tool. Each can be asked for by JSON-RPC, and at an
 * endpoint of its own over HTTP; there the path says what is wanted, and the
 * body has what would be in params.
 *
 * A message has to be an envelope: its id a text, its params an object. What
 * goes wrong is told by the canonical errors, which have an HTTP status and a
 * JSON-RPC code each.
 */
#include "dialect/env.h"

#include <assert.h>
#include <string.h>

#include "dialect/mcp/mcp.h"
#include "dialect/prompts.h"
#include "documents/describe.h"
#include "envelope/invoke.h"
#include "envelope/schemas.h"

/* Beside the canonical errors: what is wrong with methods and prompts. */
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

/* The name in the path of an endpoint; data NULL for a message. */
static struct jsv_str route_parameter(const struct dialect_request *request)
{
    return env_is_route(request) ? request->http->parameter : (struct jsv_str){NULL, 0};
}

/* ---- recognising ---- */

static bool env_is_meant(const struct dialect_request *request)
{
    return dialect_is_open(request) && env_is_method(request->message.method);
}

static bool env_recognise(const struct dialect_request *request)
{
    enum rpc_kind kind = request->message.kind;
    return (kind == RPC_REQUEST || kind == RPC_NOTIFICATION) && env_is_meant(request);
}

static void env_malformed(struct dialect_request *request, const struct rpc_fault *fault)
{
    env_answer_fault(request, canonical(ENVELOPE_CANONICAL_INVALID_ENVELOPE), fault);
}

static void env_fail(struct dialect_request *request, struct jsv_str details)
{
    const struct rpc_fault fault = {
        .details = details,
        .suggestion = JSV_STR("Retry; if it persists, contact the operator"),
        .cause = JSV_STR(""),
    };
    env_answer_fault(request, canonical(ENVELOPE_CANONICAL_INTERNAL_ERROR), &fault);
}

/* ---- mcp.discover ---- */

static enum dialect_step discover(struct dialect_request *request)
{
    struct jsv_writer writer = env_result_begin(request);
    jsv_write_object_begin(&writer);
    mcp_write_server_info(&writer, JSV_STR("server"));
    dialect_write_tools(&writer, request->catalog);
    dialect_write_prompts(&writer);
    jsv_write_object_end(&writer);
    env_result_end(request, &writer);
    return DIALECT_DONE;
}

/* ---- mcp.prompt.get ---- */

/* @return whether arguments of a prompt are texts by name; else it is answered. */
static bool check_prompt_arguments(struct dialect_request *request, struct jsv_value arguments)
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
        env_answer_fault(request, &bad_params, &fault);
    }
    return good;
}

static enum dialect_step answer_prompt(
    struct dialect_request *request,
    const struct dialect_prompt *prompt,
    struct jsv_value arguments)
{
    struct jsv_buf text;
    jsv_buf_init(&text, &request->reply->allocator, request->reply->size_max);
    if (dialect_prompt_write(prompt, arguments, &text) < 0) {
        env_fail(request, JSV_STR("out of memory"));
        jsv_buf_done(&text);
        return DIALECT_DONE;
    }
    struct jsv_writer writer = env_result_begin(request);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("promptId"), prompt->id);
    jsv_write_member_string(&writer, JSV_STR("title"), prompt->title);
    jsv_write_member_string(&writer, JSV_STR("description"), prompt->description);
    dialect_write_prompt_messages(&writer, jsv_buf_str(&text));
    jsv_write_object_end(&writer);
    env_result_end(request, &writer);
    jsv_buf_done(&text);
    return DIALECT_DONE;
}

static enum dialect_step get_prompt(struct dialect_request *request)
{
    static const struct rpc_fault no_id = {
        .details = JSV_STR("promptId must be a string"),
        .suggestion = JSV_STR("Name a prompt that mcp.discover lists"),
        .cause = JSV_STR("/params/promptId"),
    };
    static const struct rpc_fault not_there = {
        .details = JSV_STR("unknown prompt"),
        .suggestion = JSV_STR("Name a prompt that mcp.discover lists"),
        .cause = JSV_STR("/params/promptId"),
    };
    struct jsv_value params = request->message.params;
    struct jsv_str id = route_parameter(request);
    if (!id.data) {
        id = jsv_value_text(jsv_value_get(params, JSV_STR("promptId")));
    }
    if (!id.data) {
        return env_answer_fault(request, &bad_params, &no_id);
    }
    const struct dialect_prompt *prompt = dialect_prompt_find(id);
    if (!prompt) {
        return env_answer_fault(request, &unknown_prompt, &not_there);
    }
    struct jsv_value arguments = jsv_value_get(params, JSV_STR("arguments"));
    return check_prompt_arguments(request, arguments) ? answer_prompt(request, prompt, arguments)
                                                      : DIALECT_DONE;
}

/* ---- mcp.tool.invoke ---- */

static struct jsv_str params_place(const struct dialect_request *request)
{
    return env_is_route(request) ? JSV_STR("") : JSV_STR("/params");
}

static struct jsv_str arguments_place(const struct dialect_request *request)
{
    struct jsv_value params = request->message.params;
    bool is_input = jsv_value_type(jsv_value_get(params, JSV_STR("arguments"))) == JSV_TYPE_NONE &&
                    jsv_value_type(jsv_value_get(params, JSV_STR("input"))) != JSV_TYPE_NONE;
    if (env_is_route(request)) {
        return is_input ? JSV_STR("/input") : JSV_STR("/arguments");
    }
    return is_input ? JSV_STR("/params/input") : JSV_STR("/params/arguments");
}

static enum dialect_step answer_unknown_tool(struct dialect_request *request)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("unknown tool"),
        .suggestion = JSV_STR("Use the toolId of a tool that mcp.discover lists"),
        .cause = JSV_STR("/params/toolId"),
    };
    return env_answer_fault(request, canonical(ENVELOPE_CANONICAL_TOOL_NOT_FOUND), &fault);
}

static enum dialect_step invoke_tool(struct dialect_request *request)
{
    struct envelope_invoke invoke;
    struct jsv_problem problem;
    if (!envelope_invoke_read(
            request->message.params, route_parameter(request), &invoke, &problem)) {
        const struct jsv_problems problems = {.items = &problem, .count = 1};
        return env_answer_problems(
            request,
            canonical(ENVELOPE_CANONICAL_INVALID_TOOL_INPUT),
            params_place(request),
            &problems);
    }
    request->tool = dialect_find_tool(request, invoke.tool_id);
    if (!request->tool) {
        return answer_unknown_tool(request);
    }
    bool given = jsv_value_type(invoke.arguments) == JSV_TYPE_OBJECT;
    request->arguments = given ? invoke.arguments : request->nothing;
    return DIALECT_CALL;
}

static void env_refuse(struct dialect_request *request, const struct jsv_problems *problems)
{
    env_answer_problems(
        request,
        canonical(ENVELOPE_CANONICAL_INVALID_TOOL_INPUT),
        arguments_place(request),
        problems);
}

/* The tool as it was asked for, and what it returned, which has to be an object. */
static void
env_render(struct dialect_request *request, struct jsv_str result, enum tool_verdict verdict)
{
    (void)verdict; /* the result says so itself */
    struct envelope_invoke invoke = {0};
    struct jsv_problem problem;
    envelope_invoke_read(request->message.params, route_parameter(request), &invoke, &problem);
    if (result.size == 0 || result.data[0] != '{') {
        env_fail(request, JSV_STR("the tool's output is not an object"));
        return;
    }
    struct jsv_writer writer = env_result_begin(request);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("tool"), invoke.tool_id);
    jsv_write_member_span(&writer, JSV_STR("output"), result);
    jsv_write_object_end(&writer);
    env_result_end(request, &writer);
}

/* ---- who does what ---- */

static const struct method {
    struct jsv_str name;
    enum rpc_endpoint endpoint;
    enum dialect_step (*run)(struct dialect_request *request);
} methods[] = {
    {JSV_STR("mcp.discover"), RPC_ENDPOINT_DISCOVER, discover},
    {JSV_STR("mcp.prompt.get"), RPC_ENDPOINT_PROMPT, get_prompt},
    {JSV_STR("mcp.tool.invoke"), RPC_ENDPOINT_TOOL, invoke_tool},
};

static const struct method *find_method(const struct dialect_request *request)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        bool is_it = env_is_route(request)
                         ? request->http->endpoint == methods[i].endpoint
                         : jsv_str_equal(request->message.method, methods[i].name);
        if (is_it) {
            return &methods[i];
        }
    }
    return NULL;
}

/* A body stands for params. */
static enum dialect_step open_route(struct dialect_request *request)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("the body must be an object"),
        .suggestion = JSV_STR("Send {\"arguments\":{}} with the tool's arguments"),
        .cause = JSV_STR(""),
    };
    const struct method *method = find_method(request);
    assert(method); /* each route of this dialect stands in the table */
    request->message.method = method->name;
    request->message.params = request->message.root;
    if (jsv_value_type(request->message.root) != JSV_TYPE_OBJECT) {
        env_malformed(request, &fault);
        return DIALECT_DONE;
    }
    return method->run(request);
}

static enum dialect_step open_message(struct dialect_request *request)
{
    static const struct rpc_fault no_method = {
        .details = JSV_STR("unknown method"),
        .suggestion = JSV_STR("Use mcp.discover, mcp.prompt.get or mcp.tool.invoke"),
        .cause = JSV_STR("/method"),
    };
    const struct jsv_schema *schema =
        envelope_schemas_get(request->envelopes, ENVELOPE_SCHEMA_ENV_REQUEST);
    struct jsv_problems problems;
    int r = jsv_validate_report(request->validator, schema, request->message.root, &problems);
    if (r < 0) {
        env_fail(request, JSV_STR("the envelope could not be checked"));
        return DIALECT_DONE;
    }
    if (r == 0) {
        return env_answer_problems(
            request, canonical(ENVELOPE_CANONICAL_INVALID_ENVELOPE), JSV_STR(""), &problems);
    }
    const struct method *method = find_method(request);
    return method ? method->run(request) : env_answer_fault(request, &unknown_method, &no_method);
}

static enum dialect_step env_open(struct dialect_request *request)
{
    return env_is_route(request) ? open_route(request) : open_message(request);
}

const struct dialect dialect_env = {
    .name = "env",
    .in_turn = true,
    .wants_id = true,
    .recognise = env_recognise,
    .is_meant = env_is_meant,
    .malformed = env_malformed,
    .open = env_open,
    .refuse = env_refuse,
    .render = env_render,
    .render_failure = env_render_failure,
    .fail = env_fail,
};
