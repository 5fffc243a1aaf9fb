/*
 * Resolving references.
 *
 * A reference is resolved against the URI of its resource. The result names a
 * resource, and in its fragment an anchor of it or a pointer into it.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "jsv/json/pointer.h"
#include "jsv/schema/compile/compile.h"
#include "jsv/schema/registry/uri.h"
#include "jsv/schema/report/message.h"

/* Containers with more members or elements than this are searched through a table. */
#define LARGE_CONTAINER 32

/* A member of a large object. */
struct member {
    struct jsv_table_key key; /* the object's node and the name */
    const struct jsv_node *value;
};

static int add_members(struct jsv_compile *compile, struct jsv_value object)
{
    struct member *members =
        jsv_arena_array(&compile->scratch, jsv_value_count(object), sizeof(*members));
    if (!members) {
        return -ENOMEM;
    }
    struct jsv_iter iter = jsv_value_iter(object);
    for (struct member *member = members; jsv_iter_next(&iter); member++) {
        *member = (struct member){{object.node, jsv_value_text(iter.key)}, iter.value.node};
        int r = jsv_table_add(&compile->members, &member->key);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* The elements of a large array. */
struct elements {
    struct jsv_table_key key; /* the array's node */
    const struct jsv_node *nodes[];
};

static int list_elements(
    struct jsv_compile *compile, struct jsv_value array, const struct elements **ret_elements)
{
    struct elements *elements = jsv_table_find(&compile->arrays, array.node, (struct jsv_str){0});
    if (elements) {
        *ret_elements = elements;
        return 0;
    }
    size_t size = jsv_value_count(array) * sizeof(elements->nodes[0]);
    elements = jsv_arena_alloc(&compile->scratch, sizeof(*elements) + size);
    if (!elements) {
        return -ENOMEM;
    }
    elements->key = (struct jsv_table_key){array.node, {0}};
    const struct jsv_node **node = elements->nodes;
    for (struct jsv_iter iter = jsv_value_iter(array); jsv_iter_next(&iter); node++) {
        *node = iter.value.node;
    }
    *ret_elements = elements;
    return jsv_table_add(&compile->arrays, &elements->key);
}

static int
follow_large_array(struct jsv_compile *compile, struct jsv_str token, struct jsv_value *value)
{
    size_t index = jsv_pointer_index(token);
    if (index >= jsv_value_count(*value)) {
        return -ENOENT;
    }
    const struct elements *elements;
    int r = list_elements(compile, *value, &elements);
    if (r == 0) {
        value->node = elements->nodes[index];
    }
    return r;
}

static int
follow_large_object(struct jsv_compile *compile, struct jsv_str token, struct jsv_value *value)
{
    char *unescaped = jsv_arena_alloc(&compile->uris, token.size + 1);
    if (!unescaped) {
        return -ENOMEM;
    }
    struct jsv_str name = {unescaped, (size_t)(jsv_pointer_unescape(token, unescaped) - unescaped)};
    struct jsv_iter first = jsv_value_iter(*value);
    jsv_iter_next(&first);
    if (!jsv_table_find(&compile->members, value->node, jsv_value_text(first.key))) {
        int r = add_members(compile, *value);
        if (r < 0) {
            return r;
        }
    }
    const struct member *member = jsv_table_find(&compile->members, value->node, name);
    value->node = member ? member->value : NULL;
    return member ? 0 : -ENOENT;
}

/* Follow one token. Large containers have tables because many references may lead through them. */
static int follow_token(struct jsv_compile *compile, struct jsv_str token, struct jsv_value *value)
{
    if (jsv_value_count(*value) <= LARGE_CONTAINER || !jsv_pointer_is_valid(token)) {
        return jsv_pointer_get(*value, token, value);
    }
    struct jsv_str rest = {token.data + 1, token.size - 1};
    return jsv_value_type(*value) == JSV_TYPE_OBJECT ? follow_large_object(compile, rest, value)
                                                     : follow_large_array(compile, rest, value);
}

/* Follow a pointer; target->resource becomes the innermost resource on the way. */
static int
follow_pointer(struct jsv_compile *compile, struct jsv_str fragment, struct jsv_target *target)
{
    struct jsv_str pointer;
    int r = jsv_uri_decode(&compile->uris, fragment, &pointer);
    struct jsv_value value = {target->resource->source->document, target->node};
    while (r == 0 && pointer.size) {
        const char *slash = memchr(pointer.data + 1, '/', pointer.size - 1);
        size_t size = slash ? (size_t)(slash - pointer.data) : pointer.size;
        r = follow_token(compile, (struct jsv_str){pointer.data, size}, &value);
        if (r == 0) {
            struct jsv_resource *own = jsv_registry_resource_at(compile->registry, value.node);
            target->resource = own ? own : target->resource;
        }
        pointer = (struct jsv_str){pointer.data + size, pointer.size - size};
    }
    target->node = value.node;
    return r == -EINVAL ? -ENOENT : r;
}

/* A URI without a resource, remembered because searching again would take as long. */
struct absent {
    struct jsv_table_key key; /* the source that refers to it and the URI */
    int error;
};

static int note_absent(
    struct jsv_compile *compile, const struct jsv_source *from, struct jsv_str uri, int error)
{
    struct absent *absent = jsv_arena_alloc(&compile->scratch, sizeof(*absent) + uri.size);
    if (!absent) {
        return -ENOMEM;
    }
    char *copy = (char *)(absent + 1);
    memcpy(copy, uri.data, uri.size);
    *absent = (struct absent){{from, {copy, uri.size}}, error};
    return jsv_table_add(&compile->absent, &absent->key);
}

/* Find the resource of a reference, and its fragment. */
static int find_resource(
    struct jsv_compile *compile,
    struct jsv_str reference,
    const struct jsv_resource *base,
    const struct jsv_resource **ret_resource,
    struct jsv_str *ret_fragment)
{
    bool local = base && reference.size && reference.data[0] == '#';
    struct jsv_str base_uri = base && !local ? base->uri : (struct jsv_str){"", 0};
    int r = jsv_uri_resolve(&compile->uris, base_uri, reference, &compile->uri);
    if (r < 0) {
        return r;
    }
    compile->uris_size += base ? compile->uri.size : 0;
    if (compile->uris_size > JSV_URIS_SIZE_MAX(compile->registry->text_size)) {
        return -EFBIG;
    }
    struct jsv_uri parts = jsv_uri_split(compile->uri);
    *ret_fragment = parts.fragment;
    if (local) {
        *ret_resource = base;
        return 0;
    }
    const struct jsv_source *from = base ? base->source : NULL;
    const struct absent *absent = jsv_table_find(&compile->absent, from, parts.absolute);
    if (absent) {
        return absent->error;
    }
    struct jsv_resource *resource;
    r = jsv_registry_find(
        compile->registry, from, parts.absolute, &resource, compile->reterr_fault);
    if (r == -ENOENT || r == -EBADMSG) {
        int later = r == -EBADMSG ? -EALREADY : r; /* its fault is reported once */
        int noted = note_absent(compile, from, parts.absolute, later);
        r = noted < 0 ? noted : r;
    }
    if (r < 0) {
        return r;
    }
    *ret_resource = resource;
    return 0;
}

int jsv_compile_target(
    struct jsv_compile *compile,
    struct jsv_str reference,
    const struct jsv_resource *base,
    struct jsv_target *ret_target)
{
    jsv_arena_reset(&compile->uris);
    struct jsv_target target = {0};
    struct jsv_str fragment;
    int r = find_resource(compile, reference, base, &target.resource, &fragment);
    if (r < 0 || !target.resource) {
        *ret_target = target;
        return r < 0 ? r : -ENOENT;
    }
    target.node = target.resource->root;
    if (fragment.size && fragment.data[0] == '/') {
        r = follow_pointer(compile, fragment, &target);
    } else if (fragment.size) {
        target.anchor = jsv_resource_anchor(compile->registry, target.resource, fragment);
        target.node = target.anchor ? target.anchor->node : NULL;
        r = target.anchor ? 0 : -ENOENT;
    }
    *ret_target = target;
    return r;
}

/* Note a fault: the target of a reference does not exist. */
static int refuse_reference(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_value value,
    const struct jsv_target *target)
{
    struct jsv_uri uri = jsv_uri_split(compile->uri);
    const struct jsv_resource *own = schema->resource;
    if (!target->resource) {
        return jsv_compile_refuse(
            compile, own, value.node, uri.absolute, "cannot find %.*s", JSV_TEXT(uri.absolute));
    }
    bool is_foreign = target->resource->source != own->source;
    return jsv_compile_refuse(
        compile,
        own,
        value.node,
        (struct jsv_str){0},
        "cannot find #%.*s in %.*s",
        JSV_TEXT(uri.fragment),
        JSV_TEXT((is_foreign ? uri.absolute : JSV_STR("this schema"))));
}

int jsv_compile_reference(
    struct jsv_compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value)
{
    struct jsv_target target = {0};
    int r = jsv_compile_target(compile, jsv_value_text(value), schema->resource, &target);
    if (r == -ENOENT) {
        return refuse_reference(compile, schema, value, &target);
    }
    if (r == -EALREADY) {
        return 1;
    }
    if (r == -EBADMSG) {
        return jsv_compile_refuse_for(compile, schema->resource, value.node, compile->reterr_fault);
    }
    if (r == 0 && !jsv_node_is_schema(target.node)) {
        return jsv_compile_refuse(
            compile,
            schema->resource,
            value.node,
            (struct jsv_str){0},
            "%.*s target is not a schema: %.*s",
            JSV_TEXT(jsv_use_name(schema, use)),
            JSV_TEXT(compile->uri));
    }
    if (r == -EFBIG) {
        return jsv_registry_fault(
            compile->registry,
            schema->resource,
            value.node,
            compile->reterr_fault,
            "the resolved references of this schema exceed the size limit");
    }
    if (r < 0) {
        return r;
    }
    assert(target.resource); /* every target is in one */
    bool dynamic =
        use->keyword == JSV_KEYWORD_DYNAMIC_REF && target.anchor && target.anchor->dynamic;
    bool recursive = use->keyword == JSV_KEYWORD_RECURSIVE_REF && target.resource->recursive_anchor;
    use->ref.dynamic = dynamic || recursive;
    use->ref.anchor = dynamic ? target.anchor->key.text : (struct jsv_str){"", 0};
    compile->dynamic |= use->ref.dynamic;
    return jsv_compile_subschema(compile, target.node, target.resource, &use->ref.target);
}
