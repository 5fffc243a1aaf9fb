/*
 * The schemas of tools, compiled on first use and kept by fingerprint.
 *
 * Each tool has a registry of its own for its two schemas, so that it can
 * outlive the snapshot it was made for. A snapshot takes over what the one
 * before has compiled, for every tool with the same fingerprint.
 *
 * A tool may refer to files of the schema root. Its registry asks for them, and
 * compiling starts again with those files added. Such a tool is compiled again
 * also when a file of the root has changed.
 */
#include <errno.h>

#include "catalog/descriptor.h"
#include "catalog/snapshot.h"
#include "jsv/base/alloc.h"
#include "jsv/schema/registry/registry.h"
#include "os/sys.h"

#define URN_SIZE_MAX (CATALOG_TOOL_NAME_MAX + 64)

/* A URI that a registry asked for. */
struct wish {
    struct wish *next;
    struct jsv_str uri;
};

/* What compiling works with. */
struct making {
    const struct catalog *catalog;
    const struct catalog_tool_entry *entry;
    struct jsv_registry *meta; /* NULL: none */
    struct jsv_arena scratch;
    struct wish *wishes; /* newest first */
    struct jsv_registry *registry;
    struct jsv_schema *input;
    struct jsv_schema *output;
    const char *member; /* the one at work */
    struct jsv_error fault;
    bool needs_root;
};

/* ---- keeping ---- */

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
 * 1, 0 or -ENOMEM: would compiling again give the same? Fingerprints round long
 * decimals, so equal ones are looked at more closely.
 */
static int can_take_over(
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
    int r = before ? can_take_over(catalog, loading, before, entry) : 0;
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

/* The registry's resolver: files are added before compiling starts again. */
static int wish_for(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    (void)ret_text;
    struct making *making = context;
    struct wish *wish = jsv_arena_alloc(&making->scratch, sizeof(*wish));
    struct jsv_str copy = catalog_join(&making->scratch, uri, JSV_STR(""));
    if (!wish || !copy.data) {
        return -ENOMEM;
    }
    *wish = (struct wish){making->wishes, copy};
    making->wishes = wish;
    making->needs_root = true;
    return -ENOENT;
}

/* Add the files that were asked for. @return how many there are; or an error, with the fault. */
static int grant_wishes(struct making *making)
{
    int granted = 0;
    struct wish *wish = making->wishes;
    making->wishes = NULL;
    for (; wish; wish = wish->next) {
        const struct wish *latest = making->wishes;
        int r = catalog_compiler_lend(
            making->catalog->compiler, wish->uri, making->registry, &making->fault);
        bool asks_for_more = making->wishes != latest; /* its meta-schema has to come first */
        if (r < 0 && r != -ENOENT && (r == -ENOMEM || !asks_for_more)) {
            return r;
        }
        granted += r == 0;
    }
    return granted;
}

static int grant_all_wishes(struct making *making)
{
    int granted = 0;
    for (unsigned round = 0; round < CATALOG_META_ROUNDS_MAX && making->wishes; round++) {
        int r = grant_wishes(making);
        if (r < 0) {
            return r;
        }
        granted += r;
    }
    making->wishes = NULL;
    return granted;
}

static int compile_once(
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

/* Again and again, as files turn out to be needed: each time there is at least one more. */
static int compile_part(
    struct making *making,
    struct jsv_value schema,
    struct jsv_str uri,
    struct jsv_schema **ret_schema)
{
    int r = compile_once(making, schema, uri, ret_schema);
    for (size_t left = making->catalog->compiler->files.count; left > 0; left--) {
        struct jsv_error fault = making->fault;
        int granted = r == -ENOMEM ? 0 : grant_all_wishes(making);
        if (granted < 0) {
            return granted;
        }
        if (granted == 0) {
            making->fault = fault;
            return r;
        }
        jsv_schema_free(*ret_schema);
        *ret_schema = NULL;
        r = compile_once(making, schema, uri, ret_schema);
    }
    return r;
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

/* The registry is closed once all is compiled, so it may outlive its resolver's context. */
static int make(struct making *making)
{
    const struct jsv_registry_options options = {
        .draft = JSV_DRAFT_2020_12,
        .resolver = wish_for,
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

/* With the lock held. Nothing half done is kept. */
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
        jsv_arena_init(&making.scratch, os_allocator(), SIZE_MAX);
        r = schemas_fill(schemas, &making);
        jsv_arena_done(&making.scratch);
    }
    pthread_mutex_unlock(&schemas->lock);
    if (r == -EBADMSG) {
        *reterr_reason = jsv_buf_str(&schemas->reason);
    }
    return r;
}

/* ---- looking ---- */

/* Every call of a tool asks for its schemas, and only the first has anything to do. */
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
