#include "dialect/write.h"

#include <string.h>

#include "dialect/mcp/mcp.h"
#include "log/event.h"

/* A longer path is written without its prefix. */
#define PATH_SIZE_MAX ((size_t)1024 * 1024)

/* ---- messages of errors ---- */

/* Join texts in scratch memory. @return data NULL when memory ran out. */
static struct jsv_str join(struct jsv_arena *scratch, const struct jsv_str *parts, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += parts[i].size;
    }
    char *text = jsv_arena_alloc(scratch, size);
    size_t used = 0;
    for (size_t i = 0; text && i < count; i++) {
        if (parts[i].size > 0) {
            memcpy(text + used, parts[i].data, parts[i].size);
            used += parts[i].size;
        }
    }
    return (struct jsv_str){text, text ? size : 0};
}

#define JOIN(scratch, parts) join((scratch), (parts), sizeof(parts) / sizeof((parts)[0]))

struct jsv_str dialect_message(struct jsv_arena *scratch, struct jsv_str what, struct jsv_str name)
{
    const struct jsv_str parts[] = {what, JSV_STR(" \""), log_clip(name), JSV_STR("\"")};
    struct jsv_str text = JOIN(scratch, parts);
    return text.data ? text : what;
}

struct jsv_str dialect_problem_message(
    struct jsv_arena *scratch,
    struct jsv_str what,
    struct jsv_str prefix,
    const struct jsv_problem *problem)
{
    bool has_place = prefix.size + problem->path.size > 0;
    const struct jsv_str parts[] = {
        what,
        JSV_STR(": "),
        prefix,
        log_clip(problem->path),
        has_place ? JSV_STR(": ") : JSV_STR(""),
        log_clip(problem->message),
    };
    struct jsv_str text = JOIN(scratch, parts);
    return text.data ? text : what;
}

/* ---- data of errors ---- */

static void write_path(
    struct jsv_writer *writer, struct jsv_str name, struct jsv_str prefix, struct jsv_str path)
{
    struct jsv_buf whole;
    jsv_buf_init(&whole, &writer->out->allocator, PATH_SIZE_MAX);
    jsv_buf_append_str(&whole, prefix);
    jsv_buf_append_str(&whole, path);
    jsv_write_member_string(writer, name, whole.error == 0 ? jsv_buf_str(&whole) : path);
    jsv_buf_done(&whole);
}

static void
write_list(struct jsv_writer *writer, struct jsv_str prefix, const struct jsv_problems *problems)
{
    jsv_write_member_array_begin(writer, JSV_STR("errors"));
    for (size_t i = 0; i < problems->count; i++) {
        jsv_write_object_begin(writer);
        write_path(writer, JSV_STR("path"), prefix, problems->items[i].path);
        jsv_write_member_string(writer, JSV_STR("msg"), problems->items[i].message);
        jsv_write_object_end(writer);
    }
    jsv_write_array_end(writer);
}

void dialect_write_problems(
    struct jsv_writer *writer, struct jsv_str prefix, const struct jsv_problems *problems)
{
    const struct jsv_problem *first = &problems->items[0];
    jsv_write_object_begin(writer);
    write_path(writer, JSV_STR("validationPath"), prefix, first->path);
    jsv_write_member_string(writer, JSV_STR("schemaPath"), first->schema_path);
    jsv_write_member_string(writer, JSV_STR("validationError"), first->message);
    jsv_write_member_string(
        writer,
        JSV_STR("suggestion"),
        JSV_STR("Correct the members that are listed and send the message again"));
    write_list(writer, prefix, problems);
    jsv_write_object_end(writer);
}

/* ---- tools ---- */

struct jsv_str dialect_tool_version(const struct catalog_tool *tool)
{
    struct jsv_str version = jsv_value_text(jsv_value_get(tool->value, JSV_STR("version")));
    bool is_program = tool->directory.size > 0;
    return version.size > 0 ? version : is_program ? JSV_STR("unknown") : JSV_STR(MCPGATE_VERSION);
}

/* The prefix and the longest name of a tool. */
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

/* Members are listed one by one, because a descriptor has some that are not public. */
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
