#include "tools/builtin.h"

/* A file name may give an empty schema name, which must not be reported as an invalid path. */
static int
example_schema(struct tool_call *call, struct jsv_str name, const struct jsv_schema **ret_schema)
{
    if (name.size > 0) {
        return tool_schema(call, name, ret_schema);
    }
    int r = tool_refuse(call, JSV_STR("/schema"), JSV_STR("schema_not_found"));
    return r < 0 ? r : 1;
}

static int write_example(struct tool_call *call, const struct catalog_example *example)
{
    struct jsv_str name = catalog_example_schema_name(example);
    const struct jsv_schema *schema;
    int r = example_schema(call, name, &schema);
    if (r == 0) {
        r = tool_check(call, schema, example->value, TOOL_VERDICT_FAILED);
    }
    if (r != 0) {
        return r < 0 ? r : TOOL_DONE;
    }
    struct jsv_writer writer = tool_begin(call, true);
    jsv_write_member_value(&writer, JSV_STR("example"), example->value);
    jsv_write_member_string(&writer, JSV_STR("schema"), name);
    jsv_write_member_bool(&writer, JSV_STR("validated"), true);
    return tool_end(call, &writer, TOOL_VERDICT_OK);
}

int tool_get_example(struct tool_call *call)
{
    const struct catalog_example *example;
    struct jsv_str path = jsv_value_text(tool_argument(call, JSV_STR("path")));
    switch (catalog_example_find(call->catalog, path, &example)) {
    case 0:
        return write_example(call, example);
    case -EINVAL:
        return tool_refuse(call, JSV_STR("/path"), JSV_STR("invalid_path"));
    default:
        return tool_not_found(call);
    }
}
