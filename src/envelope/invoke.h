/*
 * The params of mcp.tool.invoke: {toolId, arguments} or {tool, input}. Names may
 * be mixed, but toolId and tool must not differ.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

struct envelope_invoke {
    struct jsv_str tool_id;     /* borrowed from the document or from `asked` */
    struct jsv_value arguments; /* an object; NONE means {} */
};

/**
 * Read them.
 *
 * @param params         An object: params of a message, or the body of an HTTP request.
 * @param asked          The tool's id in the request's path; data NULL when it is in the params.
 * @param reterr_problem With a path below params; of static texts.
 * @return whether they are valid.
 */
bool envelope_invoke_read(
    struct jsv_value params,
    struct jsv_str asked,
    struct envelope_invoke *ret_invoke,
    struct jsv_problem *reterr_problem);
