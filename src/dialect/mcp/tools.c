/*
 * tools/list and tools/call. Members that the client's version does not have are
 * left out.
 */
#include "dialect/mcp/mcp.h"
#include "dialect/write.h"

static void write_tool(const struct mcp_exchange *exchange, size_t index, struct jsv_writer *writer)
{
    const struct catalog_tool *tool = catalog_listed_tool_at(exchange->req->catalog, index);
    enum mcp_version version = exchange->version;
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
    size_t count = catalog_listed_tool_count(exchange->req->catalog);
    return mcp_answer_list(exchange, JSV_STR("tools"), count, write_tool);
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
    bool has_headers = mcp_is_modern(req) && mcp_is_endpoint(req);
    bool may_continue = !has_headers || mcp_check_argument_headers(req, req->tool, req->arguments);
    return may_continue && mcp_take_inputs(exchange) ? DIALECT_CALL : DIALECT_DONE;
}
