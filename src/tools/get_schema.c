#include "tools/builtin.h"

static int write_schema(struct tool_call *call, const struct catalog_schema *schema)
{
    struct jsv_writer writer = tool_begin(call, true);
    jsv_write_member_value(&writer, JSV_STR("schema"), schema->value);
    jsv_write_member_string(&writer, JSV_STR("version"), schema->version);
    return tool_end(call, &writer, TOOL_VERDICT_OK);
}

int tool_get_schema(struct tool_call *call)
{
    const struct catalog_schema *schema;
    struct jsv_str name = jsv_value_text(tool_argument(call, JSV_STR("name")));
    switch (catalog_schema_resolve(call->catalog, name, &schema)) {
    case 0:
        return write_schema(call, schema);
    case -EINVAL:
        return tool_refuse(call, JSV_STR("/name"), JSV_STR("invalid_path"));
    default:
        return tool_not_found(call);
    }
}
