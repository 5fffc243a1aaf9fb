/*
 * Finding the resources and anchors of a source.
 *
 * Keywords decide where schemas are: `properties` holds schemas, `const` does
 * not, whatever its value looks like. So the scan goes from keyword to keyword
 * like the compiler, by the draft of the current resource. A stack of pending
 * schemas replaces recursion.
 */
#include <errno.h>

#include "jsv/json/node.h"
#include "jsv/json/stack.h"
#include "jsv/schema/registry/registry.h"
#include "jsv/schema/registry/uri.h"
#include "jsv/schema/report/message.h"

/* A schema to be scanned, and the resource it is in. */
struct scan_item {
    const struct jsv_node *node;
    struct jsv_resource *resource;
};

struct source_scan {
    struct jsv_registry *registry;
    struct jsv_source *source;
    struct jsv_error *reterr_fault;
    size_t uris_size; /* of its resolved identifiers */
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

/* Push every schema directly in a keyword's value. */
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

/* An anchor may be plain and dynamic at once, but not be at two places. */
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
            registry, resource, node, scan->reterr_fault, "duplicate anchor %.*s", JSV_TEXT(name));
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

/* Equal texts mean different things in different drafts. */
static bool has_same_dialect(const struct jsv_resource *a, const struct jsv_resource *b)
{
    return a->draft == b->draft && a->vocabularies == b->vocabularies;
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
    jsv_resource_use_draft(resource, registry->options.draft);
    int r = jsv_table_add(&registry->roots, &resource->key);
    if (r < 0) {
        return r;
    }
    scan->source->resources = resource;
    registry->resource_count++;
    /* named before its meta-schema is searched, because that may be the resource itself */
    const struct jsv_resource *twin;
    r = jsv_registry_name(registry, uri, resource, &twin, scan->reterr_fault);
    if (r == -EEXIST && !outer && scan->source->resolved && registry->options.first_id_wins) {
        r = 0;
    }
    if (r == 0) {
        *ret_resource = resource;
        r = jsv_resource_settle_draft(registry, resource, outer, scan->reterr_fault);
    }
    if (r == 0 && twin && !has_same_dialect(resource, twin)) {
        r = jsv_registry_refuse_name(registry, uri, resource, twin, scan->reterr_fault);
    }
    return r == -EEXIST && outer ? -EBADMSG : r; /* -EEXIST is about the source's own URI */
}

/* The draft a schema will have: that of its $schema if it names a draft. */
static enum jsv_draft
draft_ahead(const struct source_scan *scan, const struct jsv_node *node, enum jsv_draft otherwise)
{
    struct jsv_value object = {scan->source->document, node};
    struct jsv_value schema = jsv_value_get(object, JSV_STR("$schema"));
    enum jsv_draft draft = otherwise;
    jsv_draft_find(jsv_uri_split(jsv_value_text(schema)).absolute, &draft);
    return draft;
}

/* A schema's identifier in its draft; NONE when it has none, or one that is ignored. */
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

/* Resolve an identifier; the result lives in the registry, so the total size is limited. */
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
            "the resolved identifiers of this schema exceed the size limit");
    }
    *ret_uri = jsv_uri_split(uri);
    return 0;
}

/* An identifier begins a resource, which replaces *resource. */
static int
scan_id(struct source_scan *scan, const struct jsv_node *node, struct jsv_resource **resource)
{
    enum jsv_draft draft = draft_ahead(scan, node, (*resource)->draft);
    struct jsv_value id = identifier(scan, node, draft);
    if (!id.node) {
        return 0;
    }
    struct jsv_uri uri = {0};
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
        return 0; /* these drafts ignore everything beside $ref */
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

/* Add the root resource under its own $id and under the URI it was added with. */
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
        const struct jsv_resource *twin;
        r = jsv_registry_name(
            registry, scan->source->uri, *ret_resource, &twin, scan->reterr_fault);
    }
    if (r == 0 && uri.fragment.size && (*ret_resource)->draft < JSV_DRAFT_2019_09) {
        r = add_anchor(scan, *ret_resource, uri.fragment, root, false);
    }
    return r < 0 ? r : push_schema(scan, root, *ret_resource);
}

int jsv_source_scan(
    struct jsv_registry *registry,
    struct jsv_source *source,
    struct jsv_resource **ret_resource,
    struct jsv_error *reterr_fault)
{
    struct source_scan scan = {
        .registry = registry,
        .source = source,
        .reterr_fault = reterr_fault,
    };
    jsv_arena_init(&scan.scratch, &registry->allocator, JSV_REGISTRY_MEMORY_MAX);
    scan.pending = jsv_stack_on(&scan.scratch, sizeof(struct scan_item));
    int r = scan_root(&scan, ret_resource);
    while (r == 0 && scan.pending.count) {
        r = scan_schema(&scan, *(struct scan_item *)jsv_stack_pop(&scan.pending));
    }
    jsv_arena_done(&scan.scratch);
    return r;
}
