/*
 * One pass over the members notes where the five that matter are; then a few
 * rules decide. This is done by hand and not by a schema: it happens to every
 * message, and a schema could not tell a request from an answer.
 */
#include "mcp/shape.h"

#include <errno.h>
#include <string.h>

#include "mcp/problem.h"

const char *mcp_kind_name(enum mcp_kind kind)
{
    static const char *const names[] = {
        [MCP_KIND_NONE] = "none",
        [MCP_KIND_REQUEST] = "request",
        [MCP_KIND_NOTIFICATION] = "notification",
        [MCP_KIND_RESPONSE] = "response",
        [MCP_KIND_ERROR] = "error",
        [MCP_KIND_BATCH] = "batch",
    };
    return names[kind];
}

/* ---- what can be wrong ---- */

MCP_PROBLEM(not_an_object, "", "type", "expected object");
MCP_PROBLEM(no_jsonrpc, "", "required", "missing property \"jsonrpc\"");
MCP_PROBLEM(wrong_jsonrpc, "/jsonrpc", "const", "expected \"2.0\"");
MCP_PROBLEM(wrong_id, "/id", "type", "expected string or integer");
MCP_PROBLEM(wrong_method, "/method", "type", "expected string");
MCP_PROBLEM(no_method, "", "required", "missing property \"method\"");
MCP_PROBLEM(method_and_result, "/result", "not", "a message with a method has no result");
MCP_PROBLEM(method_and_error, "/error", "not", "a message with a method has no error");
MCP_PROBLEM(result_and_error, "", "not", "either a result or an error, not both");

/* ---- looking ---- */

static bool is_set(struct jsv_value value)
{
    return jsv_value_type(value) != JSV_TYPE_NONE;
}

static bool is_text(struct jsv_str text, const char *expected, size_t size)
{
    return text.size == size && memcmp(text.data, expected, size) == 0;
}

#define IS(text, literal) is_text((text), (literal), sizeof(literal) - 1)

/* Where a member's value belongs; NULL when it is none of ours. */
static struct jsv_value *
part_of(struct mcp_shape *shape, struct jsv_value *jsonrpc, struct jsv_str name)
{
    switch (name.size) {
    case sizeof("id") - 1:
        return IS(name, "id") ? &shape->id : NULL;
    case sizeof("error") - 1:
        return IS(name, "error") ? &shape->error : NULL;
    case sizeof("method") - 1:
        if (IS(name, "method")) {
            return &shape->method;
        }
        if (IS(name, "params")) {
            return &shape->params;
        }
        return IS(name, "result") ? &shape->result : NULL;
    case sizeof("jsonrpc") - 1:
        return IS(name, "jsonrpc") ? jsonrpc : NULL;
    default:
        return NULL;
    }
}

/* By value: 1.0 and 1e2 are integers. One that does not fit 64 bits is an integer as well. */
static bool is_id(struct jsv_value value)
{
    int64_t integer;
    return jsv_value_type(value) == JSV_TYPE_STRING || jsv_value_int64(value, &integer) != -EINVAL;
}

static const struct jsv_problem *judge_call(const struct mcp_shape *shape)
{
    if (jsv_value_type(shape->method) != JSV_TYPE_STRING) {
        return &wrong_method;
    }
    if (is_set(shape->result)) {
        return &method_and_result;
    }
    return is_set(shape->error) ? &method_and_error : NULL;
}

static const struct jsv_problem *judge_answer(const struct mcp_shape *shape)
{
    if (is_set(shape->result) && is_set(shape->error)) {
        return &result_and_error;
    }
    return is_set(shape->result) || is_set(shape->error) ? NULL : &no_method;
}

static const struct jsv_problem *judge(const struct mcp_shape *shape, struct jsv_value jsonrpc)
{
    if (!is_set(jsonrpc)) {
        return &no_jsonrpc;
    }
    struct jsv_str version = jsv_value_text(jsonrpc);
    if (!version.data || !IS(version, "2.0")) {
        return &wrong_jsonrpc;
    }
    if (is_set(shape->id) && !is_id(shape->id)) {
        return &wrong_id;
    }
    return is_set(shape->method) ? judge_call(shape) : judge_answer(shape);
}

static enum mcp_kind kind_of(const struct mcp_shape *shape)
{
    if (is_set(shape->method)) {
        return is_set(shape->id) ? MCP_KIND_REQUEST : MCP_KIND_NOTIFICATION;
    }
    return is_set(shape->result) ? MCP_KIND_RESPONSE : MCP_KIND_ERROR;
}

const struct jsv_problem *mcp_shape_read(struct jsv_value message, struct mcp_shape *ret_shape)
{
    *ret_shape = (struct mcp_shape){0};
    if (jsv_value_type(message) != JSV_TYPE_OBJECT) {
        return &not_an_object;
    }
    struct jsv_value jsonrpc = {0};
    struct jsv_iter iter = jsv_value_iter(message);
    while (jsv_iter_next(&iter)) {
        struct jsv_value *part = part_of(ret_shape, &jsonrpc, jsv_value_text(iter.key));
        if (part) {
            *part = iter.value;
        }
    }
    const struct jsv_problem *problem = judge(ret_shape, jsonrpc);
    if (!problem) {
        ret_shape->kind = kind_of(ret_shape);
    }
    return problem;
}
