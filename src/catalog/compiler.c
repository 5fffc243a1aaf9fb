/*
 * References between the files of the schema root.
 *
 * Every file has a file:// URI, the base of its references, and may have an
 * $id. All files are added to one registry when the snapshot is loaded, so a
 * reference finds its file by either name. In two cases the registry calls the
 * resolver:
 *
 *   - The file was not added, because another one has the same $id. It is known
 *     by its file URI only; the $id names the first such file, by path.
 *   - A file with an $id refers to a neighbour without one: the reference is
 *     resolved against the $id. Next to "https://example.org/s/a.json", which
 *     is the file a.json, the file b.json counts as
 *     "https://example.org/s/b.json".
 *
 * Only files of the snapshot exist; nothing is opened here. Reasons are shown
 * to clients, so the root's own path is removed from them.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "catalog/snapshot.h"
#include "jsv/base/alloc.h"
#include "jsv/base/percent.h"
#include "jsv/base/utf8.h"
#include "jsv/json/node.h"
#include "jsv/schema/registry/registry.h"
#include "jsv/schema/registry/uri.h"
#include "os/file.h"
#include "os/sys.h"

/* Working directory, root and file: three paths, percent-encoded, and the scheme. */
#define URI_SIZE_MAX ((size_t)10 * PATH_MAX)

/* ---- URIs ---- */

static int buf_to_arena(struct jsv_buf *buf, struct jsv_arena *arena, struct jsv_str *ret_text)
{
    int r = buf->error;
    if (r == 0) {
        *ret_text = catalog_join(arena, jsv_buf_str(buf), JSV_STR(""));
        r = ret_text->data ? 0 : -ENOMEM;
    }
    jsv_buf_done(buf);
    return r;
}

/* With a "/" at its end. */
static int make_root_uri(struct jsv_arena *arena, const char *directory, struct jsv_str *ret_uri)
{
    struct jsv_buf uri;
    struct jsv_str text = {NULL, 0};
    jsv_buf_init(&uri, os_allocator(), URI_SIZE_MAX);
    os_uri_append_file(&uri, directory);
    jsv_buf_append_str(
        &uri,
        catalog_ends_with(jsv_str_from(directory), JSV_STR("/")) ? JSV_STR("") : JSV_STR("/"));
    int r = buf_to_arena(&uri, arena, &text);
    return r < 0 ? r : jsv_uri_resolve(arena, JSV_STR(""), text, ret_uri);
}

static int make_file_uri(
    struct jsv_arena *arena, struct jsv_str root, struct jsv_str path, struct jsv_str *ret_uri)
{
    struct jsv_buf uri;
    jsv_buf_init(&uri, os_allocator(), URI_SIZE_MAX);
    jsv_buf_append_str(&uri, root);
    jsv_percent_append(&uri, path, JSV_PERCENT_PATH);
    return buf_to_arena(&uri, arena, ret_uri);
}

/* A file's own identifier; draft 4 spells it without the dollar. */
static int make_id(
    struct jsv_arena *arena, struct jsv_value schema, struct jsv_str uri, struct jsv_str *ret_id)
{
    struct jsv_str id = jsv_value_text(jsv_value_get(schema, JSV_STR("$id")));
    struct jsv_str draft = jsv_value_text(jsv_value_get(schema, JSV_STR("$schema")));
    if (id.size == 0 &&
        catalog_ends_with(jsv_uri_split(draft).absolute, JSV_STR("/draft-04/schema"))) {
        id = jsv_value_text(jsv_value_get(schema, JSV_STR("id")));
    }
    *ret_id = (struct jsv_str){0};
    if (jsv_uri_split(id).absolute.size == 0) {
        return 0;
    }
    struct jsv_str resolved;
    int r = jsv_uri_resolve(arena, uri, id, &resolved);
    *ret_id = r == 0 ? jsv_uri_split(resolved).absolute : *ret_id;
    return r;
}

static struct jsv_str up_to_slash(struct jsv_str text)
{
    while (text.size > 0 && text.data[text.size - 1] != '/') {
        text.size--;
    }
    return text;
}

/* ---- the resolver ---- */

static bool starts_with(struct jsv_str text, struct jsv_str start)
{
    return text.size >= start.size && memcmp(text.data, start.data, start.size) == 0;
}

/* The file at a path that is still percent-encoded, below a directory of the root. */
static int find_encoded(
    const struct catalog_compiler *compiler,
    struct jsv_arena *scratch,
    struct jsv_str directory,
    struct jsv_str encoded,
    struct jsv_str *ret_text)
{
    struct jsv_str rest;
    int r = jsv_uri_decode(scratch, encoded, &rest);
    if (r < 0) {
        return r == -EINVAL ? -ENOENT : r;
    }
    struct jsv_str path = catalog_join(scratch, directory, rest);
    if (!path.data) {
        return -ENOMEM;
    }
    const struct catalog_file *file = catalog_files_find(&compiler->files, path);
    if (!file) {
        return -ENOENT;
    }
    *ret_text = file->text;
    return 0;
}

static struct jsv_str skip(struct jsv_str text, size_t size)
{
    return (struct jsv_str){text.data + size, text.size - size};
}

static int find_text(
    const struct catalog_compiler *compiler,
    struct jsv_arena *scratch,
    struct jsv_str uri,
    struct jsv_str *ret_text)
{
    struct jsv_str root = compiler->root_uri;
    if (starts_with(uri, root)) {
        return find_encoded(compiler, scratch, JSV_STR(""), skip(uri, root.size), ret_text);
    }
    int r = -ENOENT;
    for (size_t i = 0; i < compiler->resource_count && r == -ENOENT; i++) {
        const struct catalog_resource *resource = &compiler->resources[i];
        struct jsv_str beside = up_to_slash(resource->id);
        if (beside.size > 0 && starts_with(uri, beside)) {
            struct jsv_str directory = up_to_slash(resource->file->path);
            r = find_encoded(compiler, scratch, directory, skip(uri, beside.size), ret_text);
        }
    }
    return r;
}

static int resolve(void *context, struct jsv_str uri, struct jsv_str *ret_text)
{
    const struct catalog_compiler *compiler = context;
    if (!compiler->loaded || compiler->resource_count == 0) {
        return -ENOENT;
    }
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, os_allocator(), SIZE_MAX);
    int r = find_text(compiler, &scratch, uri, ret_text);
    jsv_arena_done(&scratch);
    return r;
}

/* ---- the registry ---- */

static int make_resources(struct catalog_compiler *compiler)
{
    size_t count = compiler->files.count;
    compiler->resources =
        jsv_arena_array(&compiler->arena, count + 1, sizeof(*compiler->resources));
    if (!compiler->resources) {
        return -ENOMEM;
    }
    int r = 0;
    for (size_t i = 0; i < count && r == 0; i++) {
        const struct catalog_file *file = &compiler->files.items[i];
        struct catalog_resource *resource = &compiler->resources[i];
        *resource = (struct catalog_resource){.file = file};
        r = make_file_uri(&compiler->arena, compiler->root_uri, file->path, &resource->uri);
        if (r == 0) {
            r = make_id(&compiler->arena, file->value, resource->uri, &resource->id);
        }
    }
    compiler->resource_count = r == 0 ? count : 0;
    return r;
}

/* @return 1 when the registry has it now, 0 when not; -ENOMEM. */
static int add_resource(struct catalog_compiler *compiler, struct catalog_resource *resource)
{
    struct jsv_error fault;
    int r = jsv_registry_add(compiler->registry, resource->uri, resource->file->text, &fault);
    resource->hidden = r == -EEXIST;
    resource->settled = r == 0 || r == -EEXIST;
    return r == -ENOMEM ? r : r == 0;
}

/* Try to add all files once. @return how many were added; -ENOMEM. */
static int add_round(struct catalog_compiler *compiler)
{
    int added = 0;
    for (size_t i = 0; i < compiler->resource_count; i++) {
        struct catalog_resource *resource = &compiler->resources[i];
        int r = resource->settled ? 0 : add_resource(compiler, resource);
        if (r < 0) {
            return r;
        }
        added += r;
    }
    return added;
}

static int add_resources(struct catalog_compiler *compiler)
{
    int added = 1;
    for (unsigned round = 0; round < CATALOG_META_ROUNDS_MAX && added > 0; round++) {
        added = add_round(compiler);
    }
    compiler->loaded = true;
    return added < 0 ? added : 0;
}

static int compiler_fill(struct catalog_compiler *compiler)
{
    const struct jsv_registry_options options = {
        .draft = JSV_DRAFT_2020_12,
        .resolver = resolve,
        .resolver_context = compiler,
        .first_id_wins = true,
    };
    compiler->registry = jsv_registry_new(os_allocator(), &options);
    if (!compiler->registry) {
        return -ENOMEM;
    }
    int r = make_resources(compiler);
    return r < 0 ? r : add_resources(compiler);
}

struct catalog_compiler *catalog_compiler_new(bool assert_format)
{
    struct catalog_compiler *compiler = jsv_alloc(os_allocator(), sizeof(*compiler));
    if (compiler) {
        *compiler = (struct catalog_compiler){.assert_format = assert_format};
        atomic_init(&compiler->references, 1);
        pthread_mutex_init(&compiler->lock, NULL);
        jsv_arena_init(&compiler->arena, os_allocator(), CATALOG_ARENA_MAX);
    }
    return compiler;
}

static void compiler_free(struct catalog_compiler *compiler)
{
    for (size_t i = 0; i < compiler->schema_count; i++) {
        struct catalog_schema_entry *entry = compiler->schemas[i];
        jsv_schema_free(atomic_load_explicit(&entry->compiled, memory_order_relaxed));
    }
    jsv_registry_free(compiler->registry);
    catalog_files_done(&compiler->files);
    jsv_arena_done(&compiler->arena);
    pthread_mutex_destroy(&compiler->lock);
    jsv_dealloc(os_allocator(), compiler, sizeof(*compiler));
}

void catalog_compiler_release(struct catalog_compiler *compiler)
{
    if (compiler &&
        atomic_fetch_sub_explicit(&compiler->references, 1, memory_order_acq_rel) == 1) {
        compiler_free(compiler);
    }
}

/* ---- loading ---- */

static bool has_same_files(const struct catalog_files *a, const struct catalog_files *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++) {
        same = jsv_str_equal(a->items[i].path, b->items[i].path) &&
               jsv_str_equal(a->items[i].text, b->items[i].text);
    }
    return same;
}

static bool is_same(const struct catalog_compiler *a, const struct catalog_compiler *b)
{
    return a->assert_format == b->assert_format && jsv_str_equal(a->root_uri, b->root_uri) &&
           has_same_files(&a->files, &b->files);
}

/* Each snapshot warns, also when it reuses a compiler. */
static int warn_of_hidden(
    const struct catalog_compiler *compiler, struct catalog_loading *loading, const char *directory)
{
    int r = 0;
    for (size_t i = 0; i < compiler->resource_count && r == 0; i++) {
        if (compiler->resources[i].hidden) {
            r = catalog_warn_of(
                loading,
                directory,
                compiler->resources[i].file->path,
                JSV_STR("duplicate $id: references to it use an earlier file"));
        }
    }
    return r;
}

int catalog_compiler_load(
    struct catalog_compiler **compiler, struct catalog_loading *loading, const char *directory)
{
    struct catalog_compiler *previous = loading->previous ? loading->previous->compiler : NULL;
    int r = directory ? make_root_uri(&(*compiler)->arena, directory, &(*compiler)->root_uri) : 0;
    if (r < 0) {
        return r;
    }
    if (previous && is_same(previous, *compiler)) {
        atomic_fetch_add_explicit(&previous->references, 1, memory_order_relaxed);
        catalog_compiler_release(*compiler);
        *compiler = previous;
    } else {
        r = compiler_fill(*compiler);
        r = r < 0 ? r : catalog_schemas_load(*compiler, loading);
    }
    r = r < 0 ? r : warn_of_hidden(*compiler, loading, directory);
    return r < 0 ? r : catalog_schemas_warn(*compiler, loading, directory);
}

/* ---- reasons ---- */

/* The length of a URI in a sentence. */
static size_t uri_size(struct jsv_str text)
{
    size_t size = 0;
    while (size < text.size && (unsigned char)text.data[size] > ' ' && text.data[size] != '"') {
        size++;
    }
    return size;
}

/* Append a text without the root's path and without paths outside the root. */
static void
append_public(struct jsv_buf *out, const struct catalog_compiler *compiler, struct jsv_str text)
{
    while (text.size > 0) {
        size_t size = 1;
        if (starts_with(text, JSV_STR("file:"))) {
            bool inside = compiler->root_uri.size > 0 && starts_with(text, compiler->root_uri);
            size = inside ? compiler->root_uri.size : uri_size(text);
            jsv_buf_append_str(out, inside ? JSV_STR("") : JSV_STR("(a file outside)"));
        } else {
            jsv_buf_append_byte(out, text.data[0]);
        }
        text = skip(text, size);
    }
}

/* "part.schema.json#/properties/x: unresolved reference y" */
void catalog_reason_write(
    const struct catalog_compiler *compiler,
    int error,
    const struct jsv_error *fault,
    struct jsv_buf *out)
{
    if (fault->message.size > 0) {
        append_public(out, compiler, fault->uri);
        jsv_buf_append_byte(out, '#');
        append_public(out, compiler, fault->pointer);
        jsv_buf_append_str(out, JSV_STR(": "));
        append_public(out, compiler, fault->message);
    } else {
        jsv_buf_append_str(
            out,
            error == -EEXIST || error == -ENOENT ? JSV_STR("duplicate $id")
                                                 : JSV_STR("too complex"));
    }
    if (out->error == -ENOBUFS) {
        out->error = 0; /* cut it, but not within a character */
        out->size = jsv_utf8_valid_prefix(jsv_buf_str(out));
    }
}

/* ---- schemas ---- */

/* A schema inside another has the draft of that one, which it has to name when it is on its own. */
static int
write_nested(const struct jsv_resource *resource, struct jsv_str text, struct jsv_buf *out)
{
    struct jsv_writer writer = jsv_writer_on(out);
    jsv_write_object_begin(&writer);
    jsv_write_member_string(&writer, JSV_STR("$schema"), resource->meta);
    jsv_buf_append_byte(out, ',');
    jsv_buf_append(out, text.data + 1, text.size - 1);
    return out->error;
}

static bool is_nested(const struct jsv_resource *resource)
{
    const struct jsv_document *document = resource->source->document;
    struct jsv_value value = {document, resource->root};
    return resource->root != jsv_document_root(document).node &&
           jsv_value_type(jsv_value_get(value, JSV_STR("$schema"))) == JSV_TYPE_NONE;
}

int catalog_compiler_find(
    struct catalog_compiler *compiler,
    struct jsv_str uri,
    struct jsv_buf *scratch,
    struct jsv_str *ret_text)
{
    struct jsv_resource *resource;
    struct jsv_error fault;
    pthread_mutex_lock(&compiler->lock);
    int r = jsv_registry_find(compiler->registry, NULL, uri, &resource, &fault);
    pthread_mutex_unlock(&compiler->lock);
    if (r == -EBADMSG) {
        return resolve(
            compiler, uri, ret_text); /* the caller finds the same fault and reports it */
    }
    if (r == 0) {
        *ret_text = jsv_node_span(resource->source->document, resource->root);
    }
    if (r == 0 && is_nested(resource)) {
        r = write_nested(resource, *ret_text, scratch);
        *ret_text = jsv_buf_str(scratch);
    }
    return r;
}

/* With the lock held. */
static int schema_compile(struct catalog_compiler *compiler, struct catalog_schema_entry *entry)
{
    if (atomic_load_explicit(&entry->compiled, memory_order_relaxed)) {
        return 0; /* another thread was faster */
    }
    if (entry->failed) {
        return -EBADMSG;
    }
    const struct jsv_schema_options options = {.assert_format = compiler->assert_format};
    struct jsv_schema *schema;
    struct jsv_error fault = {0};
    int r = jsv_schema_compile(compiler->registry, entry->uri, &options, &schema, &fault);
    if (r == 0) {
        atomic_store_explicit(&entry->compiled, schema, memory_order_release);
        return 0;
    }
    if (r == -ENOMEM) {
        return r;
    }
    struct jsv_buf reason;
    jsv_buf_init(&reason, os_allocator(), CATALOG_REASON_SIZE_MAX);
    catalog_reason_write(compiler, r, &fault, &reason);
    r = buf_to_arena(&reason, &compiler->arena, &entry->reason);
    entry->failed = r == 0;
    return r < 0 ? r : -EBADMSG;
}

int catalog_schema_compiled(
    const struct catalog *catalog,
    const struct catalog_schema *schema,
    const struct jsv_schema **ret_compiled,
    struct jsv_str *reterr_reason)
{
    struct catalog_schema_entry *entry = (void *)(uintptr_t)schema;
    int r = 0;
    if (!atomic_load_explicit(&entry->compiled, memory_order_acquire)) {
        pthread_mutex_lock(&catalog->compiler->lock);
        r = schema_compile(catalog->compiler, entry);
        pthread_mutex_unlock(&catalog->compiler->lock);
    }
    if (r == 0) {
        *ret_compiled = atomic_load_explicit(&entry->compiled, memory_order_acquire);
    } else if (r == -EBADMSG) {
        *reterr_reason = entry->reason;
    }
    return r;
}
