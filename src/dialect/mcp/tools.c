/*
 * Tools as the official protocol shows them. Members that came with a later
 * version than the client's are left out.
 */
#include "dialect/mcp/ask.h"
#include "dialect/mcp/http.h"
#include "dialect/mcp/page.h"
#include "dialect/write.h"

static void
write_tool(struct jsv_writer *writer, const struct catalog_tool *tool, enum mcp_version version)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("name"), tool->name);
    if (version >= MCP_VERSION_2025_06_18 && tool->title.size > 0) {
        jsv_write_member_string(writer, JSV_STR("title"), tool->title);
    }
    jsv_write_member_string(writer, JSV_STR("description"), tool->description);
    mcp_write_member(writer, JSV_STR("inputSchema"), tool->input_schema);
    if (version >= MCP_VERSION_2025_06_18) {
        mcp_write_member(writer, JSV_STR("outputSchema"), tool->output_schema);
    }
    if (version >= MCP_VERSION_2025_03_26) {
        struct jsv_value annotations = jsv_value_get(tool->value, JSV_STR("annotations"));
        mcp_write_member(writer, JSV_STR("annotations"), annotations);
    }
    jsv_write_object_end(writer);
}

enum dialect_step mcp_handle_tools_list(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    size_t count = catalog_listed_tool_count(req->catalog);
    size_t first;
    size_t end;
    if (!mcp_page_find(exchange, count, &first, &end)) {
        return mcp_answer_bad_cursor(req);
    }
    struct jsv_writer writer = mcp_result_begin(req);
    jsv_write_member_array_begin(&writer, JSV_STR("tools"));
    for (size_t i = first; i < end; i++) {
        write_tool(&writer, catalog_listed_tool_at(req->catalog, i), exchange->version);
    }
    jsv_write_array_end(&writer);
    mcp_write_next_page(&writer, count, end);
    mcp_write_cache_hints(&writer, exchange);
    mcp_result_end(&writer);
    return DIALECT_DONE;
}

static enum dialect_step unknown_tool(struct dialect_req *req, struct jsv_str name)
{
    const struct rpc_fault fault = {
        .message = dialect_message(req->scratch, JSV_STR("Unknown tool"), name),
        .details = JSV_STR("unknown tool"),
        .suggestion = JSV_STR("Use a name that tools/list returns"),
        .cause = JSV_STR("/params/name"),
    };
    return mcp_answer_fault(req, RPC_ERROR_INVALID_PARAMS, &fault);
}

enum dialect_step mcp_handle_tools_call(struct mcp_exchange *exchange)
{
    struct dialect_req *req = exchange->req;
    struct jsv_value arguments = exchange->parts->arguments;
    struct jsv_str name = jsv_value_text(exchange->parts->name);
    req->tool = catalog_tool_find(req->catalog, name);
    if (!req->tool) {
        return unknown_tool(req, name);
    }
    bool given = jsv_value_type(arguments) == JSV_TYPE_OBJECT;
    req->arguments = given ? arguments : req->empty_object;
    bool is_modern = mcp_version_facts(exchange->version)->era == MCP_ERA_MODERN;
    if (is_modern && mcp_is_endpoint(req) &&
        !mcp_check_argument_headers(req, req->tool, req->arguments)) {
        return DIALECT_DONE;
    }
    if (!mcp_take_inputs(exchange)) {
        return DIALECT_DONE;
    }
    return DIALECT_CALL;
}
