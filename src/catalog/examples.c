/*
 * Examples, and which schema an asset belongs to. An asset may say so itself;
 * an example that does not is told by its file's name.
 */
#include <errno.h>
#include <string.h>

#include "catalog/order.h"
#include "catalog/snapshot.h"
#include "jsv/base/ascii.h"

/* Files of such a name are nested assets, a schema that has another's rules. */
#define NESTED_FILE   JSV_STR("SynestheticAsset")
#define NESTED_SCHEMA JSV_STR("nested-synesthetic-asset")
#define NESTED_RULES  JSV_STR("synesthetic-asset")

/* ---- names ---- */

static struct jsv_str without_ending(struct jsv_str name, struct jsv_str ending)
{
    return catalog_ends_with(name, ending) ? (struct jsv_str){name.data, name.size - ending.size}
                                           : name;
}

static struct jsv_str base_name(struct jsv_str path)
{
    size_t start = path.size;
    while (start > 0 && path.data[start - 1] != '/') {
        start--;
    }
    return (struct jsv_str){path.data + start, path.size - start};
}

/* What stands before the first of two characters. */
static struct jsv_str before_either(struct jsv_str text, char a, char b)
{
    size_t size = 0;
    while (size < text.size && text.data[size] != a && text.data[size] != b) {
        size++;
    }
    return (struct jsv_str){text.data, size};
}

struct jsv_str catalog_asset_schema_name(struct jsv_value asset)
{
    struct jsv_str name = jsv_value_text(jsv_value_get(asset, JSV_STR("schema")));
    if (name.size > 0) {
        return name;
    }
    struct jsv_str reference = jsv_value_text(jsv_value_get(asset, JSV_STR("$schemaRef")));
    if (reference.size == 0) {
        return JSV_STR("");
    }
    name = base_name(before_either(reference, '#', '?'));
    struct jsv_str shorter = without_ending(name, JSV_STR(".schema.json"));
    return shorter.size < name.size ? shorter : without_ending(name, JSV_STR(".json"));
}

static bool starts_with(struct jsv_str text, struct jsv_str start)
{
    return text.size >= start.size && memcmp(text.data, start.data, start.size) == 0;
}

/* In lower case; data NULL when memory ran out. */
static struct jsv_str lower_case(struct jsv_arena *arena, struct jsv_str text)
{
    char *lower = jsv_arena_alloc(arena, text.size + 1);
    for (size_t i = 0; lower && i < text.size; i++) {
        lower[i] = jsv_to_lower(text.data[i]);
    }
    return (struct jsv_str){lower, text.size};
}

static struct jsv_str component_of(struct jsv_str path)
{
    return before_either(base_name(path), '.', '_');
}

struct jsv_str
catalog_file_schema_name(struct jsv_value asset, struct jsv_str path, struct jsv_arena *arena)
{
    struct jsv_str name = catalog_asset_schema_name(asset);
    if (name.size > 0) {
        return name;
    }
    return starts_with(base_name(path), NESTED_FILE) ? NESTED_SCHEMA
                                                     : lower_case(arena, component_of(path));
}

struct jsv_str catalog_example_schema_name(const struct catalog_example *example)
{
    return ((const struct catalog_example_entry *)example)->schema_name;
}

int catalog_schema_resolve(
    const struct catalog *catalog, struct jsv_str name, const struct catalog_schema **ret_schema)
{
    return catalog_schema_find(
        catalog, jsv_str_equal(name, NESTED_SCHEMA) ? NESTED_RULES : name, ret_schema);
}

/* ---- loading ---- */

static int compare_examples(const void *context, const void *a, const void *b)
{
    (void)context;
    const struct catalog_example *left = a;
    const struct catalog_example *right = b;
    int order = jsv_str_compare(left->component, right->component);
    return order ? order : jsv_str_compare(left->path, right->path);
}

int catalog_examples_load(struct catalog *catalog, struct catalog_loading *loading)
{
    const struct catalog_files *files = &catalog->files[CATALOG_ROOT_EXAMPLES];
    struct catalog_example_entry *entries =
        jsv_arena_array(&catalog->arena, files->count + 1, sizeof(*entries));
    const void **sorted = jsv_arena_array(&catalog->arena, files->count + 1, sizeof(*sorted));
    if (!entries || !sorted) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < files->count; i++) {
        const struct catalog_file *file = &files->items[i];
        entries[i].example = (struct catalog_example){
            .component = component_of(file->path),
            .path = file->path,
            .text = file->text,
            .value = file->value,
        };
        entries[i].schema_name = catalog_file_schema_name(file->value, file->path, loading->arena);
        if (!entries[i].schema_name.data) {
            return -ENOMEM;
        }
        sorted[i] = &entries[i];
    }
    int r = catalog_order(&loading->scratch, sorted, files->count, compare_examples);
    if (r < 0) {
        return r;
    }
    catalog->examples_by_path = entries;
    catalog->examples = (void *)sorted;
    catalog->example_count = files->count;
    return 0;
}
