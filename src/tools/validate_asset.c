#include "tools/builtin.h"

int tool_validate_asset(struct tool_call *call)
{
    const struct jsv_schema *schema;
    int r = tool_schema(call, jsv_value_text(tool_argument(call, JSV_STR("schema"))), &schema);
    if (r == 0) {
        struct jsv_value asset = tool_argument(call, JSV_STR("asset"));
        r = tool_check(call, schema, asset, TOOL_VERDICT_NEGATIVE);
    }
    if (r != 0) {
        return r < 0 ? r : TOOL_DONE;
    }
    struct jsv_writer writer = tool_begin(call, true);
    return tool_end(call, &writer, TOOL_VERDICT_OK);
}
