/*
 * Writing results. Errors stick to the buffer, so only tool_end() checks for
 * them.
 */
#include "tools/result.h"

#include "jsv/base/text.h"
#include "tools/builtin.h"

struct jsv_value tool_argument(const struct tool_call *call, struct jsv_str name)
{
    return jsv_value_get(call->arguments, name);
}

struct jsv_writer tool_begin(struct tool_call *call, bool ok)
{
    struct jsv_writer writer = jsv_writer_on(call->out);
    if (ok) {
        JSV_PUT(call->out, "{\"ok\":true");
    } else {
        JSV_PUT(call->out, "{\"ok\":false");
    }
    return writer;
}

struct jsv_writer tool_begin_failure(struct tool_call *call, struct jsv_str reason)
{
    struct jsv_writer writer = tool_begin(call, false);
    jsv_write_member_string(&writer, JSV_STR("reason"), reason);
    return writer;
}

int tool_end(struct tool_call *call, struct jsv_writer *writer, enum tool_verdict verdict)
{
    JSV_PUT(writer->out, "}");
    call->verdict = verdict;
    return call->out->error ? call->out->error : TOOL_DONE;
}

int tool_not_found(struct tool_call *call)
{
    struct jsv_writer writer = tool_begin_failure(call, JSV_STR("not_found"));
    return tool_end(call, &writer, TOOL_VERDICT_FAILED);
}

int tool_unsupported(struct tool_call *call, struct jsv_str detail)
{
    struct jsv_writer writer = tool_begin_failure(call, JSV_STR("unsupported"));
    jsv_write_member_string(&writer, JSV_STR("detail"), detail);
    return tool_end(call, &writer, TOOL_VERDICT_FAILED);
}

/* ---- problems ---- */

static void write_item(struct jsv_writer *writer, struct jsv_str path, struct jsv_str message)
{
    jsv_write_object_begin(writer);
    jsv_write_member_string(writer, JSV_STR("path"), path);
    jsv_write_member_string(writer, JSV_STR("msg"), message);
    jsv_write_object_end(writer);
}

void tool_write_problems(struct jsv_writer *writer, const struct jsv_problems *problems)
{
    jsv_write_member_array_begin(writer, JSV_STR("errors"));
    for (size_t i = 0; i < problems->count; i++) {
        write_item(writer, problems->items[i].path, problems->items[i].message);
    }
    jsv_write_array_end(writer);
    if (problems->more > 0) {
        jsv_write_member_uint64(writer, JSV_STR("more"), problems->more);
    }
}

void tool_write_problem(struct jsv_writer *writer, struct jsv_str path, struct jsv_str message)
{
    jsv_write_member_array_begin(writer, JSV_STR("errors"));
    write_item(writer, path, message);
    jsv_write_array_end(writer);
}

int tool_refuse(struct tool_call *call, struct jsv_str path, struct jsv_str message)
{
    struct jsv_writer writer = tool_begin_failure(call, JSV_STR("validation_failed"));
    tool_write_problem(&writer, path, message);
    return tool_end(call, &writer, TOOL_VERDICT_FAILED);
}

void tool_write_invalid(struct jsv_writer *writer, const struct jsv_problems *problems)
{
    jsv_write_object_begin(writer);
    jsv_write_member_bool(writer, JSV_STR("ok"), false);
    jsv_write_member_string(writer, JSV_STR("reason"), JSV_STR("validation_failed"));
    tool_write_problems(writer, problems);
    jsv_write_object_end(writer);
}

/* ---- programs ---- */

bool tool_tells_errors(const struct tool_call *call)
{
    const struct envelope_answer answer = {
        .result = call->result,
        .errors = {&call->failure, 1},
    };
    return envelope_passes_through(&answer);
}

void tool_write_failure(struct jsv_writer *writer, const struct tool_call *call)
{
    if (tool_tells_errors(call)) {
        jsv_write_span(writer, jsv_buf_str(call->out));
        return;
    }
    jsv_write_object_begin(writer);
    jsv_write_member_bool(writer, JSV_STR("ok"), false);
    jsv_write_member_string(writer, JSV_STR("reason"), JSV_STR("execution_failed"));
    jsv_write_member_string(writer, JSV_STR("detail"), call->failure.message);
    jsv_write_key(writer, JSV_STR("error"));
    envelope_issue_write(&call->failure, "details", writer);
    if (call->result.kind != ENVELOPE_RESULT_NONE) {
        jsv_write_member_span(writer, JSV_STR("partial"), jsv_buf_str(call->out));
    }
    jsv_write_object_end(writer);
}
