/*
 * Reads a document, looks at a part of it by JSON Pointer, and writes a new
 * one around that part. Parts that are copied keep their spelling: 12.50 does not
 * become 12.5.
 */
#include <stdio.h>

#include <jsv/json.h>

int main(void)
{
    struct jsv_str text =
        JSV_STR("{ \"layers\": [ {\"name\": \"tone\"},\n"
                "               {\"name\": \"beam\", \"period_s\": 12.50, \"gain\": 1e-3} ] }");
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_error error;
    if (!reader || !document) {
        return 2;
    }
    if (jsv_read(reader, document, text, 0, &error) < 0) {
        fprintf(stderr, "%zu:%zu: %s\n", error.line, error.column, error.message.data);
        return 1;
    }

    struct jsv_value beam;
    struct jsv_value root = jsv_document_root(document);
    if (jsv_pointer_get(root, JSV_STR("/layers/1"), &beam) < 0) {
        fprintf(stderr, "there is no second layer\n");
        return 1;
    }

    /* A member that is not there is a value, too: of no type. So look-ups need no checks. */
    struct jsv_value colour = jsv_value_get(jsv_value_get(beam, JSV_STR("light")), JSV_STR("rgb"));

    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 4096);
    struct jsv_writer writer = jsv_writer_on(&out);
    jsv_write_object_begin(&writer);
    jsv_write_member_uint64(
        &writer, JSV_STR("layers"), jsv_value_count(jsv_value_get(root, JSV_STR("layers"))));
    jsv_write_member_bool(&writer, JSV_STR("coloured"), jsv_value_type(colour) != JSV_TYPE_NONE);
    jsv_write_member_value(&writer, JSV_STR("second"), beam);
    jsv_write_object_end(&writer);
    if (out.error == 0) {
        printf("%.*s\n", (int)out.size, out.data);
    }

    jsv_buf_done(&out);
    jsv_document_free(document);
    jsv_reader_free(reader);
    return 0;
}
