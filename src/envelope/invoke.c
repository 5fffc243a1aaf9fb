#include "envelope/invoke.h"

static bool refuse(const char *path, const char *message, struct jsv_problem *reterr_problem)
{
    *reterr_problem = (struct jsv_problem){
        .path = jsv_str_from(path),
        .message = jsv_str_from(message),
    };
    return false;
}

/* Read a tool's id from a member; it must equal one read before. */
static bool take_tool(
    struct jsv_value params,
    const char *path,
    struct jsv_str *tool_id,
    struct jsv_problem *reterr_problem)
{
    struct jsv_value member = jsv_value_get(params, jsv_str_from(path + 1));
    if (jsv_value_type(member) == JSV_TYPE_NONE) {
        return true;
    }
    if (jsv_value_type(member) != JSV_TYPE_STRING) {
        return refuse(path, "expected string", reterr_problem);
    }
    struct jsv_str text = jsv_value_text(member);
    if (tool_id->data && !jsv_str_equal(*tool_id, text)) {
        return refuse(path, "differs from the tool requested", reterr_problem);
    }
    *tool_id = text;
    return true;
}

static bool take_arguments(
    struct jsv_value params, struct jsv_value *ret_arguments, struct jsv_problem *reterr_problem)
{
    const char *path = "/arguments";
    struct jsv_value arguments = jsv_value_get(params, JSV_STR("arguments"));
    if (jsv_value_type(arguments) == JSV_TYPE_NONE) {
        path = "/input";
        arguments = jsv_value_get(params, JSV_STR("input"));
    }
    enum jsv_type type = jsv_value_type(arguments);
    if (type != JSV_TYPE_NONE && type != JSV_TYPE_OBJECT) {
        return refuse(path, "expected object", reterr_problem);
    }
    *ret_arguments = arguments;
    return true;
}

bool envelope_invoke_read(
    struct jsv_value params,
    struct jsv_str asked,
    struct envelope_invoke *ret_invoke,
    struct jsv_problem *reterr_problem)
{
    struct envelope_invoke invoke = {.tool_id = asked};
    if (!take_tool(params, "/toolId", &invoke.tool_id, reterr_problem) ||
        !take_tool(params, "/tool", &invoke.tool_id, reterr_problem) ||
        !take_arguments(params, &invoke.arguments, reterr_problem)) {
        return false;
    }
    if (!invoke.tool_id.data) {
        return refuse("/toolId", "missing property \"toolId\"", reterr_problem);
    }
    *ret_invoke = invoke;
    return true;
}
