#include "catalog/catalog.h"

#include <errno.h>
#include <string.h>

#include "catalog/snapshot.h"
#include "jsv/base/alloc.h"
#include "os/sys.h"

/* ---- loading ---- */

static const struct catalog_walk_options walks[CATALOG_ROOTS] = {
    [CATALOG_ROOT_SCHEMAS] = {{".json", 5}, true},
    [CATALOG_ROOT_EXAMPLES] = {{".json", 5}, true},
    [CATALOG_ROOT_TOOLS] = {{".tool.json", 10}, false},
};

/* The files of a root, and where they are kept. */
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
        r = catalog_examples_load(catalog, loading);
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
    /* Who lets go last must see what all others did before. */
    if (catalog && atomic_fetch_sub_explicit(&catalog->references, 1, memory_order_acq_rel) == 1) {
        catalog_free(catalog);
    }
}

/* ---- looking ---- */

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

/* What a client may ask for at all. */
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
