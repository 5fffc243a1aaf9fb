/*
 * These rules are code and not a schema, because they apply to every message
 * and a schema could not distinguish a request from an answer.
 */
#include "mcp/shape.h"

#include <errno.h>

#include "jsv/base/text.h"
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

/* ---- problems ---- */

MCP_PROBLEM(not_an_object, "", "type", "expected object");
MCP_PROBLEM(no_jsonrpc, "", "required", "missing property \"jsonrpc\"");
MCP_PROBLEM(wrong_jsonrpc, "/jsonrpc", "const", "expected \"2.0\"");
MCP_PROBLEM(wrong_id, "/id", "type", "expected string or integer");
MCP_PROBLEM(wrong_method, "/method", "type", "expected string");
MCP_PROBLEM(no_method, "", "required", "missing property \"method\"");
MCP_PROBLEM(method_and_result, "/result", "not", "a message with a method has no result");
MCP_PROBLEM(method_and_error, "/error", "not", "a message with a method has no error");
MCP_PROBLEM(result_without_id, "", "required", "missing property \"id\"");
MCP_PROBLEM(wrong_error, "/error", "type", "expected object");
MCP_PROBLEM(result_and_error, "", "not", "either a result or an error, not both");

/* ---- rules ---- */

static bool is_set(struct jsv_value value)
{
    return jsv_value_type(value) != JSV_TYPE_NONE;
}

/* By value: 1.0, 1e2 and integers beyond 64 bits are integers. */
static bool is_id(struct jsv_value value)
{
    int64_t integer;
    return jsv_value_type(value) == JSV_TYPE_STRING || jsv_value_int64(value, &integer) != -EINVAL;
}

static const struct jsv_problem *check_call(const struct rpc_members *parts)
{
    if (jsv_value_type(parts->method) != JSV_TYPE_STRING) {
        return &wrong_method;
    }
    if (is_set(parts->result)) {
        return &method_and_result;
    }
    return is_set(parts->error) ? &method_and_error : NULL;
}

/* Whether an error needs an id depends on the version: its definition decides. */
static const struct jsv_problem *check_answer(const struct rpc_members *parts)
{
    if (!is_set(parts->result) && !is_set(parts->error)) {
        return &no_method;
    }
    if (is_set(parts->result) && is_set(parts->error)) {
        return &result_and_error;
    }
    if (is_set(parts->result)) {
        return is_set(parts->id) ? NULL : &result_without_id;
    }
    return jsv_value_type(parts->error) == JSV_TYPE_OBJECT ? NULL : &wrong_error;
}

static const struct jsv_problem *check_shape(const struct rpc_members *parts)
{
    if (!is_set(parts->version)) {
        return &no_jsonrpc;
    }
    if (!JSV_IS(jsv_value_text(parts->version), "2.0")) {
        return &wrong_jsonrpc;
    }
    if (is_set(parts->id) && !is_id(parts->id)) {
        return &wrong_id;
    }
    return is_set(parts->method) ? check_call(parts) : check_answer(parts);
}

static enum mcp_kind kind_of(const struct rpc_members *parts)
{
    if (is_set(parts->method)) {
        return is_set(parts->id) ? MCP_KIND_REQUEST : MCP_KIND_NOTIFICATION;
    }
    return is_set(parts->result) ? MCP_KIND_RESPONSE : MCP_KIND_ERROR;
}

const struct jsv_problem *mcp_shape_of(const struct rpc_members *parts, struct mcp_shape *ret_shape)
{
    const struct jsv_problem *problem = check_shape(parts);
    *ret_shape = (struct mcp_shape){
        .kind = problem ? MCP_KIND_NONE : kind_of(parts),
        .parts = *parts,
    };
    return problem;
}

const struct jsv_problem *mcp_shape_read(struct jsv_value message, struct mcp_shape *ret_shape)
{
    *ret_shape = (struct mcp_shape){0};
    if (jsv_value_type(message) != JSV_TYPE_OBJECT) {
        return &not_an_object;
    }
    struct rpc_members parts;
    rpc_members_find(message, &parts);
    return mcp_shape_of(&parts, ret_shape);
}
