#include "dialect/problems.h"

#include <string.h>

#include "log/event.h"

/* Longer than any pointer worth reading; one that does not fit loses its prefix. */
#define PATH_SIZE_MAX ((size_t)1024 * 1024)

/* ---- messages ---- */

/* Join texts in scratch memory. @return data NULL when there is none left. */
static struct jsv_str join(struct jsv_arena *scratch, const struct jsv_str *parts, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += parts[i].size;
    }
    char *text = jsv_arena_alloc(scratch, size);
    size_t used = 0;
    for (size_t i = 0; text && i < count; i++) {
        if (parts[i].size > 0) {
            memcpy(text + used, parts[i].data, parts[i].size);
            used += parts[i].size;
        }
    }
    return (struct jsv_str){text, text ? size : 0};
}

#define JOIN(scratch, parts) join((scratch), (parts), sizeof(parts) / sizeof((parts)[0]))

struct jsv_str dialect_message(struct jsv_arena *scratch, struct jsv_str what, struct jsv_str name)
{
    const struct jsv_str parts[] = {what, JSV_STR(" \""), log_clip(name), JSV_STR("\"")};
    struct jsv_str text = JOIN(scratch, parts);
    return text.data ? text : what;
}

struct jsv_str dialect_problem_message(
    struct jsv_arena *scratch,
    struct jsv_str what,
    struct jsv_str prefix,
    const struct jsv_problem *problem)
{
    bool has_place = prefix.size + problem->path.size > 0;
    const struct jsv_str parts[] = {
        what,
        JSV_STR(": "),
        prefix,
        log_clip(problem->path),
        has_place ? JSV_STR(": ") : JSV_STR(""),
        log_clip(problem->message),
    };
    struct jsv_str text = JOIN(scratch, parts);
    return text.data ? text : what;
}

/* ---- data ---- */

static void write_path(
    struct jsv_writer *writer, struct jsv_str name, struct jsv_str prefix, struct jsv_str path)
{
    struct jsv_buf whole;
    jsv_buf_init(&whole, &writer->out->allocator, PATH_SIZE_MAX);
    jsv_buf_append_str(&whole, prefix);
    jsv_buf_append_str(&whole, path);
    jsv_write_member_string(writer, name, whole.error == 0 ? jsv_buf_str(&whole) : path);
    jsv_buf_done(&whole);
}

static void
write_list(struct jsv_writer *writer, struct jsv_str prefix, const struct jsv_problems *problems)
{
    jsv_write_member_array_begin(writer, JSV_STR("errors"));
    for (size_t i = 0; i < problems->count; i++) {
        jsv_write_object_begin(writer);
        write_path(writer, JSV_STR("path"), prefix, problems->items[i].path);
        jsv_write_member_string(writer, JSV_STR("msg"), problems->items[i].message);
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
    jsv_write_member_string(writer, JSV_STR("schemaPath"), first->schema_path);
    jsv_write_member_string(writer, JSV_STR("validationError"), first->message);
    jsv_write_member_string(
        writer,
        JSV_STR("suggestion"),
        JSV_STR("Correct the members that are listed and send the message again"));
    write_list(writer, prefix, problems);
    jsv_write_object_end(writer);
}
