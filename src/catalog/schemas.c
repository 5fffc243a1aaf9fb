/*
 * The schemas that have names: "*.schema.json" directly in their root. All
 * other files of the root are there for references alone.
 */
#include <errno.h>
#include <string.h>

#include "catalog/order.h"
#include "catalog/snapshot.h"

#define ENDING JSV_STR(".schema.json")

/* A number keeps its spelling; what is neither text nor number is no version. */
static struct jsv_str version_of(struct jsv_value schema)
{
    struct jsv_value version = jsv_value_get(schema, JSV_STR("version"));
    struct jsv_str text = jsv_value_text(version);
    if (jsv_value_type(version) == JSV_TYPE_NUMBER) {
        text = jsv_value_span(version);
    }
    return text.data ? text : JSV_STR("");
}

static bool is_named(struct jsv_str path)
{
    return path.size > ENDING.size && catalog_ends_with(path, ENDING) &&
           !memchr(path.data, '/', path.size);
}

static bool can_be_schema(struct jsv_value value)
{
    enum jsv_type type = jsv_value_type(value);
    return type == JSV_TYPE_OBJECT || type == JSV_TYPE_BOOLEAN;
}

static int compare_schemas(const void *context, const void *a, const void *b)
{
    (void)context;
    const struct catalog_schema *left = a;
    const struct catalog_schema *right = b;
    return jsv_str_compare(left->name, right->name); /* no two files have the same */
}

static int add_schema(struct catalog_compiler *compiler, const struct catalog_resource *resource)
{
    const struct catalog_file *file = resource->file;
    struct catalog_schema_entry *entry = jsv_arena_alloc(&compiler->arena, sizeof(*entry));
    if (!entry) {
        return -ENOMEM;
    }
    *entry = (struct catalog_schema_entry){
        .schema =
            {
                .name = {file->path.data, file->path.size - ENDING.size},
                .version = version_of(file->value),
                .path = file->path,
                .text = file->text,
                .value = file->value,
            },
        .uri = resource->uri,
    };
    compiler->schemas[compiler->schema_count++] = entry;
    return 0;
}

int catalog_schemas_load(struct catalog_compiler *compiler, struct catalog_loading *loading)
{
    compiler->schemas = jsv_arena_array(
        &compiler->arena, compiler->resource_count + 1, sizeof(struct catalog_schema_entry *));
    if (!compiler->schemas) {
        return -ENOMEM;
    }
    int r = 0;
    for (size_t i = 0; i < compiler->resource_count && r == 0; i++) {
        const struct catalog_file *file = compiler->resources[i].file;
        if (is_named(file->path) && can_be_schema(file->value)) {
            r = add_schema(compiler, &compiler->resources[i]);
        }
    }
    return r < 0 ? r
                 : catalog_order(
                       &loading->scratch,
                       (void *)compiler->schemas,
                       compiler->schema_count,
                       compare_schemas);
}

int catalog_schemas_warn(
    const struct catalog_compiler *compiler, struct catalog_loading *loading, const char *directory)
{
    int r = 0;
    for (size_t i = 0; i < compiler->files.count && r == 0; i++) {
        const struct catalog_file *file = &compiler->files.items[i];
        if (is_named(file->path) && !can_be_schema(file->value)) {
            r = catalog_warn_of(
                loading, directory, file->path, JSV_STR("neither an object nor a boolean"));
        }
    }
    return r;
}
