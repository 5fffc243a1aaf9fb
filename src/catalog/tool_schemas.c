/*
 * The schemas of tools, compiled on first use and kept by fingerprint.
 *
 * Each tool has a registry of its own for its two schemas, so that it can
 * outlive its snapshot. A new snapshot reuses the compiled schemas of every
 * tool whose fingerprint is unchanged.
 *
 * A tool may refer to files of the schema root. Such a tool is also compiled
 * again when a file of the root has changed.
 */
#include <errno.h>

#include "catalog/descriptor.h"
#include "catalog/snapshot.h"
#include "jsv/base/alloc.h"
#include "jsv/schema/registry/registry.h"
#include "os/sys.h"

#define URN_SIZE_MAX (CATALOG_TOOL_NAME_MAX + 64)

/* The state of compiling. */
struct making {
    const struct catalog *catalog;
    const struct catalog_tool_entry *entry;
    struct jsv_registry *meta; /* NULL: none */
    struct jsv_registry *registry;
    struct jsv_buf resolved; /* text for the registry, which copies it */
    struct jsv_schema *input;
    struct jsv_schema *output;
    const char *member; /* the one being compiled */
    struct jsv_error fault;
    bool needs_root;
};

/* ---- reuse ---- */

static struct catalog_tool_schemas *schemas_new(void)
{
    struct catalog_tool_schemas *schemas = jsv_alloc(os_allocator(), sizeof(*schemas));
    if (schemas) {
        *schemas = (struct catalog_tool_schemas){0};
        atomic_init(&schemas->references, 1);
        atomic_init(&schemas->ready, false);
        pthread_mutex_init(&schemas->lock, NULL);
        jsv_buf_init(&schemas->reason, os_allocator(), CATALOG_REASON_SIZE_MAX);
    }
    return schemas;
}

void catalog_tool_schemas_release(struct catalog_tool_schemas *schemas)
{
    if (!schemas || atomic_fetch_sub_explicit(&schemas->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    jsv_schema_free(schemas->input);
    jsv_schema_free(schemas->output);
    jsv_registry_free(schemas->registry);
    jsv_buf_done(&schemas->reason);
    pthread_mutex_destroy(&schemas->lock);
    jsv_dealloc(os_allocator(), schemas, sizeof(*schemas));
}

static bool is_ready(const struct catalog_tool_schemas *schemas)
{
    return atomic_load_explicit(&schemas->ready, memory_order_acquire);
}

/* 1, 0 or -ENOMEM. */
static int is_same_schema(struct jsv_value a, struct jsv_value b, struct jsv_arena *scratch)
{
    bool is_none = jsv_value_type(a) == JSV_TYPE_NONE;
    if (is_none || jsv_value_type(b) == JSV_TYPE_NONE) {
        return is_none && jsv_value_type(b) == JSV_TYPE_NONE;
    }
    return jsv_value_equal(a, b, scratch);
}

/*
 * 1, 0 or -ENOMEM: whether compiling again would give the same. Fingerprints
 * round long decimals, so schemas with equal ones are compared.
 */
static int is_unchanged(
    const struct catalog *catalog,
    struct catalog_loading *loading,
    const struct catalog_tool_entry *before,
    const struct catalog_tool_entry *entry)
{
    const struct catalog_tool *tool = &entry->tool;
    bool may_be =
        tool->fingerprint.size > 0 && before->built_in == entry->built_in &&
        jsv_str_equal(before->tool.fingerprint, tool->fingerprint) && is_ready(before->schemas) &&
        (!before->schemas->needs_root || loading->previous->compiler == catalog->compiler);
    int r = may_be;
    if (r > 0) {
        r = is_same_schema(before->tool.input_schema, tool->input_schema, &loading->scratch);
    }
    if (r > 0) {
        r = is_same_schema(before->tool.output_schema, tool->output_schema, &loading->scratch);
    }
    return r;
}

int catalog_tool_schemas_make(
    const struct catalog *catalog,
    struct catalog_loading *loading,
    const struct catalog_tool_entry *entry,
    struct catalog_tool_schemas **ret_schemas)
{
    const struct catalog_tool_entry *before =
        loading->previous ? (const void *)catalog_tool_find(loading->previous, entry->tool.name)
                          : NULL;
    int r = before ? is_unchanged(catalog, loading, before, entry) : 0;
    if (r < 0) {
        return r;
    }
    if (r > 0) {
        atomic_fetch_add_explicit(&before->schemas->references, 1, memory_order_relaxed);
        *ret_schemas = before->schemas;
        return 0;
    }
    *ret_schemas = schemas_new();
    return *ret_schemas ? 0 : -ENOMEM;
}

/* ---- compiling ---- */

/* The registry's resolver. */
static int find_in_root(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    struct making *making = context;
    making->needs_root = true;
    jsv_buf_reset(&making->resolved);
    return catalog_compiler_find(making->catalog->compiler, uri, &making->resolved, ret_text);
}

static int compile_part(
    struct making *making,
    struct jsv_value schema,
    struct jsv_str uri,
    struct jsv_schema **ret_schema)
{
    const struct jsv_schema_options options = {
        .assert_format = true,
        .skip_meta = making->entry->built_in,
    };
    making->fault = (struct jsv_error){0};
    int r = jsv_registry_add(making->registry, uri, jsv_value_span(schema), &making->fault);
    return r < 0 ? r
                 : jsv_schema_compile(making->registry, uri, &options, ret_schema, &making->fault);
}

static int compile_member(
    struct making *making, const char *member, const char *part, struct jsv_schema **ret_schema)
{
    struct jsv_value schema = jsv_value_get(making->entry->tool.value, jsv_str_from(member));
    if (jsv_value_type(schema) == JSV_TYPE_NONE) {
        return 0;
    }
    making->member = member;
    struct jsv_buf urn;
    jsv_buf_init(&urn, os_allocator(), URN_SIZE_MAX);
    jsv_buf_append_str(&urn, JSV_STR(CATALOG_TOOL_URN));
    jsv_buf_append_str(&urn, making->entry->tool.name);
    jsv_buf_append_str(&urn, jsv_str_from(part));
    int r = urn.error;
    if (r == 0) {
        r = compile_part(making, schema, jsv_buf_str(&urn), ret_schema);
    }
    jsv_buf_done(&urn);
    return r;
}

/* The registry is closed after compiling, so it may outlive its resolver's context. */
static int make(struct making *making)
{
    const struct jsv_registry_options options = {
        .draft = JSV_DRAFT_2020_12,
        .resolver = find_in_root,
        .resolver_context = making,
        .first_id_wins = true,
    };
    making->registry = jsv_registry_new(os_allocator(), &options);
    if (!making->registry) {
        return -ENOMEM;
    }
    making->registry->meta_registry = making->meta;
    int r = compile_member(making, "inputSchema", ":input", &making->input);
    return r < 0 ? r : compile_member(making, "outputSchema", ":output", &making->output);
}

/* With the lock held. On failure nothing is kept. */
static int schemas_fill(struct catalog_tool_schemas *schemas, struct making *making)
{
    int r = make(making);
    if (r == 0) {
        jsv_registry_close(making->registry);
        schemas->registry = making->registry;
        schemas->input = making->input;
        schemas->output = making->output;
        schemas->needs_root = making->needs_root;
        atomic_store_explicit(&schemas->ready, true, memory_order_release);
        return 0;
    }
    if (r != -ENOMEM) {
        jsv_buf_reset(&schemas->reason);
        catalog_reason_write(making->catalog->compiler, r, &making->fault, &schemas->reason);
        r = schemas->reason.error ? schemas->reason.error : -EBADMSG;
        schemas->failed = r == -EBADMSG ? making->member : NULL;
    }
    jsv_schema_free(making->input);
    jsv_schema_free(making->output);
    jsv_registry_free(making->registry);
    return r;
}

int catalog_tool_schemas_compile(
    const struct catalog *catalog,
    const struct catalog_tool_entry *entry,
    struct jsv_registry *meta,
    struct jsv_str *reterr_reason)
{
    struct catalog_tool_schemas *schemas = entry->schemas;
    pthread_mutex_lock(&schemas->lock);
    int r = schemas->failed ? -EBADMSG : 0;
    if (r == 0 && !is_ready(schemas)) {
        struct making making = {.catalog = catalog, .entry = entry, .meta = meta};
        jsv_buf_init(&making.resolved, os_allocator(), SIZE_MAX);
        r = schemas_fill(schemas, &making);
        jsv_buf_done(&making.resolved);
    }
    pthread_mutex_unlock(&schemas->lock);
    if (r == -EBADMSG) {
        *reterr_reason = jsv_buf_str(&schemas->reason);
    }
    return r;
}

/* ---- finding ---- */

static int get_ready(
    const struct catalog *catalog,
    const struct catalog_tool_entry *entry,
    struct jsv_str *reterr_reason)
{
    return is_ready(entry->schemas)
               ? 0
               : catalog_tool_schemas_compile(catalog, entry, NULL, reterr_reason);
}

int catalog_tool_input(
    const struct catalog *catalog,
    const struct catalog_tool *tool,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason)
{
    const struct catalog_tool_entry *entry = (const void *)tool;
    int r = get_ready(catalog, entry, reterr_reason);
    if (r == 0) {
        *ret_compiled = entry->schemas->input;
    }
    return r;
}

int catalog_tool_output(
    const struct catalog *catalog,
    const struct catalog_tool *tool,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason)
{
    const struct catalog_tool_entry *entry = (const void *)tool;
    if (jsv_value_type(tool->output_schema) == JSV_TYPE_NONE) {
        return -ENOENT;
    }
    int r = get_ready(catalog, entry, reterr_reason);
    if (r == 0) {
        *ret_compiled = entry->schemas->output;
    }
    return r;
}
