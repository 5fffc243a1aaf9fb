#include "tools/builtin.h"

int tool_diff_assets(struct tool_call *call)
{
    struct jsv_value base = tool_argument(call, JSV_STR("base"));
    struct jsv_value target = tool_argument(call, JSV_STR("new"));
    struct jsv_writer writer = tool_begin(call, true);
    jsv_write_key(&writer, JSV_STR("patch"));
    int r = jsv_diff_write(base, target, call->scratch, call->out);
    return r < 0 ? r : tool_end(call, &writer, TOOL_VERDICT_OK);
}
