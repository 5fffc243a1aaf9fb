#include "tools/builtin.h"

static void write_schema(struct jsv_writer *writer, const struct catalog_schema *schema)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("name"), schema->name);
    jsv_write_member_string(writer, JSV_STR("version"), schema->version);
    jsv_write_member_string(writer, JSV_STR("path"), schema->path);
    jsv_write_object_end(writer);
}

int tool_list_schemas(struct tool_call *call)
{
    struct jsv_writer writer = tool_begin(call, true);
    jsv_write_member_array_begin(&writer, JSV_STR("schemas"));
    for (size_t i = 0; i < catalog_schema_count(call->catalog); i++) {
        write_schema(&writer, catalog_schema_at(call->catalog, i));
    }
    jsv_write_array_end(&writer);
    return tool_end(call, &writer, TOOL_VERDICT_OK);
}
