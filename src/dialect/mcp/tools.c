/*
 * tools/list and tools/call. Members that the client's version does not have are
 * left out.
 */
#include "dialect/mcp/mcp.h"
#include "dialect/write.h"
#include "jsv/base/text.h"

/*
 * Operators write the descriptors of external tools, and the protocol is stricter than the catalog.
 * One tool that it does not allow would make clients reject the whole list, so these functions
 * leave out what does not conform.
 */

static bool is_object_schema(struct jsv_value schema)
{
    struct jsv_str type = jsv_value_text(jsv_value_get(schema, JSV_STR("type")));
    return jsv_str_equal(type, JSV_STR("object"));
}

/* Before 2026-07-28 the schema of a property is an object: write true as {}, false as {"not":{}}.
 */
static void write_properties(struct jsv_writer *writer, struct jsv_value properties)
{
    jsv_write_member_object_begin(writer, JSV_STR("properties"));
    struct jsv_iter iter = jsv_value_iter(properties);
    while (jsv_iter_next(&iter)) {
        jsv_write_key(writer, jsv_value_text(iter.key));
        if (jsv_value_type(iter.value) != JSV_TYPE_BOOLEAN) {
            jsv_write_value(writer, iter.value);
        } else {
            jsv_write_span(
                writer, jsv_value_bool(iter.value) ? JSV_STR("{}") : JSV_STR("{\"not\":{}}"));
        }
    }
    jsv_write_object_end(writer);
}

static bool has_boolean_property(struct jsv_value schema)
{
    struct jsv_iter iter = jsv_value_iter(jsv_value_get(schema, JSV_STR("properties")));
    while (jsv_iter_next(&iter)) {
        if (jsv_value_type(iter.value) == JSV_TYPE_BOOLEAN) {
            return true;
        }
    }
    return false;
}

/* The protocol demands "type":"object", which is true, because arguments are always an object. */
static void write_schema(
    struct jsv_writer *writer, struct jsv_str name, struct jsv_value schema, bool is_modern)
{
    if (is_object_schema(schema) && (is_modern || !has_boolean_property(schema))) {
        jsv_write_member_value(writer, name, schema);
        return;
    }
    jsv_write_member_object_begin(writer, name);
    jsv_write_member_string(writer, JSV_STR("type"), JSV_STR("object"));
    struct jsv_iter iter = jsv_value_iter(schema);
    while (jsv_iter_next(&iter)) {
        struct jsv_str key = jsv_value_text(iter.key);
        if (JSV_IS(key, "properties") && !is_modern) {
            write_properties(writer, iter.value);
        } else if (!JSV_IS(key, "type")) {
            jsv_write_member_value(writer, key, iter.value);
        }
    }
    jsv_write_object_end(writer);
}

static void write_annotations(struct jsv_writer *writer, struct jsv_value annotations)
{
    if (jsv_value_type(annotations) != JSV_TYPE_OBJECT) {
        return;
    }
    jsv_write_member_object_begin(writer, JSV_STR("annotations"));
    struct jsv_iter iter = jsv_value_iter(annotations);
    while (jsv_iter_next(&iter)) {
        struct jsv_str name = jsv_value_text(iter.key);
        enum jsv_type type = jsv_value_type(iter.value);
        bool is_hint = JSV_IS(name, "readOnlyHint") || JSV_IS(name, "destructiveHint") ||
                       JSV_IS(name, "idempotentHint") || JSV_IS(name, "openWorldHint");
        bool is_title = JSV_IS(name, "title");
        if ((!is_hint || type == JSV_TYPE_BOOLEAN) && (!is_title || type == JSV_TYPE_STRING)) {
            jsv_write_member_value(writer, name, iter.value);
        }
    }
    jsv_write_object_end(writer);
}

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
    bool is_modern = mcp_is_modern(exchange->req);
    write_schema(writer, JSV_STR("inputSchema"), tool->input_schema, is_modern);
    if (is_modern) {
        mcp_write_member(writer, JSV_STR("outputSchema"), tool->output_schema);
    } else if (version >= MCP_VERSION_2025_06_18 && is_object_schema(tool->output_schema)) {
        write_schema(writer, JSV_STR("outputSchema"), tool->output_schema, false);
    }
    if (version >= MCP_VERSION_2025_03_26) {
        write_annotations(writer, jsv_value_get(tool->value, JSV_STR("annotations")));
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
