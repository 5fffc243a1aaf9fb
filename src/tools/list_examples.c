#include "tools/builtin.h"

static void write_example(struct jsv_writer *writer, const struct catalog_example *example)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("component"), example->component);
    jsv_write_member_string(writer, JSV_STR("path"), example->path);
    jsv_write_object_end(writer);
}

int tool_list_examples(struct tool_call *call)
{
    struct jsv_value component = tool_argument(call, JSV_STR("component"));
    struct jsv_str wanted = jsv_value_text(component);
    bool all = jsv_value_type(component) == JSV_TYPE_NONE || jsv_str_equal(wanted, JSV_STR("all"));
    struct jsv_writer writer = tool_begin(call, true);
    jsv_write_member_array_begin(&writer, JSV_STR("examples"));
    for (size_t i = 0; i < catalog_example_count(call->catalog); i++) {
        const struct catalog_example *example = catalog_example_at(call->catalog, i);
        if (all || jsv_str_equal(example->component, wanted)) {
            write_example(&writer, example);
        }
    }
    jsv_write_array_end(&writer);
    return tool_end(call, &writer, TOOL_VERDICT_OK);
}
