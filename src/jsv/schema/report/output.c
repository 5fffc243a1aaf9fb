/*
 * Problems as JSON: our own short form, and the one the specification calls
 * "basic" (2020-12 core, section 12).
 */
#include <stdio.h>

#include <jsv/json.h>
#include <jsv/problem.h>

#include "jsv/base/percent.h"

static void write_member(struct jsv_writer *writer, struct jsv_str name, struct jsv_str text)
{
    jsv_write_key(writer, name);
    jsv_write_string(writer, text);
}

int jsv_problems_write_json(const struct jsv_problems *problems, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_array_begin(&writer);
    for (size_t i = 0; i < problems->count; i++) {
        const struct jsv_problem *problem = &problems->items[i];
        jsv_write_object_begin(&writer);
        write_member(&writer, JSV_STR("path"), problem->path);
        write_member(&writer, JSV_STR("msg"), problem->message);
        write_member(&writer, JSV_STR("keyword"), problem->keyword);
        write_member(&writer, JSV_STR("schemaPath"), problem->schema_path);
        jsv_write_object_end(&writer);
    }
    jsv_write_array_end(&writer);
    return out->error;
}

/* ---- basic ---- */

/* A resource's URI with the place in it as the fragment. */
static void write_absolute(struct jsv_writer *writer, const struct jsv_problem *problem)
{
    struct jsv_buf uri;
    jsv_buf_init(&uri, &writer->out->allocator, writer->out->size_max);
    jsv_buf_append_str(&uri, problem->resource_uri);
    jsv_buf_append_byte(&uri, '#');
    jsv_percent_append(&uri, problem->resource_path, JSV_PERCENT_FRAGMENT);
    if (uri.error) {
        writer->out->error = uri.error;
    } else {
        write_member(writer, JSV_STR("absoluteKeywordLocation"), jsv_buf_str(&uri));
    }
    jsv_buf_done(&uri);
}

static void write_unit(struct jsv_writer *writer, const struct jsv_problem *problem)
{
    jsv_write_object_begin(writer);
    write_member(writer, JSV_STR("keywordLocation"), problem->evaluation_path);
    if (problem->resource_uri.size > 0) {
        write_absolute(writer, problem);
    }
    write_member(writer, JSV_STR("instanceLocation"), problem->path);
    write_member(writer, JSV_STR("error"), problem->message);
    jsv_write_object_end(writer);
}

/* Digits of the largest count and the words around them. */
#define MORE_SIZE_MAX 64

static void write_more(struct jsv_writer *writer, size_t count)
{
    char text[MORE_SIZE_MAX];
    int size = snprintf(text, sizeof(text), "and %zu more", count);
    write_unit(writer, &(struct jsv_problem){.message = {text, (size_t)size}});
}

int jsv_problems_write_basic(const struct jsv_problems *problems, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    bool valid = problems->count + problems->more == 0;
    jsv_write_object_begin(&writer);
    jsv_write_key(&writer, JSV_STR("valid"));
    jsv_write_bool(&writer, valid);
    if (!valid) {
        jsv_write_key(&writer, JSV_STR("errors"));
        jsv_write_array_begin(&writer);
        for (size_t i = 0; i < problems->count; i++) {
            write_unit(&writer, &problems->items[i]);
        }
        if (problems->more > 0) {
            write_more(&writer, problems->more);
        }
        jsv_write_array_end(&writer);
    }
    jsv_write_object_end(&writer);
    return out->error;
}
