#include "envelope/schemas.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "envelope/embedded.h"
#include "jsv/base/alloc.h"

/* References between the files are relative to this. */
#define BASE_URI "mcpgate:/envelope/"

/* More than the longest URI of a file has. */
#define URI_SIZE_MAX 128

struct envelope_schemas {
    struct jsv_allocator allocator;
    struct jsv_registry *registry;
    struct jsv_schema *compiled[ENVELOPE_SCHEMAS];
};

static const struct {
    const char *file;
    struct jsv_schema_options options;
} table[ENVELOPE_SCHEMAS] = {
#define ENVELOPE_SCHEMA(name, file, format) {file, {.assert_format = (format), .skip_meta = true}},
#include "envelope/schemas.def"
#undef ENVELOPE_SCHEMA
};

static struct jsv_str uri_of(const char *file, char uri[static URI_SIZE_MAX])
{
    size_t base_size = sizeof(BASE_URI) - 1;
    size_t file_size = strlen(file);
    assert(base_size + file_size <= URI_SIZE_MAX);
    memcpy(uri, BASE_URI, base_size);
    memcpy(uri + base_size, file, file_size);
    return (struct jsv_str){uri, base_size + file_size};
}

/* The schemas are part of the program: an invalid one is a bug. */
static int checked(int r)
{
    assert(r == 0 || r == -ENOMEM);
    return r;
}

static int add_all(struct jsv_registry *registry)
{
    char uri[URI_SIZE_MAX];
    for (const struct jsv_embedded *file = envelope_embedded; file->name; file++) {
        struct jsv_str text = {file->data, file->size};
        int r = checked(jsv_registry_add(registry, uri_of(file->name, uri), text, NULL));
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int compile_all(struct envelope_schemas *schemas)
{
    char uri[URI_SIZE_MAX];
    for (size_t i = 0; i < ENVELOPE_SCHEMAS; i++) {
        int r = checked(jsv_schema_compile(
            schemas->registry,
            uri_of(table[i].file, uri),
            &table[i].options,
            &schemas->compiled[i],
            NULL));
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

int envelope_schemas_new(
    const struct jsv_allocator *allocator, struct envelope_schemas **ret_schemas)
{
    struct jsv_allocator memory = jsv_allocator_or_default(allocator);
    struct envelope_schemas *schemas = jsv_alloc(&memory, sizeof(*schemas));
    if (!schemas) {
        return -ENOMEM;
    }
    *schemas = (struct envelope_schemas){.allocator = memory};
    schemas->registry = jsv_registry_new(&memory, NULL);
    int r = schemas->registry ? add_all(schemas->registry) : -ENOMEM;
    if (r == 0) {
        r = compile_all(schemas);
    }
    if (r < 0) {
        envelope_schemas_free(schemas);
        return r;
    }
    *ret_schemas = schemas;
    return 0;
}

void envelope_schemas_free(struct envelope_schemas *schemas)
{
    if (!schemas) {
        return;
    }
    for (size_t i = 0; i < ENVELOPE_SCHEMAS; i++) {
        jsv_schema_free(schemas->compiled[i]);
    }
    jsv_registry_free(schemas->registry);
    struct jsv_allocator memory = schemas->allocator;
    jsv_dealloc(&memory, schemas, sizeof(*schemas));
}

const struct jsv_schema *
envelope_schemas_get(const struct envelope_schemas *schemas, enum envelope_schema which)
{
    return schemas->compiled[which];
}

struct jsv_str envelope_schemas_text(struct jsv_str file)
{
    for (const struct jsv_embedded *entry = envelope_embedded; entry->name; entry++) {
        if (jsv_str_equal(jsv_str_from(entry->name), file)) {
            return (struct jsv_str){entry->data, entry->size};
        }
    }
    return (struct jsv_str){0};
}
