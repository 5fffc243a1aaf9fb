/*
 * One verdict per asset. A validation that hits a limit has taken as much time as
 * a message may take, so the assets after it are not validated: each could take
 * as long again.
 */
#include "tools/builtin.h"

static void write_valid(struct jsv_writer *writer)
{
    jsv_write_object_begin(writer);
    jsv_write_member_bool(writer, JSV_STR("ok"), true);
    jsv_write_object_end(writer);
}

static void write_invalid(
    struct jsv_writer *writer, const struct jsv_problems *problems, struct jsv_str message)
{
    jsv_write_object_begin(writer);
    jsv_write_member_bool(writer, JSV_STR("ok"), false);
    if (message.data) {
        tool_write_problem(writer, JSV_STR(""), message);
    } else {
        tool_write_problems(writer, problems);
    }
    jsv_write_object_end(writer);
}

/* @return 0; -ELOOP, -ETIME when a limit was hit, which is written; -errno. */
static int write_verdict(
    struct tool_call *call,
    struct jsv_writer *writer,
    const struct jsv_schema *schema,
    struct jsv_value asset)
{
    struct jsv_problems problems;
    int r = tool_validate(call, schema, asset, &problems);
    struct jsv_str message = tool_limit_message(r);
    if (r > 0) {
        write_valid(writer);
    } else if (r == 0 || message.data) {
        write_invalid(writer, &problems, message);
    }
    return r < 0 ? r : 0;
}

static int
write_results(struct tool_call *call, const struct jsv_schema *schema, struct jsv_value assets)
{
    struct jsv_writer writer = tool_begin(call, true);
    jsv_write_member_array_begin(&writer, JSV_STR("results"));
    struct jsv_iter iter = jsv_value_iter(assets);
    int r = 0;
    while (jsv_iter_next(&iter)) {
        if (r < 0) {
            write_invalid(
                &writer,
                NULL,
                JSV_STR(
                    "validation_limit: not validated, because an asset before it hit the limit"));
            continue;
        }
        r = write_verdict(call, &writer, schema, iter.value);
        if (r < 0 && !tool_limit_message(r).data) {
            return r;
        }
    }
    jsv_write_array_end(&writer);
    return tool_end(call, &writer, TOOL_VERDICT_OK);
}

static int refuse_batch(struct tool_call *call, size_t limit)
{
    struct jsv_writer writer = tool_begin_failure(call, JSV_STR("unsupported"));
    jsv_write_member_string(&writer, JSV_STR("detail"), JSV_STR("batch_too_large"));
    jsv_write_member_uint64(&writer, JSV_STR("limit"), limit);
    return tool_end(call, &writer, TOOL_VERDICT_FAILED);
}

int tool_validate_many(struct tool_call *call)
{
    struct jsv_value assets = tool_argument(call, JSV_STR("assets"));
    size_t limit = call->tools->settings.batch_max;
    if (jsv_value_count(assets) > limit) {
        return refuse_batch(call, limit);
    }
    const struct jsv_schema *schema;
    int r = tool_schema(call, jsv_value_text(tool_argument(call, JSV_STR("schema"))), &schema);
    if (r != 0) {
        return r < 0 ? r : TOOL_DONE;
    }
    return write_results(call, schema, assets);
}
