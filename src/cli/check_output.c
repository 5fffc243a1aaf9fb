#include "cli/check_output.h"

#include <stdio.h>

#include "cli/message.h"
#include "mcp/check.h"
#include "tools/result.h"

/*
 * Valid messages are most of a stream. What is said about them is made of names
 * that need no escaping, so it is put together as text.
 */
static void put_name(struct jsv_buf *out, struct jsv_str key, struct jsv_str name)
{
    jsv_buf_append_str(out, key);
    jsv_buf_append_str(out, name);
    jsv_buf_append_byte(out, '"');
}

static void write_good(const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR("{\"ok\":true"));
    if (verdict->shape.kind != MCP_KIND_NONE) {
        struct jsv_str kind = jsv_str_from(mcp_kind_name(verdict->shape.kind));
        put_name(out, JSV_STR(",\"kind\":\""), kind);
    }
    if (verdict->method) {
        put_name(out, JSV_STR(",\"method\":\""), verdict->method->name);
    }
    if (verdict->definition) {
        put_name(out, JSV_STR(",\"definition\":\""), jsv_str_from(verdict->definition));
    }
    jsv_buf_append_str(out, JSV_STR("}\n"));
}

static void write_bad(const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("ok"));
    jsv_write_bool(&writer, false);
    jsv_write_key(&writer, JSV_STR("layer"));
    jsv_write_string(&writer, jsv_str_from(mcp_layer_name(verdict->layer)));
    jsv_write_key(&writer, JSV_STR("code"));
    jsv_write_int64(&writer, verdict->code);
    struct jsv_problems listed = verdict->problems;
    listed.more = 0; /* these lines have nothing else */
    tool_write_problems(&writer, &listed);
    jsv_write_object_end(&writer);
    jsv_buf_append_byte(out, '\n');
}

void check_output_write(const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    if (verdict->layer == MCP_LAYER_NONE) {
        write_good(verdict, out);
    } else {
        write_bad(verdict, out);
    }
}

/* ---- for people ---- */

/* Bytes shown of what comes from the input. */
#define TEXT_SHOWN_MAX 512

static void put_code(struct app_message *message, const struct mcp_verdict *verdict)
{
    char code[24];
    snprintf(code, sizeof(code), ", %d)", verdict->code);
    app_message_put(message, " (");
    app_message_put(message, mcp_layer_name(verdict->layer));
    app_message_put(message, code);
}

static void write_problem(
    const char *name,
    size_t line,
    const struct mcp_verdict *verdict,
    const struct jsv_problem *problem,
    struct jsv_buf *out)
{
    struct app_message message;
    app_message_init(&message, false);
    app_message_put_clipped(&message, jsv_str_from(name), TEXT_SHOWN_MAX);
    app_message_put(&message, ":");
    app_message_put_number(&message, line);
    app_message_put(&message, ": ");
    if (verdict->method) {
        app_message_put_clipped(&message, verdict->method->name, TEXT_SHOWN_MAX);
        app_message_put(&message, ": ");
    }
    if (problem->path.size > 0) {
        app_message_put_clipped(&message, problem->path, TEXT_SHOWN_MAX);
        app_message_put(&message, ": ");
    }
    app_message_put_clipped(&message, problem->message, TEXT_SHOWN_MAX);
    put_code(&message, verdict);
    app_message_put(&message, "\n");
    jsv_buf_append(out, message.data, message.size);
}

void check_output_write_text(
    const char *name, size_t line, const struct mcp_verdict *verdict, struct jsv_buf *out)
{
    if (verdict->layer == MCP_LAYER_NONE) {
        return;
    }
    for (size_t i = 0; i < verdict->problems.count; i++) {
        write_problem(name, line, verdict, &verdict->problems.items[i], out);
    }
}
