#include "documents/describe.h"

#include "dialect/mcp/mcp.h"
#include "dialect/prompts.h"

struct jsv_str dialect_tool_version(const struct catalog_tool *tool)
{
    struct jsv_str version = jsv_value_text(jsv_value_get(tool->value, JSV_STR("version")));
    bool is_program = tool->directory.size > 0;
    return version.size > 0 ? version : is_program ? JSV_STR("unknown") : JSV_STR(MCPGATE_VERSION);
}

/* The longest id: a prefix, and a name as long as the catalog takes them. */
#define TOOL_ID_MAX 256

void dialect_write_tool_id(
    struct jsv_writer *writer, struct jsv_str name, const struct catalog_tool *tool)
{
    struct jsv_buf id;
    jsv_buf_init(&id, &writer->out->allocator, TOOL_ID_MAX);
    jsv_buf_append_str(&id, JSV_STR(DIALECT_TOOL_ID_PREFIX));
    jsv_buf_append_str(&id, tool->name);
    jsv_write_member_string(writer, name, jsv_buf_str(&id));
    jsv_buf_done(&id);
}

/* Members are named one by one: a descriptor has some that are nobody's business. */
static void write_tool(struct jsv_writer *writer, const struct catalog_tool *tool)
{
    jsv_write_object_begin(writer);
    dialect_write_tool_id(writer, JSV_STR("toolId"), tool);
    jsv_write_member_string(writer, JSV_STR("name"), tool->name);
    mcp_write_member(writer, JSV_STR("title"), jsv_value_get(tool->value, JSV_STR("title")));
    jsv_write_member_string(writer, JSV_STR("version"), dialect_tool_version(tool));
    jsv_write_member_string(writer, JSV_STR("description"), tool->description);
    mcp_write_member(writer, JSV_STR("inputSchema"), tool->input_schema);
    mcp_write_member(writer, JSV_STR("outputSchema"), tool->output_schema);
    if (tool->fingerprint.size > 0) {
        jsv_write_member_string(writer, JSV_STR("fingerprint"), tool->fingerprint);
    }
    mcp_write_member(
        writer, JSV_STR("annotations"), jsv_value_get(tool->value, JSV_STR("annotations")));
    jsv_write_object_end(writer);
}

void dialect_write_tools(struct jsv_writer *writer, const struct catalog *catalog)
{
    jsv_write_member_array_begin(writer, JSV_STR("tools"));
    for (size_t i = 0; i < catalog_tool_count(catalog); i++) {
        write_tool(writer, catalog_tool_at(catalog, i));
    }
    jsv_write_array_end(writer);
}

void dialect_write_prompt_arguments(struct jsv_writer *writer, const struct dialect_prompt *prompt)
{
    const struct dialect_prompt_argument *argument;
    jsv_write_member_array_begin(writer, JSV_STR("arguments"));
    for (size_t i = 0; (argument = dialect_prompt_argument_at(prompt, i)) != NULL; i++) {
        jsv_write_object_begin(writer);
        jsv_write_member_string(writer, JSV_STR("name"), argument->name);
        jsv_write_member_string(writer, JSV_STR("description"), argument->description);
        jsv_write_member_bool(writer, JSV_STR("required"), argument->is_required);
        jsv_write_object_end(writer);
    }
    jsv_write_array_end(writer);
}

void dialect_write_prompts(struct jsv_writer *writer)
{
    const struct dialect_prompt *prompt;
    jsv_write_member_array_begin(writer, JSV_STR("prompts"));
    for (size_t i = 0; (prompt = dialect_prompt_at(i)) != NULL; i++) {
        jsv_write_object_begin(writer);
        jsv_write_member_string(writer, JSV_STR("promptId"), prompt->id);
        jsv_write_member_string(writer, JSV_STR("title"), prompt->title);
        jsv_write_member_string(writer, JSV_STR("description"), prompt->description);
        dialect_write_prompt_arguments(writer, prompt);
        jsv_write_object_end(writer);
    }
    jsv_write_array_end(writer);
}

void dialect_write_user_message(struct jsv_writer *writer, struct jsv_str text)
{
    jsv_write_array_begin(writer);
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("role"), JSV_STR("user"));
    jsv_write_member_object_begin(writer, JSV_STR("content"));
    jsv_write_member_string(writer, JSV_STR("type"), JSV_STR("text"));
    jsv_write_member_string(writer, JSV_STR("text"), text);
    jsv_write_object_end(writer);
    jsv_write_object_end(writer);
    jsv_write_array_end(writer);
}

void dialect_write_prompt_messages(struct jsv_writer *writer, struct jsv_str text)
{
    jsv_write_key(writer, JSV_STR("messages"));
    dialect_write_user_message(writer, text);
}
