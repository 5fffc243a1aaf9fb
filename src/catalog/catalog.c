#include "catalog/catalog.h"

#include <errno.h>
#include <string.h>

#include "catalog/snapshot.h"
#include "jsv/base/alloc.h"
#include "jsv/base/ascii.h"
#include "os/sys.h"

/* ---- schemas ----
 *
 * Only "*.schema.json" directly in the root are served by name. All other
 * files of the root are there for references.
 */

#define SCHEMA_ENDING JSV_STR(".schema.json")

/* A string, or a number as it is spelled; anything else is not a version. */
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
    return path.size > SCHEMA_ENDING.size && catalog_ends_with(path, SCHEMA_ENDING) &&
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
    return jsv_str_compare(left->name, right->name); /* names are unique */
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
                .name = {file->path.data, file->path.size - SCHEMA_ENDING.size},
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

/* ---- examples ----
 *
 * An asset may name its schema itself; otherwise its file name does.
 */

/* Files with this prefix are nested assets, which have the rules of another schema. */
#define NESTED_FILE   JSV_STR("SynestheticAsset")
#define NESTED_SCHEMA JSV_STR("nested-synesthetic-asset")
#define NESTED_RULES  JSV_STR("synesthetic-asset")

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

/* The text before the first of two characters. */
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

static int compare_examples(const void *context, const void *a, const void *b)
{
    (void)context;
    const struct catalog_example *left = a;
    const struct catalog_example *right = b;
    int order = jsv_str_compare(left->component, right->component);
    return order ? order : jsv_str_compare(left->path, right->path);
}

static int load_examples(struct catalog *catalog, struct catalog_loading *loading)
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

/* ---- loading ---- */

static const struct catalog_walk_options walks[CATALOG_ROOTS] = {
    [CATALOG_ROOT_SCHEMAS] = {{".json", 5}, true},
    [CATALOG_ROOT_EXAMPLES] = {{".json", 5}, true},
    [CATALOG_ROOT_TOOLS] = {{".tool.json", 10}, false},
};

static const struct catalog_files *files_of(const struct catalog *catalog, enum catalog_root root)
{
    return root == CATALOG_ROOT_SCHEMAS ? &catalog->compiler->files : &catalog->files[root];
}

static int load_files(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const struct catalog_options *options,
    const char **reterr_dir)
{
    const char *const directories[CATALOG_ROOTS] = {
        [CATALOG_ROOT_SCHEMAS] = options->schemas_dir,
        [CATALOG_ROOT_EXAMPLES] = options->examples_dir,
        [CATALOG_ROOT_TOOLS] = options->tools_dir,
    };
    for (size_t i = 0; i < CATALOG_ROOTS; i++) {
        bool is_schemas = i == CATALOG_ROOT_SCHEMAS;
        loading->arena = is_schemas ? &catalog->compiler->arena : &catalog->arena;
        int r = catalog_files_load(
            loading,
            directories[i],
            &walks[i],
            loading->previous ? files_of(loading->previous, (enum catalog_root)i) : NULL,
            is_schemas ? &catalog->compiler->files : &catalog->files[i]);
        if (r < 0) {
            *reterr_dir = r == -ENOMEM ? NULL : directories[i];
            return r;
        }
    }
    return 0;
}

static int load_all(
    struct catalog *catalog,
    struct catalog_loading *loading,
    const struct catalog_options *options,
    const char **reterr_dir)
{
    catalog->compiler = catalog_compiler_new(options->assert_format);
    int r = catalog->compiler ? load_files(catalog, loading, options, reterr_dir) : -ENOMEM;
    if (r == 0) {
        r = catalog_compiler_load(&catalog->compiler, loading, options->schemas_dir);
    }
    if (r == 0) {
        r = load_examples(catalog, loading);
    }
    return r < 0 ? r : catalog_tools_load(catalog, loading, options);
}

int catalog_load(
    const struct catalog_options *options,
    struct catalog *previous,
    catalog_warn *warn,
    void *context,
    struct catalog **ret_catalog,
    const char **reterr_dir)
{
    *reterr_dir = NULL;
    struct catalog *catalog = jsv_alloc(os_allocator(), sizeof(*catalog));
    if (!catalog) {
        return -ENOMEM;
    }
    *catalog = (struct catalog){0};
    atomic_init(&catalog->references, 1);
    jsv_arena_init(&catalog->arena, os_allocator(), CATALOG_ARENA_MAX);
    struct catalog_loading loading;
    int r = catalog_loading_init(&loading, &catalog->arena, warn, context);
    loading.previous = previous;
    if (r == 0) {
        r = load_all(catalog, &loading, options, reterr_dir);
    }
    catalog_loading_done(&loading);
    if (r < 0) {
        catalog_release(catalog);
        return r;
    }
    *ret_catalog = catalog;
    return 0;
}

/* ---- lifetime ---- */

struct catalog *catalog_retain(struct catalog *catalog)
{
    atomic_fetch_add_explicit(&catalog->references, 1, memory_order_relaxed);
    return catalog;
}

static void catalog_free(struct catalog *catalog)
{
    for (size_t i = 0; i < catalog->tool_count; i++) {
        catalog_tool_schemas_release(catalog->tools[i]->schemas);
        jsv_document_free(catalog->tools[i]->document);
    }
    catalog_compiler_release(catalog->compiler);
    for (size_t i = 0; i < CATALOG_ROOTS; i++) {
        catalog_files_done(&catalog->files[i]);
    }
    jsv_arena_done(&catalog->arena);
    jsv_dealloc(os_allocator(), catalog, sizeof(*catalog));
}

void catalog_release(struct catalog *catalog)
{
    /* The last one must see the writes of all others. */
    if (catalog && atomic_fetch_sub_explicit(&catalog->references, 1, memory_order_acq_rel) == 1) {
        catalog_free(catalog);
    }
}

/* ---- finding ---- */

size_t catalog_schema_count(const struct catalog *catalog)
{
    return catalog->compiler->schema_count;
}

const struct catalog_schema *catalog_schema_at(const struct catalog *catalog, size_t index)
{
    return &catalog->compiler->schemas[index]->schema;
}

size_t catalog_example_count(const struct catalog *catalog)
{
    return catalog->example_count;
}

const struct catalog_example *catalog_example_at(const struct catalog *catalog, size_t index)
{
    return &catalog->examples[index]->example;
}

static bool has_parent_segment(struct jsv_str path)
{
    for (size_t start = 0; start <= path.size;) {
        const char *slash = memchr(path.data + start, '/', path.size - start);
        size_t end = slash ? (size_t)(slash - path.data) : path.size;
        if (end - start == 2 && memcmp(path.data + start, "..", 2) == 0) {
            return true;
        }
        start = end + 1;
    }
    return false;
}

static int check_path(struct jsv_str path)
{
    bool bad = path.size == 0 || path.data[0] == '/' || memchr(path.data, '\0', path.size) ||
               has_parent_segment(path);
    return bad ? -EINVAL : 0;
}

int catalog_schema_find(
    const struct catalog *catalog, struct jsv_str name, const struct catalog_schema **ret_schema)
{
    int r = check_path(name);
    size_t from = 0;
    size_t to = r < 0 ? 0 : catalog->compiler->schema_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct catalog_schema *schema = &catalog->compiler->schemas[middle]->schema;
        int order = jsv_str_compare(schema->name, name);
        if (order == 0) {
            *ret_schema = schema;
            return 0;
        }
        from = order < 0 ? middle + 1 : from;
        to = order < 0 ? to : middle;
    }
    return r < 0 ? r : -ENOENT;
}

int catalog_example_find(
    const struct catalog *catalog, struct jsv_str path, const struct catalog_example **ret_example)
{
    int r = check_path(path);
    if (r < 0) {
        return r;
    }
    const struct catalog_files *files = &catalog->files[CATALOG_ROOT_EXAMPLES];
    const struct catalog_file *file = catalog_files_find(files, path);
    if (!file) {
        return -ENOENT;
    }
    *ret_example = &catalog->examples_by_path[file - files->items].example;
    return 0;
}
