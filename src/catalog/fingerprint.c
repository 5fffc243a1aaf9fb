#include "catalog/fingerprint.h"

static void write_part(const char *name, struct jsv_value schema, struct jsv_writer *writer)
{
    jsv_write_member_object_begin(writer, jsv_str_from(name));
    jsv_write_member_string(writer, JSV_STR("type"), JSV_STR("object"));
    if (jsv_value_type(schema) != JSV_TYPE_NONE) {
        jsv_write_member_array_begin(writer, JSV_STR("allOf"));
        jsv_write_value(writer, schema);
        jsv_write_array_end(writer);
    }
    jsv_write_object_end(writer);
}

static void write_tool(struct jsv_str tool_id, struct jsv_writer *writer)
{
    jsv_write_member_object_begin(writer, JSV_STR("tool"));
    jsv_write_member_string(writer, JSV_STR("const"), tool_id);
    jsv_write_object_end(writer);
}

int catalog_tool_io_write(
    struct jsv_str tool_id, struct jsv_value input, struct jsv_value output, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("type"), JSV_STR("object"));
    jsv_write_member_object_begin(&writer, JSV_STR("properties"));
    write_tool(tool_id, &writer);
    write_part("input", input, &writer);
    write_part("output", output, &writer);
    jsv_write_object_end(&writer);
    jsv_write_member_span(&writer, JSV_STR("required"), JSV_STR("[\"tool\"]"));
    jsv_write_object_end(&writer);
    return out->error;
}

int catalog_fingerprint(
    struct jsv_value schema, struct jsv_arena *scratch, char ret_hex[static OS_DIGEST_HEX_SIZE + 1])
{
    struct jsv_buf canonical;
    jsv_buf_init(&canonical, &scratch->allocator, SIZE_MAX);
    int r = jsv_canon_write(schema, JSV_CANON_UTF8, scratch, &canonical, NULL);
    if (r == 0) {
        os_digest(jsv_buf_str(&canonical), ret_hex);
    }
    jsv_buf_done(&canonical);
    return r;
}
