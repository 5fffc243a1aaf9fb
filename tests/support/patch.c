#include "support/patch.h"

#include <string.h>

#include "jsv/json/pointer.h"

struct patching {
    struct jsv_value patch;
    struct jsv_writer writer;
    size_t applied;
};

/* The operation on a path; NONE when there is none. */
static struct jsv_value operation_on(const struct patching *patching, struct jsv_str path)
{
    struct jsv_iter iter = jsv_value_iter(patching->patch);
    while (jsv_iter_next(&iter)) {
        if (jsv_str_equal(jsv_value_text(jsv_value_get(iter.value, JSV_STR("path"))), path)) {
            return iter.value;
        }
    }
    return (struct jsv_value){0};
}

/* Append the members that are added to the object at a path. */
static void write_added(struct patching *patching, struct jsv_str path)
{
    struct jsv_iter iter = jsv_value_iter(patching->patch);
    while (jsv_iter_next(&iter)) {
        struct jsv_str op = jsv_value_text(jsv_value_get(iter.value, JSV_STR("op")));
        struct jsv_str to = jsv_value_text(jsv_value_get(iter.value, JSV_STR("path")));
        size_t at = path.size + 1;
        struct jsv_str token = {to.data + at, to.size >= at ? to.size - at : 0};
        char name[4096];
        bool is_below = to.size >= at && token.size <= sizeof(name) &&
                        jsv_str_equal((struct jsv_str){to.data, path.size}, path) &&
                        to.data[path.size] == '/' && !memchr(token.data, '/', token.size);
        if (is_below && jsv_str_equal(op, JSV_STR("add"))) {
            patching->applied++;
            size_t size = (size_t)(jsv_pointer_unescape(token, name) - name);
            jsv_write_member_value(
                &patching->writer,
                (struct jsv_str){name, size},
                jsv_value_get(iter.value, JSV_STR("value")));
        }
    }
}

/* Write a value, or what replaces it. */
static void write_patched(struct patching *patching, struct jsv_value value, struct jsv_buf *path)
{
    struct jsv_value operation = operation_on(patching, jsv_buf_str(path));
    if (jsv_value_type(operation) != JSV_TYPE_NONE) {
        patching->applied++;
        jsv_write_value(&patching->writer, jsv_value_get(operation, JSV_STR("value")));
        return;
    }
    if (jsv_value_type(value) != JSV_TYPE_OBJECT) {
        jsv_write_value(&patching->writer, value);
        return;
    }
    size_t size = path->size;
    jsv_write_object_begin(&patching->writer);
    struct jsv_iter iter = jsv_value_iter(value);
    while (jsv_iter_next(&iter)) {
        jsv_pointer_push(path, jsv_value_text(iter.key));
        struct jsv_str op =
            jsv_value_text(jsv_value_get(operation_on(patching, jsv_buf_str(path)), JSV_STR("op")));
        if (jsv_str_equal(op, JSV_STR("remove"))) {
            patching->applied++;
        } else {
            jsv_write_key(&patching->writer, jsv_value_text(iter.key));
            write_patched(patching, iter.value, path);
        }
        path->size = size;
    }
    write_added(patching, jsv_buf_str(path));
    jsv_write_object_end(&patching->writer);
}

bool patch_apply(struct jsv_value base, struct jsv_value patch, struct jsv_buf *out)
{
    struct patching patching = {patch, jsv_writer_on(out), 0};
    struct jsv_buf path;
    jsv_buf_init(&path, NULL, SIZE_MAX);
    write_patched(&patching, base, &path);
    jsv_buf_done(&path);
    return patching.applied == jsv_value_count(patch);
}
