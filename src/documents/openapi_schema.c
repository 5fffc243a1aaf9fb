#include "documents/openapi_schema.h"

#include <string.h>

#define COMPONENTS "#/components/schemas/"

/* Nobody writes schemas that are nested deeper; what is, is copied as it is. */
#define DEPTH_MAX 128

static const struct openapi_component components[] = {
#define OPENAPI_COMPONENT(name, file) {JSV_STR(name), JSV_STR(file)},
#include "documents/openapi_components.def"
#undef OPENAPI_COMPONENT
};

#define COMPONENT_COUNT (sizeof(components) / sizeof(components[0]))

const struct openapi_component *openapi_component_at(size_t index)
{
    return index < COMPONENT_COUNT ? &components[index] : NULL;
}

struct copy {
    struct jsv_writer *writer;
    struct jsv_str component;
};

/* Members of a schema by what their values are. */
enum inside {
    SCHEMAS, /* a schema, or an array of some */
    NAMES,   /* schemas by names of any kind */
    DATA,    /* no schema */
};

static enum inside inside_of(struct jsv_str keyword)
{
    static const struct {
        struct jsv_str keyword;
        enum inside inside;
    } known[] = {
        {JSV_STR("properties"), NAMES},
        {JSV_STR("patternProperties"), NAMES},
        {JSV_STR("dependentSchemas"), NAMES},
        {JSV_STR("$defs"), NAMES},
        {JSV_STR("definitions"), NAMES},
        {JSV_STR("const"), DATA},
        {JSV_STR("enum"), DATA},
        {JSV_STR("default"), DATA},
        {JSV_STR("examples"), DATA},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (jsv_str_equal(known[i].keyword, keyword)) {
            return known[i].inside;
        }
    }
    return SCHEMAS;
}

/* ---- references ---- */

static struct jsv_str component_of_file(struct jsv_str file)
{
    for (size_t i = 0; i < COMPONENT_COUNT; i++) {
        if (jsv_str_equal(components[i].file, file)) {
            return components[i].name;
        }
    }
    return (struct jsv_str){NULL, 0};
}

/* Longer references than this are none of ours. */
#define REFERENCE_MAX ((size_t)64 * 1024)

static void write_reference(const struct copy *copy, struct jsv_str reference)
{
    const char *hash = reference.size > 0 ? memchr(reference.data, '#', reference.size) : NULL;
    size_t file_size = hash ? (size_t)(hash - reference.data) : reference.size;
    struct jsv_str file = {reference.data, file_size};
    struct jsv_str fragment = {
        reference.data + file_size + (hash ? 1 : 0), reference.size - file_size - (hash ? 1 : 0)};
    struct jsv_str component = file.size == 0 ? copy->component : component_of_file(file);
    bool is_pointer = fragment.size == 0 || fragment.data[0] == '/';
    if (!component.data || !is_pointer) {
        jsv_write_string(copy->writer, reference);
        return;
    }
    struct jsv_buf target;
    jsv_buf_init(&target, &copy->writer->out->allocator, REFERENCE_MAX);
    jsv_buf_append_str(&target, JSV_STR(COMPONENTS));
    jsv_buf_append_str(&target, component);
    jsv_buf_append_str(&target, fragment);
    jsv_write_string(copy->writer, jsv_buf_str(&target));
    jsv_buf_done(&target);
}

/* ---- the copy ---- */

static void
copy_value(const struct copy *copy, struct jsv_value value, enum inside inside, unsigned depth);

static void
copy_object(const struct copy *copy, struct jsv_value object, enum inside inside, unsigned depth)
{
    struct jsv_iter iter = jsv_value_iter(object);
    jsv_write_object_begin(copy->writer);
    while (jsv_iter_next(&iter)) {
        struct jsv_str name = jsv_value_text(iter.key);
        bool is_string = jsv_value_type(iter.value) == JSV_TYPE_STRING;
        bool is_keyword = inside == SCHEMAS;
        if (is_keyword && depth == 0 && jsv_str_equal(name, JSV_STR("$id"))) {
            continue;
        }
        jsv_write_key(copy->writer, name);
        if (is_keyword && is_string && jsv_str_equal(name, JSV_STR("$ref"))) {
            write_reference(copy, jsv_value_text(iter.value));
        } else {
            copy_value(copy, iter.value, is_keyword ? inside_of(name) : SCHEMAS, depth + 1);
        }
    }
    jsv_write_object_end(copy->writer);
}

static void
copy_value(const struct copy *copy, struct jsv_value value, enum inside inside, unsigned depth)
{
    enum jsv_type type = jsv_value_type(value);
    if (inside == DATA || depth == DEPTH_MAX) {
        jsv_write_value(copy->writer, value);
    } else if (type == JSV_TYPE_OBJECT) {
        copy_object(copy, value, inside, depth);
    } else if (type == JSV_TYPE_ARRAY) {
        struct jsv_iter iter = jsv_value_iter(value);
        jsv_write_array_begin(copy->writer);
        while (jsv_iter_next(&iter)) {
            copy_value(copy, iter.value, SCHEMAS, depth + 1);
        }
        jsv_write_array_end(copy->writer);
    } else {
        jsv_write_value(copy->writer, value);
    }
}

void openapi_schema_write(
    struct jsv_writer *writer, struct jsv_value schema, struct jsv_str component, bool is_envelope)
{
    const struct copy copy = {.writer = writer, .component = component};
    bool has_id = jsv_value_type(jsv_value_get(schema, JSV_STR("$id"))) != JSV_TYPE_NONE;
    if (has_id && !is_envelope) {
        jsv_write_value(writer, schema);
    } else {
        copy_value(&copy, schema, SCHEMAS, 0);
    }
}
