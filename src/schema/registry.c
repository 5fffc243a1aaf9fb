#include "schema/registry.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "json/stack.h"
#include "json/value.h"
#include "schema/message.h"
#include "schema/meta.h"
#include "schema/uri.h"

/* Sources a registry holds at most, all together: enough for every published bundle. */
#define REGISTRY_MEMORY_MAX ((size_t)1 << 32)

/* Resources that may wait for each other's meta-schemas; a longer chain is a circle. */
#define NESTING_MAX 32

#define MESSAGE_MAX 1024

struct jsv_registry *
jsv_registry_new(const struct jsv_allocator *allocator, const struct jsv_registry_options *options)
{
    struct jsv_allocator own = jsv_allocator_or_default(allocator);
    struct jsv_registry *registry = jsv_alloc(&own, sizeof(*registry));
    if (!registry) {
        return NULL;
    }
    *registry = (struct jsv_registry){.allocator = own};
    registry->options =
        options ? *options : (struct jsv_registry_options){.draft = JSV_DRAFT_2020_12};
    jsv_arena_init(&registry->arena, &own, REGISTRY_MEMORY_MAX);
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

void jsv_registry_free(struct jsv_registry *registry)
{
    if (!registry) {
        return;
    }
    struct jsv_allocator own = registry->allocator;
    for (size_t i = 0; i < registry->meta_count; i++) {
        jsv_schema_free(registry->meta[i]);
    }
    jsv_validator_free(registry->meta_validator);
    for (struct jsv_source *source = registry->sources; source; source = source->next) {
        jsv_document_free(source->document);
    }
    jsv_reader_free(registry->reader);
    jsv_arena_done(&registry->arena);
    jsv_dealloc(&own, registry, sizeof(*registry));
}

/* ---- faults ---- */

static struct jsv_str copy_text(struct jsv_registry *registry, struct jsv_str text)
{
    char *copy = jsv_arena_alloc(&registry->arena, text.size + 1);
    if (copy && text.size) {
        memcpy(copy, text.data, text.size);
    }
    return (struct jsv_str){copy, text.size};
}

int jsv_registry_fault(
    struct jsv_registry *registry,
    const struct jsv_resource *resource,
    const struct jsv_node *node,
    struct jsv_schema_fault *reterr_fault,
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
    struct jsv_schema_fault fault = {
        .uri = resource->source->uri.size ? resource->source->uri : resource->uri,
        .pointer = jsv_node_pointer(&registry->arena, resource->source->document, node),
        .message = copy_text(registry, (struct jsv_str){text, size}),
    };
    if (!fault.pointer.data || !fault.message.data) {
        return -ENOMEM;
    }
    *reterr_fault = fault;
    return -EBADMSG;
}

/* The child of a container that is, or holds, a node; its key in *ret_key, its index in *ret_index.
 */
static const struct jsv_node *child_holding(
    const struct jsv_node *container,
    const struct jsv_node *node,
    const struct jsv_node **ret_key,
    size_t *ret_index)
{
    bool object = jsv_node_type(container) == JSV_TYPE_OBJECT;
    const struct jsv_node *child = container + 1;
    *ret_index = 0;
    for (;; ++*ret_index) {
        *ret_key = child;
        child += object;
        if (node < jsv_node_next(child)) {
            return child;
        }
        child = jsv_node_next(child);
    }
}

void jsv_node_pointer_append(
    struct jsv_buf *pointer,
    const struct jsv_document *document,
    const struct jsv_node *from,
    const struct jsv_node *node)
{
    for (const struct jsv_node *at = from; at < node;) {
        const struct jsv_node *key;
        size_t index;
        bool object = jsv_node_type(at) == JSV_TYPE_OBJECT;
        at = child_holding(at, node, &key, &index);
        if (object) {
            jsv_pointer_push(pointer, jsv_string_text(document, key));
        } else {
            jsv_pointer_push_index(pointer, index);
        }
        if (key == node) {
            break;
        }
    }
}

struct jsv_str jsv_node_pointer(
    struct jsv_arena *arena, const struct jsv_document *document, const struct jsv_node *node)
{
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, &arena->allocator, SIZE_MAX);
    jsv_node_pointer_append(&pointer, document, jsv_document_nodes(document), node);
    char *copy = pointer.error ? NULL : jsv_arena_alloc(arena, pointer.size + 1);
    size_t size = copy ? pointer.size : 0;
    if (size) {
        memcpy(copy, pointer.data, size);
    }
    jsv_buf_done(&pointer);
    return (struct jsv_str){copy, size};
}

/* ---- look-up ---- */

static int
name_resource(struct jsv_registry *registry, struct jsv_str uri, struct jsv_resource *resource)
{
    struct jsv_resource_name *name = jsv_arena_alloc(&registry->arena, sizeof(*name));
    if (!name) {
        return -ENOMEM;
    }
    *name = (struct jsv_resource_name){{NULL, uri}, resource};
    return jsv_table_add(&registry->names, &name->key);
}

static struct jsv_resource *find_known(const struct jsv_registry *registry, struct jsv_str uri)
{
    const struct jsv_resource_name *name = jsv_table_find(&registry->names, NULL, uri);
    return name ? name->resource : NULL;
}

struct jsv_resource *
jsv_registry_resource_at(const struct jsv_registry *registry, const struct jsv_node *node)
{
    return jsv_table_find(&registry->roots, node, (struct jsv_str){0});
}

const struct jsv_anchor *jsv_resource_anchor(
    const struct jsv_registry *registry, const struct jsv_resource *resource, struct jsv_str name)
{
    return jsv_table_find(&registry->anchors, resource, name);
}

/* ---- drafts and vocabularies ---- */

int jsv_draft_from_name(struct jsv_str name, enum jsv_draft *ret_draft)
{
    static const struct {
        struct jsv_str name;
        enum jsv_draft draft;
    } drafts[] = {
        {{"4", 1}, JSV_DRAFT_4},
        {{"6", 1}, JSV_DRAFT_6},
        {{"7", 1}, JSV_DRAFT_7},
        {{"2019-09", 7}, JSV_DRAFT_2019_09},
        {{"2020-12", 7}, JSV_DRAFT_2020_12},
    };
    for (size_t i = 0; i < sizeof(drafts) / sizeof(*drafts); i++) {
        if (jsv_str_equal(name, drafts[i].name)) {
            *ret_draft = drafts[i].draft;
            return 0;
        }
    }
    return -EINVAL;
}

/* The drafts' own URIs, without scheme and without an empty fragment: schemas spell both freely. */
static const struct {
    struct jsv_str uri;
    enum jsv_draft draft;
} draft_uris[] = {
    {{"://json-schema.org/draft-04/schema", 34}, JSV_DRAFT_4},
    {{"://json-schema.org/draft-06/schema", 34}, JSV_DRAFT_6},
    {{"://json-schema.org/draft-07/schema", 34}, JSV_DRAFT_7},
    {{"://json-schema.org/draft/2019-09/schema", 39}, JSV_DRAFT_2019_09},
    {{"://json-schema.org/draft/2020-12/schema", 39}, JSV_DRAFT_2020_12},
    {{"://json-schema.org/schema", 25}, JSV_DRAFT_2020_12},
};

static const char *const meta_uris[] = {
    [JSV_DRAFT_4] = "http://json-schema.org/draft-04/schema",
    [JSV_DRAFT_6] = "http://json-schema.org/draft-06/schema",
    [JSV_DRAFT_7] = "http://json-schema.org/draft-07/schema",
    [JSV_DRAFT_2019_09] = "https://json-schema.org/draft/2019-09/schema",
    [JSV_DRAFT_2020_12] = "https://json-schema.org/draft/2020-12/schema",
};

static bool find_draft(struct jsv_str uri, enum jsv_draft *ret_draft)
{
    size_t scheme = uri.size >= 5 && memcmp(uri.data, "https", 5) == 0 ? 5 : 4;
    if (uri.size < scheme || memcmp(uri.data, "http", 4) != 0) {
        return false;
    }
    uri = (struct jsv_str){uri.data + scheme, uri.size - scheme};
    for (size_t i = 0; i < sizeof(draft_uris) / sizeof(*draft_uris); i++) {
        if (jsv_str_equal(uri, draft_uris[i].uri)) {
            *ret_draft = draft_uris[i].draft;
            return true;
        }
    }
    return false;
}

static void use_draft(struct jsv_resource *resource, enum jsv_draft draft)
{
    resource->draft = draft;
    resource->vocabularies = JSV_VOCABULARY_DEFAULT;
    resource->meta = jsv_str_from(meta_uris[draft]);
}

static unsigned vocabulary_of(struct jsv_str uri)
{
    static const struct {
        struct jsv_str name;
        unsigned vocabulary;
    } names[] = {
        {{"core", 4}, JSV_VOCABULARY_CORE},
        {{"applicator", 10}, JSV_VOCABULARY_APPLICATOR},
        {{"unevaluated", 11}, JSV_VOCABULARY_UNEVALUATED},
        {{"validation", 10}, JSV_VOCABULARY_VALIDATION},
        {{"format", 6}, JSV_VOCABULARY_FORMAT},
        {{"format-annotation", 17}, JSV_VOCABULARY_FORMAT},
        {{"format-assertion", 16}, JSV_VOCABULARY_FORMAT_ASSERTION | JSV_VOCABULARY_FORMAT},
        {{"content", 7}, JSV_VOCABULARY_CONTENT},
        {{"meta-data", 9}, JSV_VOCABULARY_META_DATA},
    };
    static const struct jsv_str bases[] = {
        {"https://json-schema.org/draft/2019-09/vocab/", 44},
        {"https://json-schema.org/draft/2020-12/vocab/", 44},
    };
    for (size_t b = 0; b < sizeof(bases) / sizeof(*bases); b++) {
        if (uri.size <= bases[b].size || memcmp(uri.data, bases[b].data, bases[b].size) != 0) {
            continue;
        }
        struct jsv_str rest = {uri.data + bases[b].size, uri.size - bases[b].size};
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
            if (jsv_str_equal(rest, names[i].name)) {
                return names[i].vocabulary;
            }
        }
    }
    return 0;
}

/* Take draft and vocabularies from a meta-schema that is not one of the drafts' own. */
static int use_meta(
    struct jsv_registry *registry,
    struct jsv_resource *resource,
    const struct jsv_resource *meta,
    const struct jsv_node *at,
    struct jsv_schema_fault *reterr_fault)
{
    use_draft(resource, meta->draft);
    resource->meta = meta->uri;
    struct jsv_value root = {meta->source->document, meta->root};
    struct jsv_value vocabulary = jsv_value_get(root, JSV_STR("$vocabulary"));
    if (meta->draft < JSV_DRAFT_2019_09 || jsv_value_type(vocabulary) != JSV_TYPE_OBJECT) {
        return 0;
    }
    resource->vocabularies = JSV_VOCABULARY_CORE;
    if (meta->draft == JSV_DRAFT_2019_09) {
        resource->vocabularies |= JSV_VOCABULARY_UNEVALUATED; /* part of applicator there */
    }
    struct jsv_iter iter = jsv_value_iter(vocabulary);
    while (jsv_iter_next(&iter)) {
        struct jsv_str uri = jsv_value_text(iter.key);
        unsigned bits = vocabulary_of(uri);
        resource->vocabularies |= bits;
        if (!bits && jsv_value_bool(iter.value)) {
            return jsv_registry_fault(
                registry,
                resource,
                at,
                reterr_fault,
                "its meta-schema requires the unknown vocabulary %.*s",
                JSV_TEXT(uri));
        }
    }
    return 0;
}

/* Draft and vocabularies by the resource's own $schema; as its surroundings without one. */
static int settle_draft(
    struct jsv_registry *registry,
    struct jsv_resource *resource,
    const struct jsv_resource *outer,
    struct jsv_schema_fault *reterr_fault)
{
    struct jsv_value root = {resource->source->document, resource->root};
    struct jsv_value schema = jsv_value_get(root, JSV_STR("$schema"));
    if (jsv_value_type(schema) != JSV_TYPE_STRING) {
        if (outer) {
            resource->draft = outer->draft;
            resource->vocabularies = outer->vocabularies;
            resource->meta = outer->meta;
        }
        return 0;
    }
    struct jsv_uri uri = jsv_uri_split(jsv_value_text(schema));
    enum jsv_draft draft;
    if (find_draft(uri.absolute, &draft)) {
        use_draft(resource, draft);
        return 0;
    }
    if (jsv_str_equal(uri.absolute, resource->uri)) {
        /* a meta-schema that describes itself */
        return use_meta(registry, resource, resource, schema.node, reterr_fault);
    }
    struct jsv_resource *meta;
    int r = jsv_registry_find(registry, uri.absolute, &meta, reterr_fault);
    if (r == -ENOENT || r == -ELOOP) {
        return jsv_registry_fault(
            registry,
            resource,
            schema.node,
            reterr_fault,
            r == -ENOENT ? "unknown meta-schema %.*s"
                         : "too many meta-schemas of meta-schemas up to %.*s",
            JSV_TEXT(uri.absolute));
    }
    return r < 0 ? r : use_meta(registry, resource, meta, schema.node, reterr_fault);
}

/* ---- scanning a source for resources and anchors ---- */

/* A schema waiting to be looked at, and the resource it stands in. */
struct scan_item {
    const struct jsv_node *node;
    struct jsv_resource *resource;
};

struct source_scan {
    struct jsv_registry *registry;
    struct jsv_source *source;
    struct jsv_schema_fault *reterr_fault;
    bool resolved;    /* the resolver handed it over */
    size_t uris_size; /* of its identifiers */
    struct jsv_arena scratch;
    struct jsv_stack pending; /* struct scan_item */
};

static int
push_schema(struct source_scan *scan, const struct jsv_node *node, struct jsv_resource *resource)
{
    if (jsv_node_type(node) != JSV_TYPE_OBJECT) {
        return 0;
    }
    struct scan_item *item = jsv_stack_push(&scan->pending, 1);
    if (!item) {
        return -ENOMEM;
    }
    *item = (struct scan_item){node, resource};
    return 0;
}

/* Every schema directly in a keyword's value. */
static int push_operand(
    struct source_scan *scan,
    enum jsv_operand operand,
    const struct jsv_node *value,
    struct jsv_resource *resource)
{
    bool object = jsv_node_type(value) == JSV_TYPE_OBJECT;
    bool array = jsv_node_type(value) == JSV_TYPE_ARRAY;
    bool single = operand == JSV_OPERAND_SCHEMA || operand == JSV_OPERAND_SCHEMA_UNUSED ||
                  (operand == JSV_OPERAND_SCHEMA_OR_LIST && object);
    bool list = operand == JSV_OPERAND_SCHEMA_LIST || operand == JSV_OPERAND_SCHEMA_OR_LIST;
    bool map = operand == JSV_OPERAND_SCHEMA_MAP || operand == JSV_OPERAND_PATTERN_MAP ||
               operand == JSV_OPERAND_DEPENDENCIES;
    if (single) {
        return push_schema(scan, value, resource);
    }
    if (!(list && array) && !(map && object)) {
        return 0;
    }
    struct jsv_iter iter = jsv_value_iter((struct jsv_value){scan->source->document, value});
    while (jsv_iter_next(&iter)) {
        int r = push_schema(scan, iter.value.node, resource);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* An anchor may be plain and dynamic at once, but not stand at two places. */
static int add_anchor(
    struct source_scan *scan,
    struct jsv_resource *resource,
    struct jsv_str name,
    const struct jsv_node *node,
    bool dynamic)
{
    struct jsv_registry *registry = scan->registry;
    struct jsv_anchor *known = jsv_table_find(&registry->anchors, resource, name);
    if (known && known->node == node) {
        known->dynamic |= dynamic;
        return 0;
    }
    if (known) {
        return jsv_registry_fault(
            registry,
            resource,
            node,
            scan->reterr_fault,
            "the anchor %.*s is used twice",
            JSV_TEXT(name));
    }
    struct jsv_anchor *anchor = jsv_arena_alloc(&registry->arena, sizeof(*anchor));
    if (!anchor) {
        return -ENOMEM;
    }
    *anchor = (struct jsv_anchor){{resource, name}, resource->anchors, node, dynamic};
    int r = jsv_table_add(&registry->anchors, &anchor->key);
    if (r == 0) {
        resource->anchors = anchor;
    }
    return r;
}

static int add_resource(
    struct source_scan *scan,
    const struct jsv_node *root,
    struct jsv_str uri,
    const struct jsv_resource *outer,
    struct jsv_resource **ret_resource)
{
    struct jsv_registry *registry = scan->registry;
    struct jsv_resource *resource = jsv_arena_alloc(&registry->arena, sizeof(*resource));
    if (!resource) {
        return -ENOMEM;
    }
    *resource = (struct jsv_resource){
        .key = {root, {0}},
        .next = scan->source->resources,
        .uri = uri,
        .source = scan->source,
        .root = root,
        .index = registry->resource_count,
    };
    use_draft(resource, registry->options.draft);
    int r = jsv_table_add(&registry->roots, &resource->key);
    if (r < 0) {
        return r;
    }
    scan->source->resources = resource;
    registry->resource_count++;
    /* named before its meta-schema is looked for: that may be the resource itself */
    r = name_resource(registry, uri, resource);
    if (r == -EEXIST && !outer && scan->resolved) {
        r = 0; /* known by the URI it was asked for */
    }
    if (r == -EEXIST) {
        r = jsv_registry_fault(
            registry,
            resource,
            root,
            scan->reterr_fault,
            "the identifier %.*s is used twice",
            JSV_TEXT(uri));
        return r == -EBADMSG && !outer ? -EEXIST : r;
    }
    if (r < 0) {
        return r;
    }
    *ret_resource = resource;
    return settle_draft(registry, resource, outer, scan->reterr_fault);
}

/* The draft a schema will have: its own $schema's if that is one of the known ones. */
static enum jsv_draft
draft_ahead(const struct source_scan *scan, const struct jsv_node *node, enum jsv_draft otherwise)
{
    struct jsv_value object = {scan->source->document, node};
    struct jsv_value schema = jsv_value_get(object, JSV_STR("$schema"));
    enum jsv_draft draft = otherwise;
    find_draft(jsv_uri_split(jsv_value_text(schema)).absolute, &draft);
    return draft;
}

/* A schema's identifier in its draft; NONE when it has none that counts. */
static struct jsv_value
identifier(const struct source_scan *scan, const struct jsv_node *node, enum jsv_draft draft)
{
    struct jsv_value object = {scan->source->document, node};
    struct jsv_value id =
        jsv_value_get(object, draft == JSV_DRAFT_4 ? JSV_STR("id") : JSV_STR("$id"));
    bool alone = draft >= JSV_DRAFT_2019_09 ||
                 jsv_value_type(jsv_value_get(object, JSV_STR("$ref"))) == JSV_TYPE_NONE;
    return jsv_value_type(id) == JSV_TYPE_STRING && alone ? id : (struct jsv_value){0};
}

/*
 * Resolve an identifier, for good. Many short ones below a long one would take
 * far more room than their text does, so all together are limited.
 */
static int resolve_id(
    struct source_scan *scan,
    const struct jsv_resource *resource,
    struct jsv_value id,
    struct jsv_uri *ret_uri)
{
    struct jsv_str text = jsv_value_text(id);
    bool fragment_only = text.size && text.data[0] == '#';
    struct jsv_str base = fragment_only ? (struct jsv_str){"", 0} : resource->uri;
    struct jsv_str uri;
    int r = jsv_uri_resolve(&scan->registry->arena, base, text, &uri);
    if (r < 0) {
        return r;
    }
    scan->uris_size += uri.size;
    if (scan->uris_size > JSV_URIS_SIZE_MAX(scan->source->text.size)) {
        return jsv_registry_fault(
            scan->registry,
            resource,
            id.node,
            scan->reterr_fault,
            "its identifiers, when resolved, are too long together");
    }
    *ret_uri = jsv_uri_split(uri);
    return 0;
}

/* Begin a resource where an identifier does: *resource becomes the one to go on with. */
static int
scan_id(struct source_scan *scan, const struct jsv_node *node, struct jsv_resource **resource)
{
    enum jsv_draft draft = draft_ahead(scan, node, (*resource)->draft);
    struct jsv_value id = identifier(scan, node, draft);
    if (!id.node) {
        return 0;
    }
    struct jsv_uri uri;
    int r = resolve_id(scan, *resource, id, &uri);
    if (r == 0 && uri.absolute.size) {
        r = add_resource(scan, node, uri.absolute, *resource, resource);
    }
    if (r == 0 && uri.fragment.size && draft < JSV_DRAFT_2019_09) {
        r = add_anchor(scan, *resource, uri.fragment, node, false);
    }
    return r;
}

static int
scan_anchors(struct source_scan *scan, const struct jsv_node *node, struct jsv_resource *resource)
{
    struct jsv_value object = {scan->source->document, node};
    struct jsv_value anchor = jsv_value_get(object, JSV_STR("$anchor"));
    struct jsv_value dynamic = jsv_value_get(object, JSV_STR("$dynamicAnchor"));
    int r = 0;
    if (resource->draft >= JSV_DRAFT_2019_09 && jsv_value_type(anchor) == JSV_TYPE_STRING) {
        r = add_anchor(scan, resource, jsv_value_text(anchor), node, false);
    }
    if (r == 0 && resource->draft == JSV_DRAFT_2020_12 &&
        jsv_value_type(dynamic) == JSV_TYPE_STRING) {
        r = add_anchor(scan, resource, jsv_value_text(dynamic), node, true);
    }
    if (node == resource->root && resource->draft == JSV_DRAFT_2019_09) {
        resource->recursive_anchor =
            jsv_value_bool(jsv_value_get(object, JSV_STR("$recursiveAnchor")));
    }
    return r;
}

static int scan_schema(struct source_scan *scan, struct scan_item item)
{
    struct jsv_resource *resource = item.resource;
    int r = item.node == resource->root ? 0 : scan_id(scan, item.node, &resource);
    if (r == 0) {
        r = scan_anchors(scan, item.node, resource);
    }
    if (r < 0) {
        return r;
    }
    const struct jsv_document *document = scan->source->document;
    const struct jsv_keyword_index *keywords = &scan->registry->keywords;
    struct jsv_value object = {document, item.node};
    if (resource->draft < JSV_DRAFT_2019_09 &&
        jsv_value_type(jsv_value_get(object, JSV_STR("$ref"))) == JSV_TYPE_STRING &&
        item.node != resource->root) {
        return 0; /* whatever stands beside $ref is ignored there */
    }
    struct jsv_iter iter = jsv_value_iter(object);
    while (jsv_iter_next(&iter)) {
        enum jsv_keyword keyword =
            jsv_keyword_find(keywords, document, iter.key.node, resource->draft);
        if (keyword == JSV_KEYWORD_COUNT) {
            continue;
        }
        r = push_operand(scan, keywords->infos[keyword].operand, iter.value.node, resource);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int scan_all(struct source_scan *scan)
{
    while (scan->pending.count) {
        struct scan_item item = *(struct scan_item *)jsv_stack_pop(&scan->pending);
        int r = scan_schema(scan, item);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* The root resource: known by its own $id and by the URI it was added under. */
static int scan_root(struct source_scan *scan, struct jsv_resource **ret_resource)
{
    struct jsv_registry *registry = scan->registry;
    const struct jsv_node *root = jsv_document_nodes(scan->source->document);
    struct jsv_uri uri = {scan->source->uri, {0}};
    if (jsv_node_type(root) == JSV_TYPE_OBJECT) {
        enum jsv_draft draft = draft_ahead(scan, root, registry->options.draft);
        struct jsv_value id = identifier(scan, root, draft);
        if (id.node) {
            struct jsv_str resolved;
            int r =
                jsv_uri_resolve(&registry->arena, scan->source->uri, jsv_value_text(id), &resolved);
            if (r < 0) {
                return r;
            }
            uri = jsv_uri_split(resolved);
        }
    }
    int r = add_resource(scan, root, uri.absolute, NULL, ret_resource);
    if (r == 0 && !jsv_str_equal(uri.absolute, scan->source->uri)) {
        r = name_resource(registry, scan->source->uri, *ret_resource);
    }
    if (r == 0 && uri.fragment.size && (*ret_resource)->draft < JSV_DRAFT_2019_09) {
        r = add_anchor(scan, *ret_resource, uri.fragment, root, false);
    }
    return r < 0 ? r : push_schema(scan, root, *ret_resource);
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
        .text = copy_text(registry, text),
        .uri = copy_text(registry, uri),
        .document = jsv_document_new(&registry->allocator),
    };
    if (!source->text.data || !source->uri.data || !source->document) {
        jsv_document_free(source->document);
        return -ENOMEM;
    }
    source->next = registry->sources;
    registry->sources = source;
    registry->text_size += text.size;
    *ret_source = source;
    return 0;
}

static int read_document(
    struct jsv_registry *registry, struct jsv_source *source, struct jsv_schema_fault *reterr_fault)
{
    struct jsv_error error;
    int r = jsv_read(registry->reader, source->document, source->text, 0, &error);
    if (r == -EBADMSG && reterr_fault) {
        error.pointer = copy_text(registry, error.pointer);
        if (!error.pointer.data) {
            return -ENOMEM;
        }
        *reterr_fault = (struct jsv_schema_fault){
            .uri = source->uri,
            .pointer = error.pointer,
            .message = jsv_str_from(error.message),
            .json = error,
        };
    }
    return r;
}

static void
forget_name(struct jsv_registry *registry, struct jsv_str uri, const struct jsv_resource *resource)
{
    const struct jsv_resource_name *name = jsv_table_find(&registry->names, NULL, uri);
    if (name && name->resource == resource) {
        jsv_table_remove(&registry->names, &name->key);
    }
}

/* Leave nothing of a source that was refused but memory, which goes with the registry. */
static void forget_source(struct jsv_registry *registry, struct jsv_source *source)
{
    for (struct jsv_resource *resource = source->resources; resource; resource = resource->next) {
        for (struct jsv_anchor *anchor = resource->anchors; anchor; anchor = anchor->next) {
            jsv_table_remove(&registry->anchors, &anchor->key);
        }
        forget_name(registry, resource->uri, resource);
        forget_name(registry, source->uri, resource);
        jsv_table_remove(&registry->roots, &resource->key);
    }
    struct jsv_source **link = &registry->sources;
    while (*link != source) {
        link = &(*link)->next;
    }
    *link = source->next;
    jsv_document_free(source->document);
}

static int scan_source(struct source_scan *scan, struct jsv_resource **ret_resource)
{
    struct jsv_registry *registry = scan->registry;
    jsv_arena_init(&scan->scratch, &registry->allocator, REGISTRY_MEMORY_MAX);
    scan->pending = jsv_stack_on(&scan->scratch, sizeof(struct scan_item));
    int r = scan_root(scan, ret_resource);
    if (r == 0) {
        r = scan_all(scan);
    }
    jsv_arena_done(&scan->scratch);
    return r;
}

static int add_source(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_str text,
    bool resolved,
    struct jsv_resource **ret_resource,
    struct jsv_schema_fault *reterr_fault)
{
    struct source_scan scan = {
        .registry = registry,
        .reterr_fault = reterr_fault,
        .resolved = resolved,
    };
    int r = add_document(registry, uri, text, &scan.source);
    if (r < 0) {
        return r;
    }
    r = read_document(registry, scan.source, reterr_fault);
    if (r == 0) {
        r = scan_source(&scan, ret_resource);
    }
    if (r < 0) {
        forget_source(registry, scan.source);
    }
    return r;
}

int jsv_registry_add(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_str text,
    struct jsv_schema_fault *reterr_fault)
{
    struct jsv_schema_fault fault = {0};
    struct jsv_str resolved;
    int r = jsv_uri_resolve(&registry->arena, (struct jsv_str){"", 0}, uri, &resolved);
    if (r == 0) {
        struct jsv_resource *resource;
        struct jsv_str absolute = jsv_uri_split(resolved).absolute;
        r = add_source(registry, absolute, text, false, &resource, &fault);
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
    struct jsv_schema_fault *reterr_fault)
{
    struct jsv_str text;
    int r = registry->options.resolver(registry->options.resolver_context, uri, &text);
    if (r == 0) {
        return add_source(registry, uri, text, true, ret_resource, reterr_fault);
    }
    if (r != -ENOENT && reterr_fault) {
        *reterr_fault = (struct jsv_schema_fault){
            .uri = copy_text(registry, uri),
            .pointer = {"", 0},
            .message = JSV_STR("it could not be loaded"),
        };
    }
    return r;
}

static int load(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_resource **ret_resource,
    struct jsv_schema_fault *reterr_fault)
{
    const struct jsv_embedded *embedded = jsv_meta_find(uri);
    if (embedded) {
        struct jsv_str text = {embedded->data, embedded->size};
        return add_source(registry, uri, text, false, ret_resource, reterr_fault);
    }
    return registry->options.resolver ? resolve(registry, uri, ret_resource, reterr_fault)
                                      : -ENOENT;
}

int jsv_registry_find(
    struct jsv_registry *registry,
    struct jsv_str uri,
    struct jsv_resource **ret_resource,
    struct jsv_schema_fault *reterr_fault)
{
    struct jsv_resource *known = find_known(registry, uri);
    if (known) {
        *ret_resource = known;
        return 0;
    }
    if (registry->nesting == NESTING_MAX) {
        return -ELOOP;
    }
    registry->nesting++;
    int r = load(registry, uri, ret_resource, reterr_fault);
    registry->nesting--;
    return r;
}
