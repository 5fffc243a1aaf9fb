#include "dialect/problems.h"

/* Longer than any pointer worth reading; one that does not fit loses its prefix. */
#define PATH_SIZE_MAX ((size_t)1024 * 1024)

static void write_text(struct jsv_writer *writer, struct jsv_str name, struct jsv_str text)
{
    jsv_write_key(writer, name);
    jsv_write_string(writer, text);
}

static void write_path(
    struct jsv_writer *writer, struct jsv_str name, struct jsv_str prefix, struct jsv_str path)
{
    struct jsv_buf whole;
    jsv_buf_init(&whole, &writer->out->allocator, PATH_SIZE_MAX);
    jsv_buf_append_str(&whole, prefix);
    jsv_buf_append_str(&whole, path);
    write_text(writer, name, whole.error == 0 ? jsv_buf_str(&whole) : path);
    jsv_buf_done(&whole);
}

static void
write_list(struct jsv_writer *writer, struct jsv_str prefix, const struct jsv_problems *problems)
{
    jsv_write_key(writer, JSV_STR("errors"));
    jsv_write_array_begin(writer);
    for (size_t i = 0; i < problems->count; i++) {
        jsv_write_object_begin(writer);
        write_path(writer, JSV_STR("path"), prefix, problems->items[i].path);
        write_text(writer, JSV_STR("msg"), problems->items[i].message);
        jsv_write_object_end(writer);
    }
    jsv_write_array_end(writer);
}

void dialect_write_problems(
    struct jsv_writer *writer, struct jsv_str prefix, const struct jsv_problems *problems)
{
    const struct jsv_problem *first = &problems->items[0];
    jsv_write_object_begin(writer);
    write_path(writer, JSV_STR("validationPath"), prefix, first->path);
    write_text(writer, JSV_STR("schemaPath"), first->schema_path);
    write_text(writer, JSV_STR("validationError"), first->message);
    write_text(
        writer,
        JSV_STR("suggestion"),
        JSV_STR("Correct the members that are listed and send the message again"));
    write_list(writer, prefix, problems);
    jsv_write_object_end(writer);
}
