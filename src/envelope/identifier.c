#include "envelope/identifier.h"

#include <errno.h>

#include "envelope/policy.h"
#include "jsv/json/write.h"

/* c1fd1c20-77b7-4f73-b39c-8ed2dd2f2d8c: shared by all programs that make such ids. */
static const unsigned char namespace[OS_UUID_BYTES] = {
    0xc1,
    0xfd,
    0x1c,
    0x20,
    0x77,
    0xb7,
    0x4f,
    0x73,
    0xb3,
    0x9c,
    0x8e,
    0xd2,
    0xdd,
    0x2f,
    0x2d,
    0x8c,
};

/* ---- pieces: written with their keys in order, so that no sorting is needed ---- */

static void put_string(struct jsv_str text, struct jsv_buf *out)
{
    jsv_escape_append(out, text, JSV_ESCAPE_ASCII);
}

static void put_head(struct jsv_str method, struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR("{\"method\":"));
    put_string(method, out);
    jsv_buf_append_str(out, JSV_STR(",\"payload\":"));
}

static int put_tail(struct jsv_str route, struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR(",\"route\":"));
    put_string(route, out);
    return jsv_buf_append_byte(out, '}');
}

static int put_value(struct jsv_value value, struct jsv_arena *scratch, struct jsv_buf *out)
{
    size_t start = out->size;
    int r = jsv_canon_write(value, JSV_CANON_ASCII, scratch, out, NULL);
    if (r != -ERANGE) {
        return r;
    }
    out->size = start;
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_value(&writer, value);
    return out->error;
}

/* ---- seeds ---- */

int envelope_seed(
    struct jsv_str route,
    struct jsv_str method,
    struct jsv_value payload,
    struct jsv_arena *scratch,
    struct jsv_buf *out)
{
    put_head(method, out);
    int r = put_value(payload, scratch, out);
    return r < 0 ? r : put_tail(route, out);
}

int envelope_seed_discover(struct jsv_buf *out)
{
    put_head(JSV_STR("mcp.discover"), out);
    jsv_buf_append_str(out, JSV_STR("{}"));
    return put_tail(JSV_STR("discover"), out);
}

int envelope_seed_prompt(struct jsv_str prompt_id, struct jsv_buf *out)
{
    put_head(JSV_STR("mcp.prompt.get"), out);
    jsv_buf_append_str(out, JSV_STR("{\"promptId\":"));
    put_string(prompt_id, out);
    jsv_buf_append_byte(out, '}');
    return put_tail(JSV_STR("prompt"), out);
}

int envelope_seed_tool(
    struct jsv_str tool_id,
    struct jsv_value arguments,
    struct jsv_arena *scratch,
    struct jsv_buf *out)
{
    put_head(JSV_STR("mcp.tool.invoke"), out);
    jsv_buf_append_str(out, JSV_STR("{\"arguments\":"));
    int r = jsv_value_type(arguments) == JSV_TYPE_NONE ? jsv_buf_append_str(out, JSV_STR("{}"))
                                                       : put_value(arguments, scratch, out);
    if (r < 0) {
        return r;
    }
    jsv_buf_append_str(out, JSV_STR(",\"toolId\":"));
    put_string(tool_id, out);
    jsv_buf_append_byte(out, '}');
    return put_tail(JSV_STR("tool"), out);
}

static int seed_without_meta(
    struct jsv_str tool_name,
    struct jsv_value params,
    struct jsv_arena *scratch,
    struct jsv_buf *out)
{
    struct jsv_buf text;
    jsv_buf_init(&text, &out->allocator, out->size_max);
    envelope_write_without(params, JSV_STR("_meta"), &text);
    struct jsv_reader *reader = jsv_reader_new(&out->allocator, NULL);
    struct jsv_document *document = jsv_document_new(&out->allocator);
    int r = reader && document ? text.error : -ENOMEM;
    if (r == 0) {
        r = jsv_read(reader, document, jsv_buf_str(&text), 0, NULL);
    }
    if (r == 0) {
        struct jsv_value payload = jsv_document_root(document);
        r = envelope_seed(JSV_STR("envelope"), tool_name, payload, scratch, out);
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
    jsv_buf_done(&text);
    return r;
}

int envelope_seed_run(
    struct jsv_str tool_name,
    struct jsv_value params,
    struct jsv_arena *scratch,
    struct jsv_buf *out)
{
    if (jsv_value_type(jsv_value_get(params, JSV_STR("_meta"))) == JSV_TYPE_NONE) {
        return envelope_seed(JSV_STR("envelope"), tool_name, params, scratch, out);
    }
    return seed_without_meta(tool_name, params, scratch, out);
}

/* ---- ids ---- */

void envelope_id_from_seed(
    enum envelope_id kind, struct jsv_str seed, char ret_text[static OS_UUID_SIZE + 1])
{
    static const struct jsv_str prefixes[] = {
        [ENVELOPE_ID_REQUEST] = JSV_STR("req:"),
        [ENVELOPE_ID_TRACE] = JSV_STR("trace:"),
        [ENVELOPE_ID_SPAN] = JSV_STR("span:"),
        [ENVELOPE_ID_RUN] = JSV_STR("run:"),
    };
    const struct jsv_str name[] = {prefixes[kind], seed};
    os_uuid_named(namespace, name, 2, ret_text);
}
