/*
 * A registry holds sources (a text and its document each) and three tables
 * into them: from a URI to a resource, from a node to the resource that begins
 * there, from a resource and a name to an anchor. A rejected source leaves
 * nothing in the tables.
 */
#include "jsv/schema/registry/registry.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/options.h"
#include "jsv/json/node.h"
#include "jsv/json/reader.h"
#include "jsv/json/sort.h"
#include "jsv/schema/registry/uri.h"
#include "jsv/schema/report/message.h"

/* Resources that may wait for each other's meta-schemas; a longer chain is a circle. */
#define NESTING_MAX 32

#define MESSAGE_MAX 1024

/* Duplicate members reported one by one; each costs a search. */
#define DUPLICATES_MAX 100

struct jsv_registry *
jsv_registry_new(const struct jsv_allocator *allocator, const struct jsv_registry_options *options)
{
    struct jsv_allocator own = jsv_allocator_or_default(allocator);
    struct jsv_registry *registry = jsv_alloc(&own, sizeof(*registry));
    if (!registry) {
        return NULL;
    }
    *registry = (struct jsv_registry){.allocator = own};
    jsv_options_copy(&registry->options, sizeof(registry->options), options);
    if (registry->options.draft == JSV_DRAFT_DEFAULT) {
        registry->options.draft = JSV_DRAFT_2020_12;
    }
    jsv_arena_init(&registry->arena, &own, JSV_REGISTRY_MEMORY_MAX);
    registry->names = jsv_table_on(&registry->arena);
    registry->roots = jsv_table_on(&registry->arena);
    registry->anchors = jsv_table_on(&registry->arena);
    jsv_keyword_index_init(&registry->keywords);
    registry->reader = jsv_reader_new(&own, NULL);
    if (!registry->reader) {
        jsv_registry_free(registry);
        return NULL;
    }
    return registry;
}

void jsv_registry_close(struct jsv_registry *registry)
{
    for (size_t i = 0; i < registry->meta_count; i++) {
        jsv_schema_free(registry->meta[i]);
    }
    registry->meta_count = 0;
    jsv_validator_free(registry->meta_validator);
    registry->meta_validator = NULL;
    jsv_reader_free(registry->reader);
    registry->reader = NULL;
}

void jsv_registry_free(struct jsv_registry *registry)
{
    if (!registry) {
        return;
    }
    struct jsv_allocator own = registry->allocator;
    jsv_registry_close(registry);
    for (struct jsv_source *source = registry->sources; source; source = source->next) {
        jsv_document_free(source->document);
    }
    jsv_arena_done(&registry->arena);
    jsv_dealloc(&own, registry, sizeof(*registry));
}

/* ---- faults ---- */

struct jsv_str jsv_registry_copy(struct jsv_registry *registry, struct jsv_str text)
{
    char *copy = jsv_arena_alloc(&registry->arena, text.size + 1);
    if (copy && text.size) {
        memcpy(copy, text.data, text.size);
    }
    if (copy) {
        copy[text.size] = '\0';
    }
    return (struct jsv_str){copy, text.size};
}

void jsv_source_locate(struct jsv_source *source, size_t offset, struct jsv_error *fault)
{
    jsv_position_move(&source->position, offset);
    fault->offset = offset;
    fault->line = source->position.line;
    fault->column = source->position.column;
}

int jsv_resource_locate(
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_arena *arena,
    struct jsv_error *fault)
{
    struct jsv_source *source = resource->source;
    fault->uri = source->uri.size ? source->uri : resource->uri;
    fault->pointer = jsv_node_pointer(arena, source->document, node);
    jsv_source_locate(source, jsv_value_offset((struct jsv_value){source->document, node}), fault);
    return fault->pointer.data ? 0 : -ENOMEM;
}

int jsv_registry_fault(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_error *reterr_fault,
    const char *format,
    ...)
{
    if (!reterr_fault) {
        return -EBADMSG;
    }
    char text[MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    size_t size = jsv_message_print(text, sizeof(text), format, arguments);
    va_end(arguments);
    struct jsv_error fault = {
        .message = jsv_registry_copy(registry, (struct jsv_str){text, size}),
        .missing = {"", 0},
    };
    int r = jsv_resource_locate(resource, node, &registry->arena, &fault);
    if (r < 0 || !fault.message.data) {
        return -ENOMEM;
    }
    *reterr_fault = fault;
    return -EBADMSG;
}

/* ---- names ---- */

static int add_name(
    struct jsv_registry *registry, const void *owner, struct jsv_str uri, struct jsv_resource *r)
{
    struct jsv_resource_name *name = jsv_arena_alloc(&registry->arena, sizeof(*name));
    if (!name) {
        return -ENOMEM;
    }
    *name = (struct jsv_resource_name){{owner, uri}, r};
    return jsv_table_add(&registry->names, &name->key);
}

static struct jsv_resource *
find_name(const struct jsv_registry *registry, const void *owner, struct jsv_str uri)
{
    const struct jsv_resource_name *name = jsv_table_find(&registry->names, owner, uri);
    return name ? name->resource : NULL;
}

/* @return 1 when two resources are equal as JSON, 0 when not, -ENOMEM. */
static int is_same_text(
    struct jsv_registry *registry, const struct jsv_resource *a, const struct jsv_resource *b)
{
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    int r = jsv_value_equal(
        (struct jsv_value){a->source->document, a->root},
        (struct jsv_value){b->source->document, b->root},
        &scratch);
    jsv_arena_done(&scratch);
    return r;
}

int jsv_registry_refuse_name(
    struct jsv_registry *registry,
    struct jsv_str uri,
    const struct jsv_resource *resource,
    const struct jsv_resource *other,
    struct jsv_error *reterr_fault)
{
    struct jsv_str pointer =
        jsv_node_pointer(&registry->arena, other->source->document, other->root);
    if (!pointer.data) {
        return -ENOMEM;
    }
    bool foreign = other->source != resource->source;
    int r = jsv_registry_fault(
        registry,
        resource,
        resource->root,
        reterr_fault,
        "a different schema has the identifier %.*s already: %.*s#%.*s",
        JSV_TEXT(uri),
        foreign ? (int)other->source->uri.size : 0,
        other->source->uri.data,
        JSV_TEXT(pointer));
    return r == -EBADMSG ? -EEXIST : r;
}

int jsv_registry_name(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_resource *resource,
    const struct jsv_resource **ret_twin,
    struct jsv_error *reterr_fault)
{
    const struct jsv_source *source = resource->source;
    const void *all = source->embedded ? jsv_meta_schemas : NULL;
    enum jsv_draft draft;
    bool is_meta = !source->embedded && (jsv_draft_find(uri, &draft) || jsv_meta_find(uri));
    bool is_root = resource->root == jsv_document_nodes(source->document);
    *ret_twin = NULL;
    struct jsv_resource *own = find_name(registry, source, uri);
    struct jsv_resource *known = own ? own : find_name(registry, all, uri);
    if (!known && (is_root || !is_meta)) {
        return add_name(registry, all, uri, resource);
    }
    int same = known ? is_same_text(registry, known, resource) : 0;
    if (same < 0) {
        return same;
    }
    bool is_local = known && known->source == source;
    if (known && !same && (is_local || !is_meta)) {
        return jsv_registry_refuse_name(registry, uri, resource, known, reterr_fault);
    }
    *ret_twin = same ? known : NULL;
    return is_local ? 0 : add_name(registry, source, uri, resource);
}

struct jsv_resource *
jsv_registry_resource_at(const struct jsv_registry *registry, const struct jsv_node *node)
{
    return jsv_table_find(&registry->roots, node, (struct jsv_str){0});
}

/* ---- reading ---- */

/* The member name that begins at an offset; NULL when the member was dropped from the document. */
static const struct jsv_node *find_key(const struct jsv_document *document, size_t offset)
{
    const struct jsv_node *node = jsv_document_nodes(document);
    const struct jsv_node *end = jsv_node_next(node);
    while (node < end && (jsv_node_type(node) != JSV_TYPE_STRING ||
                          jsv_value_offset((struct jsv_value){document, node}) != offset)) {
        node++;
    }
    return node < end ? node : NULL;
}

/* The offset of the member that is kept instead of a dropped one: that may be dropped, too. */
static size_t find_kept(const struct jsv_sort_item *dropped, size_t count, size_t offset)
{
    for (size_t low = 0; low < count;) { /* ends because a kept member is behind the dropped one */
        size_t high = count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (dropped[middle].word < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low == count || dropped[low].word != offset) {
            break;
        }
        offset = ((const struct jsv_dropped *)dropped[low].item)->kept;
    }
    return offset;
}

/* @param at The dropped member. @return 0 or -ENOMEM. */
static int warn_duplicate(
    struct jsv_registry *registry,
    struct jsv_source *source,
    size_t kept,
    const struct jsv_position *at)
{
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    const struct jsv_node *key = find_key(source->document, kept);
    struct jsv_error note = {
        .uri = source->uri,
        .pointer = key ? jsv_node_pointer(&scratch, source->document, key) : JSV_STR(""),
        .missing = {"", 0},
    };
    jsv_source_locate(source, kept, &note);
    char text[MESSAGE_MAX];
    note.message.data = text;
    note.message.size = (size_t)snprintf(
        text,
        sizeof(text),
        "duplicate member name; line %zu, column %zu is ignored, the last one counts",
        at->line,
        at->column);
    if (note.pointer.data) {
        registry->options.listener(registry->options.listener_context, JSV_NOTE_WARNING, &note);
    }
    jsv_arena_done(&scratch);
    return note.pointer.data ? 0 : -ENOMEM;
}

static void
warn_more_duplicates(struct jsv_registry *registry, const struct jsv_source *source, size_t count)
{
    char text[MESSAGE_MAX];
    int size = snprintf(text, sizeof(text), "%zu more duplicate member names", count);
    const struct jsv_error note = {
        .uri = source->uri,
        .pointer = {"", 0},
        .message = {text, (size_t)size},
        .line = 1,
        .column = 1,
        .missing = {"", 0},
    };
    registry->options.listener(registry->options.listener_context, JSV_NOTE_WARNING, &note);
}

/* Warn of dropped members in the order of the text. @return 0 or -ENOMEM. */
static int warn_duplicates(
    struct jsv_registry *registry, struct jsv_source *source, const struct jsv_buf *dropped)
{
    const struct jsv_dropped *items = (const struct jsv_dropped *)(const void *)dropped->data;
    size_t count = dropped->size / sizeof(*items);
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    struct jsv_sort_item *sorted = jsv_arena_array(&scratch, 2 * count, sizeof(*sorted));
    int r = sorted ? 0 : -ENOMEM;
    if (sorted) {
        for (size_t i = 0; i < count; i++) {
            sorted[i] = (struct jsv_sort_item){items[i].offset, &items[i]};
        }
        jsv_sort(sorted, sorted + count, count, NULL, NULL);
    }
    struct jsv_position position = jsv_position_in(source->text, 1);
    for (size_t i = 0; r == 0 && i < count && i < DUPLICATES_MAX; i++) {
        jsv_position_move(&position, sorted[i].word);
        r = warn_duplicate(registry, source, find_kept(sorted, count, sorted[i].word), &position);
    }
    if (r == 0 && count > DUPLICATES_MAX) {
        warn_more_duplicates(registry, source, count - DUPLICATES_MAX);
    }
    jsv_arena_done(&scratch);
    return r;
}

static int
read_leniently(struct jsv_registry *registry, struct jsv_source *source, struct jsv_error *error)
{
    struct jsv_reader *reader = registry->reader;
    struct jsv_buf dropped;
    jsv_buf_init(&dropped, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    reader->dropped = registry->options.listener ? &dropped : NULL;
    int r = jsv_read(reader, source->document, source->text, JSV_READ_LAST_WINS, error);
    reader->dropped = NULL;
    if (r == 0 && dropped.error) {
        r = -ENOMEM;
    }
    if (r == 0 && dropped.size > 0) {
        r = warn_duplicates(registry, source, &dropped);
    }
    jsv_buf_done(&dropped);
    return r;
}

/* Read the text of a source into its document. @return 0; -EBADMSG with the fault; -ENOMEM. */
static int read_source(
    struct jsv_registry *registry, struct jsv_source *source, struct jsv_error *reterr_fault)
{
    struct jsv_error error;
    int r = registry->options.allow_duplicates
                ? read_leniently(registry, source, &error)
                : jsv_read(registry->reader, source->document, source->text, 0, &error);
    if (r == -EBADMSG && reterr_fault) {
        error.pointer = jsv_registry_copy(registry, error.pointer);
        if (!error.pointer.data) {
            return -ENOMEM;
        }
        error.uri = source->uri;
        *reterr_fault = error;
    }
    return r;
}

/* ---- sources ---- */

static int add_document(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_str text,
    struct jsv_source **ret_source)
{
    struct jsv_source *source = jsv_arena_alloc(&registry->arena, sizeof(*source));
    if (!source) {
        return -ENOMEM;
    }
    *source = (struct jsv_source){
        .text = jsv_registry_copy(registry, text),
        .uri = jsv_registry_copy(registry, uri),
        .document = jsv_document_new(&registry->allocator),
        .index = registry->source_count++,
    };
    if (!source->text.data || !source->uri.data || !source->document) {
        jsv_document_free(source->document);
        return -ENOMEM;
    }
    source->position = jsv_position_in(source->text, 1);
    source->next = registry->sources;
    registry->sources = source;
    registry->text_size += text.size;
    *ret_source = source;
    return 0;
}

static void
forget_names(struct jsv_registry *registry, struct jsv_str uri, const struct jsv_resource *resource)
{
    const void *const owners[] = {NULL, resource->source, jsv_meta_schemas};
    for (size_t i = 0; i < sizeof(owners) / sizeof(*owners); i++) {
        const struct jsv_resource_name *name = jsv_table_find(&registry->names, owners[i], uri);
        if (name && name->resource == resource) {
            jsv_table_remove(&registry->names, &name->key);
        }
    }
}

/* Remove a rejected source from the tables; its memory is freed with the registry. */
static void forget_source(struct jsv_registry *registry, struct jsv_source *source)
{
    for (struct jsv_resource *resource = source->resources; resource; resource = resource->next) {
        for (struct jsv_anchor *anchor = resource->anchors; anchor; anchor = anchor->next) {
            jsv_table_remove(&registry->anchors, &anchor->key);
        }
        forget_names(registry, resource->uri, resource);
        forget_names(registry, source->uri, resource);
        jsv_table_remove(&registry->roots, &resource->key);
    }
    struct jsv_source **link = &registry->sources;
    while (*link != source) {
        link = &(*link)->next;
    }
    *link = source->next;
    jsv_document_free(source->document);
}

enum origin {
    ADDED,
    RESOLVED,
    EMBEDDED,
};

static int add_source(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_str text,
    enum origin origin,
    struct jsv_resource **ret_resource,
    struct jsv_error *reterr_fault)
{
    struct jsv_source *source;
    int r = add_document(registry, uri, text, &source);
    if (r < 0) {
        return r;
    }
    source->embedded = origin == EMBEDDED;
    source->resolved = origin == RESOLVED;
    r = read_source(registry, source, reterr_fault);
    if (r == 0) {
        r = jsv_source_scan(registry, source, ret_resource, reterr_fault);
    }
    if (r < 0) {
        forget_source(registry, source);
    }
    return r;
}

int jsv_registry_add(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_str text,
    struct jsv_error *reterr_fault)
{
    struct jsv_error fault = {0};
    struct jsv_str resolved;
    int r = jsv_uri_resolve(&registry->arena, (struct jsv_str){"", 0}, uri, &resolved);
    if (r == 0) {
        struct jsv_resource *resource;
        struct jsv_str absolute = jsv_uri_split(resolved).absolute;
        r = add_source(registry, absolute, text, ADDED, &resource, &fault);
    }
    if ((r == -EBADMSG || r == -EEXIST) && registry->options.listener) {
        registry->options.listener(registry->options.listener_context, JSV_NOTE_FAULT, &fault);
    }
    if (r < 0 && reterr_fault) {
        *reterr_fault = fault;
    }
    return r;
}

static int resolve(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_resource **ret_resource,
    struct jsv_error *reterr_fault)
{
    struct jsv_str text;
    int r = registry->options.resolver(registry->options.resolver_context, uri, &text);
    if (r == 0) {
        r = add_source(registry, uri, text, RESOLVED, ret_resource, reterr_fault);
        return r == -EEXIST ? -EBADMSG : r;
    }
    if (r != -ENOENT && reterr_fault) {
        *reterr_fault = (struct jsv_error){
            .uri = jsv_registry_copy(registry, uri),
            .pointer = {"", 0},
            .message = JSV_STR("the schema could not be loaded"),
            .missing = {"", 0},
        };
    }
    return r;
}

/* Find or load an embedded meta-schema. @return -ENOENT when no meta-schema has the URI. */
static int find_embedded(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_resource **ret_resource,
    struct jsv_error *reterr_fault)
{
    struct jsv_resource *known = find_name(registry, jsv_meta_schemas, uri);
    if (known) {
        *ret_resource = known;
        return 0;
    }
    const struct jsv_embedded *embedded = jsv_meta_find(uri);
    if (!embedded) {
        return -ENOENT;
    }
    struct jsv_str text = {embedded->data, embedded->size};
    return add_source(registry, uri, text, EMBEDDED, ret_resource, reterr_fault);
}

static struct jsv_resource *
find_known(const struct jsv_registry *registry, const struct jsv_source *from, struct jsv_str uri)
{
    if (from && from->embedded) {
        return NULL;
    }
    struct jsv_resource *own = from ? find_name(registry, from, uri) : NULL;
    return own ? own : find_name(registry, NULL, uri);
}

int jsv_registry_find(
    struct jsv_registry *registry,
    const struct jsv_source *from,
    struct jsv_str uri,
    struct jsv_resource **ret_resource,
    struct jsv_error *reterr_fault)
{
    struct jsv_resource *known = find_known(registry, from, uri);
    if (known) {
        *ret_resource = known;
        return 0;
    }
    if (registry->nesting == NESTING_MAX) {
        return -ELOOP;
    }
    registry->nesting++;
    int r = find_embedded(registry, uri, ret_resource, reterr_fault);
    if (r == -ENOENT && registry->options.resolver) {
        r = resolve(registry, uri, ret_resource, reterr_fault);
    }
    registry->nesting--;
    return r;
}

int jsv_registry_find_meta(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    struct jsv_resource **ret_meta,
    struct jsv_error *reterr_fault)
{
    enum jsv_draft draft;
    if (jsv_draft_find(resource->meta, &draft)) {
        return find_embedded(registry, resource->meta, ret_meta, reterr_fault);
    }
    return jsv_registry_find(registry, resource->source, resource->meta, ret_meta, reterr_fault);
}
