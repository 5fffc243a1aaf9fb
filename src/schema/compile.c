/*
 * From a schema's JSON to subschemas (subschema.h).
 *
 * A list of schemas to take apart stands in for recursion: taking one apart
 * asks for others by their node, and whoever is asked for first is made then
 * and filled in later. So circles of references need no care.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "json/pointer.h"
#include "json/stack.h"
#include "json/value.h"
#include "schema/check.h"
#include "schema/message.h"
#include "schema/program.h"
#include "schema/subschema.h"
#include "schema/uri.h"

/* A schema's own memory, which is in proportion to its text; this stops what was overlooked. */
#define SCHEMA_MEMORY_MAX ((size_t)1 << 30)

struct compile {
    struct jsv_registry *registry;
    struct jsv_schema_options options;
    struct jsv_schema *schema;
    struct jsv_schema_fault *reterr_fault;
    struct jsv_arena scratch;
    struct jsv_arena uris;        /* of one reference */
    struct jsv_str uri;           /* the last reference, resolved */
    size_t uris_size;             /* of all references */
    struct jsv_stack pending;     /* struct jsv_subschema *: made, not taken apart yet */
    struct jsv_subschema **slots; /* by node; open addressing, a power of two */
    size_t slot_count;
    const struct jsv_node *always; /* the first schema that is {} or true */
    struct jsv_table members;      /* struct member: of large objects that pointers lead through */
    struct jsv_table arrays;       /* struct elements: of large arrays that pointers lead through */
    struct jsv_table regexes;      /* struct jsv_regex_list */
    struct jsv_table reached;      /* struct reached */
    bool dynamic;                  /* some reference is dynamic */
};

/* ---- subschemas by node ---- */

static size_t slot_of(const struct compile *compile, const struct jsv_node *node)
{
    uint64_t mixed = (uint64_t)(uintptr_t)node * 0x9E3779B97F4A7C15ull;
    size_t at = (size_t)(mixed >> 32) & (compile->slot_count - 1);
    while (compile->slots[at] && compile->slots[at]->node != node) {
        at = (at + 1) & (compile->slot_count - 1);
    }
    return at;
}

static int grow_slots(struct compile *compile)
{
    size_t count = compile->slot_count ? 2 * compile->slot_count : 64;
    struct jsv_subschema **slots = jsv_arena_array(&compile->scratch, count, sizeof(*slots));
    if (!slots) {
        return -ENOMEM;
    }
    memset(slots, 0, count * sizeof(*slots));
    compile->slots = slots;
    compile->slot_count = count;
    for (struct jsv_subschema *s = compile->schema->subschemas; s; s = s->next) {
        slots[slot_of(compile, s->node)] = s;
    }
    return 0;
}

static void *take(struct compile *compile, size_t count, size_t size)
{
    return jsv_arena_array(&compile->schema->arena, count ? count : 1, size);
}

/* Whether a schema is {} or true, which need not be told apart. */
static bool is_always(const struct jsv_node *node)
{
    return (jsv_node_type(node) == JSV_TYPE_OBJECT && jsv_node_skip(node) == 1) ||
           (jsv_node_type(node) == JSV_TYPE_BOOLEAN && node->body);
}

/* The subschema at a node, which stands in a resource; made when it is new. */
static int get_subschema(
    struct compile *compile,
    const struct jsv_node *node,
    const struct jsv_resource *resource,
    struct jsv_subschema **ret_subschema)
{
    struct jsv_schema *schema = compile->schema;
    if (2 * ((size_t)schema->subschema_count + 1) > compile->slot_count) {
        int r = grow_slots(compile);
        if (r < 0) {
            return r;
        }
    }
    if (is_always(node)) {
        node = compile->always ? compile->always : node;
        compile->always = node;
    }
    size_t slot = slot_of(compile, node);
    if (!compile->slots[slot]) {
        struct jsv_resource *own = jsv_registry_resource_at(compile->registry, node);
        struct jsv_subschema *subschema = take(compile, 1, sizeof(*subschema));
        struct jsv_subschema **pending = jsv_stack_push(&compile->pending, 1);
        if (!subschema || !pending) {
            return -ENOMEM;
        }
        *subschema = (struct jsv_subschema){
            .next = schema->subschemas,
            .node = node,
            .resource = own ? own : resource,
            .index = schema->subschema_count++,
        };
        schema->subschemas = subschema;
        compile->slots[slot] = subschema;
        *pending = subschema;
    }
    *ret_subschema = compile->slots[slot];
    return 0;
}

/* ---- references ---- */

/* Members or elements up to which looking at each in turn is cheaper than a table. */
#define LARGE_CONTAINER 32

/* A member of a large object. */
struct member {
    struct jsv_table_key key; /* the object's node and the name */
    const struct jsv_node *value;
};

static int add_members(struct compile *compile, struct jsv_value object)
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

static int
list_elements(struct compile *compile, struct jsv_value array, const struct elements **ret_elements)
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
follow_large_array(struct compile *compile, struct jsv_str token, struct jsv_value *value)
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
follow_large_object(struct compile *compile, struct jsv_str token, struct jsv_value *value)
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

/*
 * One step of a pointer. A schema with many definitions is mostly full of
 * references to them, so what is large is not gone through for each.
 */
static int follow_token(struct compile *compile, struct jsv_str token, struct jsv_value *value)
{
    if (jsv_value_count(*value) <= LARGE_CONTAINER || !jsv_pointer_is_valid(token)) {
        return jsv_pointer_get(*value, token, value);
    }
    struct jsv_str rest = {token.data + 1, token.size - 1};
    return jsv_value_type(*value) == JSV_TYPE_OBJECT ? follow_large_object(compile, rest, value)
                                                     : follow_large_array(compile, rest, value);
}

struct target {
    const struct jsv_node *node;
    const struct jsv_resource *resource;
    const struct jsv_anchor *anchor; /* when it was named by one */
};

/* Follow a pointer, token by token; resources on the way become the target's own. */
static int follow_pointer(struct compile *compile, struct jsv_str fragment, struct target *target)
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

/* The resource a reference speaks of, and what is left of it. */
static int find_resource(
    struct compile *compile,
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
    struct jsv_resource *resource;
    r = jsv_registry_find(compile->registry, parts.absolute, &resource, compile->reterr_fault);
    if (r < 0) {
        return r;
    }
    *ret_resource = resource;
    return 0;
}

/* Find what a URI reference refers to; base NULL when it is absolute. */
static int find_target(
    struct compile *compile,
    struct jsv_str reference,
    const struct jsv_resource *base,
    struct target *ret_target)
{
    jsv_arena_reset(&compile->uris);
    struct target target = {.resource = base};
    struct jsv_str fragment;
    int r = find_resource(compile, reference, base, &target.resource, &fragment);
    if (r < 0) {
        return r;
    }
    target.node = target.resource->root;
    if (fragment.size && fragment.data[0] == '/') {
        r = follow_pointer(compile, fragment, &target);
    } else if (fragment.size) {
        target.anchor = jsv_resource_anchor(compile->registry, target.resource, fragment);
        target.node = target.anchor ? target.anchor->node : NULL;
        r = target.anchor ? 0 : -ENOENT;
    }
    if (r == 0) {
        *ret_target = target;
    }
    return r;
}

static bool is_schema(const struct jsv_node *node)
{
    return jsv_node_type(node) == JSV_TYPE_OBJECT || jsv_node_type(node) == JSV_TYPE_BOOLEAN;
}

static int parse_reference(
    struct compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value)
{
    struct target target;
    int r = find_target(compile, jsv_value_text(value), schema->resource, &target);
    if (r == -ENOENT || (r == 0 && !is_schema(target.node))) {
        return jsv_registry_fault(
            compile->registry,
            schema->resource,
            value.node,
            compile->reterr_fault,
            r == 0 ? "the reference leads to what is no schema: %.*s"
                   : "the reference leads nowhere: %.*s",
            JSV_TEXT(compile->uri));
    }
    if (r == -EFBIG) {
        return jsv_registry_fault(
            compile->registry,
            schema->resource,
            value.node,
            compile->reterr_fault,
            "its references, when resolved, are too long together");
    }
    if (r < 0) {
        return r;
    }
    bool dynamic =
        use->keyword == JSV_KEYWORD_DYNAMIC_REF && target.anchor && target.anchor->dynamic;
    bool recursive = use->keyword == JSV_KEYWORD_RECURSIVE_REF && target.resource->recursive_anchor;
    use->ref.dynamic = dynamic || recursive;
    use->ref.anchor = dynamic ? target.anchor->key.text : (struct jsv_str){"", 0};
    compile->dynamic |= use->ref.dynamic;
    return get_subschema(compile, target.node, target.resource, &use->ref.target);
}

/* ---- operands ---- */

static uint64_t parse_size(struct jsv_value value)
{
    int64_t size;
    int r = jsv_value_int64(value, &size);
    return r == 0 && size >= 0 ? (uint64_t)size : UINT64_MAX;
}

static int parse_names(struct compile *compile, struct jsv_value list, struct jsv_names *ret_names)
{
    struct jsv_names names = {take(compile, jsv_value_count(list), sizeof(*names.items)), 0};
    if (!names.items) {
        return -ENOMEM;
    }
    struct jsv_iter iter = jsv_value_iter(list);
    while (jsv_iter_next(&iter)) {
        if (jsv_value_type(iter.value) == JSV_TYPE_STRING) {
            names.items[names.count++] = jsv_key_from(jsv_value_text(iter.value));
        }
    }
    *ret_names = names;
    return 0;
}

static int parse_list(
    struct compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value list)
{
    use->list.schemas = take(compile, jsv_value_count(list), sizeof(*use->list.schemas));
    if (!use->list.schemas) {
        return -ENOMEM;
    }
    use->list.count = 0;
    struct jsv_iter iter = jsv_value_iter(list);
    while (jsv_iter_next(&iter)) {
        int r = get_subschema(
            compile, iter.value.node, schema->resource, &use->list.schemas[use->list.count++]);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int parse_map(
    struct compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value map)
{
    use->map.items = take(compile, jsv_value_count(map), sizeof(*use->map.items));
    if (!use->map.items) {
        return -ENOMEM;
    }
    use->map.count = 0;
    struct jsv_iter iter = jsv_value_iter(map);
    while (jsv_iter_next(&iter)) {
        struct jsv_property *property = &use->map.items[use->map.count++];
        property->key = jsv_key_from(jsv_value_text(iter.key));
        int r = get_subschema(compile, iter.value.node, schema->resource, &property->schema);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* A pattern compiled once, however often it is written. */
static int get_regex(
    struct compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_value pattern,
    struct jsv_regex **ret_regex)
{
    struct jsv_str text = jsv_value_text(pattern);
    struct jsv_regex_list *known = jsv_table_find(&compile->regexes, NULL, text);
    if (known) {
        *ret_regex = known->regex;
        return 0;
    }
    struct jsv_regex_list *entry = take(compile, 1, sizeof(*entry));
    if (!entry) {
        return -ENOMEM;
    }
    struct jsv_regex_fault fault;
    int r = jsv_regex_compile(text, &compile->schema->allocator, &entry->regex, &fault);
    if (r == -ENOMEM) {
        return r;
    }
    if (r < 0) {
        return jsv_registry_fault(
            compile->registry,
            schema->resource,
            pattern.node,
            compile->reterr_fault,
            "the pattern is wrong at offset %zu: %s",
            fault.offset,
            fault.message);
    }
    entry->key = (struct jsv_table_key){NULL, text};
    entry->next = compile->schema->regexes;
    compile->schema->regexes = entry;
    *ret_regex = entry->regex;
    return jsv_table_add(&compile->regexes, &entry->key);
}

static int parse_patterns(
    struct compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value map)
{
    use->patterns.items = take(compile, jsv_value_count(map), sizeof(*use->patterns.items));
    if (!use->patterns.items) {
        return -ENOMEM;
    }
    use->patterns.count = 0;
    struct jsv_iter iter = jsv_value_iter(map);
    while (jsv_iter_next(&iter)) {
        struct jsv_pattern_property *property = &use->patterns.items[use->patterns.count++];
        int r = get_regex(compile, schema, iter.key, &property->regex);
        if (r == 0) {
            r = get_subschema(compile, iter.value.node, schema->resource, &property->schema);
        }
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int parse_dependencies(
    struct compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value map)
{
    use->dependencies.items = take(compile, jsv_value_count(map), sizeof(*use->dependencies.items));
    if (!use->dependencies.items) {
        return -ENOMEM;
    }
    use->dependencies.count = 0;
    struct jsv_iter iter = jsv_value_iter(map);
    while (jsv_iter_next(&iter)) {
        struct jsv_dependency *dependency = &use->dependencies.items[use->dependencies.count++];
        *dependency = (struct jsv_dependency){.key = jsv_key_from(jsv_value_text(iter.key))};
        int r =
            jsv_value_type(iter.value) == JSV_TYPE_ARRAY
                ? parse_names(compile, iter.value, &dependency->names)
                : get_subschema(compile, iter.value.node, schema->resource, &dependency->schema);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static unsigned type_bit(struct jsv_str name)
{
    static const struct {
        struct jsv_str name;
        unsigned bit;
    } types[] = {
        {{"null", 4}, JSV_TYPE_BIT_NULL},
        {{"boolean", 7}, JSV_TYPE_BIT_BOOLEAN},
        {{"integer", 7}, JSV_TYPE_BIT_INTEGER},
        {{"number", 6}, JSV_TYPE_BIT_NUMBER},
        {{"string", 6}, JSV_TYPE_BIT_STRING},
        {{"array", 5}, JSV_TYPE_BIT_ARRAY},
        {{"object", 6}, JSV_TYPE_BIT_OBJECT},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (jsv_str_equal(name, types[i].name)) {
            return types[i].bit;
        }
    }
    return 0;
}

static unsigned parse_types(struct jsv_value value)
{
    if (jsv_value_type(value) == JSV_TYPE_STRING) {
        return type_bit(jsv_value_text(value));
    }
    unsigned bits = 0;
    struct jsv_iter iter = jsv_value_iter(value);
    while (jsv_iter_next(&iter)) {
        bits |= type_bit(jsv_value_text(iter.value));
    }
    return bits;
}

static struct jsv_value sibling(const struct jsv_subschema *schema, struct jsv_str name)
{
    struct jsv_value object = {schema->resource->source->document, schema->node};
    return jsv_value_get(object, name);
}

/* What a single schema needs to know of its siblings. */
static void parse_siblings(const struct jsv_subschema *schema, struct jsv_keyword_use *use)
{
    enum jsv_draft draft = schema->resource->draft;
    if (use->keyword == JSV_KEYWORD_ITEMS && draft == JSV_DRAFT_2020_12) {
        use->one.from = jsv_value_count(sibling(schema, JSV_STR("prefixItems")));
    } else if (use->keyword == JSV_KEYWORD_ADDITIONAL_ITEMS) {
        struct jsv_value items = sibling(schema, JSV_STR("items"));
        bool list = jsv_value_type(items) == JSV_TYPE_ARRAY;
        use->one.from = list ? jsv_value_count(items) : UINT64_MAX;
    } else if (use->keyword == JSV_KEYWORD_CONTAINS) {
        bool counted = draft >= JSV_DRAFT_2019_09 &&
                       schema->resource->vocabularies & JSV_VOCABULARY_VALIDATION;
        struct jsv_value min = sibling(schema, JSV_STR("minContains"));
        struct jsv_value max = sibling(schema, JSV_STR("maxContains"));
        use->one.contains_min = counted && min.node ? parse_size(min) : 1;
        use->one.contains_max = counted && max.node ? parse_size(max) : UINT64_MAX;
    }
}

static void
parse_bound(const struct jsv_subschema *schema, struct jsv_keyword_use *use, struct jsv_value value)
{
    use->bound.value = jsv_value_number(value);
    use->bound.exclusive = false;
    if (schema->resource->draft == JSV_DRAFT_4) {
        struct jsv_str name = use->keyword == JSV_KEYWORD_MAXIMUM ? JSV_STR("exclusiveMaximum")
                                                                  : JSV_STR("exclusiveMinimum");
        use->bound.exclusive = jsv_value_bool(sibling(schema, name));
    }
}

/* The type of value an operand is read from; a keyword with another is left out. */
static bool operand_fits(enum jsv_operand operand, enum jsv_type type)
{
    switch (operand) {
    case JSV_OPERAND_REFERENCE:
    case JSV_OPERAND_PATTERN:
    case JSV_OPERAND_FORMAT:
        return type == JSV_TYPE_STRING;
    case JSV_OPERAND_SCHEMA:
        return type == JSV_TYPE_OBJECT || type == JSV_TYPE_BOOLEAN;
    case JSV_OPERAND_SCHEMA_OR_LIST:
        return type == JSV_TYPE_OBJECT || type == JSV_TYPE_BOOLEAN || type == JSV_TYPE_ARRAY;
    case JSV_OPERAND_SCHEMA_LIST:
    case JSV_OPERAND_NAMES:
        return type == JSV_TYPE_ARRAY;
    case JSV_OPERAND_SCHEMA_MAP:
    case JSV_OPERAND_PATTERN_MAP:
    case JSV_OPERAND_DEPENDENCIES:
        return type == JSV_TYPE_OBJECT;
    case JSV_OPERAND_TYPES:
        return type == JSV_TYPE_STRING || type == JSV_TYPE_ARRAY;
    case JSV_OPERAND_NUMBER:
    case JSV_OPERAND_SIZE:
        return type == JSV_TYPE_NUMBER;
    case JSV_OPERAND_FLAG:
        return type == JSV_TYPE_BOOLEAN;
    case JSV_OPERAND_VALUE:
        return true;
    case JSV_OPERAND_SCHEMA_UNUSED:
        return false;
    }
    return false;
}

static int parse_operand(
    struct compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value)
{
    switch (compile->registry->keywords.infos[use->keyword].operand) {
    case JSV_OPERAND_REFERENCE:
        return parse_reference(compile, schema, use, value);
    case JSV_OPERAND_SCHEMA_OR_LIST:
        if (jsv_value_type(value) == JSV_TYPE_ARRAY) {
            return parse_list(compile, schema, use, value);
        }
        __attribute__((fallthrough));
    case JSV_OPERAND_SCHEMA:
        parse_siblings(schema, use);
        return get_subschema(compile, value.node, schema->resource, &use->one.schema);
    case JSV_OPERAND_SCHEMA_LIST:
        return parse_list(compile, schema, use, value);
    case JSV_OPERAND_SCHEMA_MAP:
        return parse_map(compile, schema, use, value);
    case JSV_OPERAND_PATTERN_MAP:
        return parse_patterns(compile, schema, use, value);
    case JSV_OPERAND_DEPENDENCIES:
        return parse_dependencies(compile, schema, use, value);
    case JSV_OPERAND_NAMES:
        return parse_names(compile, value, &use->names);
    case JSV_OPERAND_TYPES:
        use->types = parse_types(value);
        return 0;
    case JSV_OPERAND_NUMBER:
        parse_bound(schema, use, value);
        return 0;
    case JSV_OPERAND_SIZE:
        use->size = parse_size(value);
        return 0;
    case JSV_OPERAND_PATTERN:
        return get_regex(compile, schema, value, &use->regex);
    case JSV_OPERAND_FORMAT:
    case JSV_OPERAND_VALUE:
    case JSV_OPERAND_FLAG:
    case JSV_OPERAND_SCHEMA_UNUSED:
        use->value = value.node;
        return 0;
    }
    return 0;
}

/* Whether a keyword decides anything where it stands. */
static bool is_used(
    const struct compile *compile,
    const struct jsv_subschema *schema,
    struct jsv_keyword_use *use,
    struct jsv_value value)
{
    const struct jsv_resource *resource = schema->resource;
    const struct jsv_keyword_info *info = &compile->registry->keywords.infos[use->keyword];
    if (!(resource->vocabularies & info->vocabulary) ||
        !operand_fits(info->operand, jsv_value_type(value))) {
        return false;
    }
    if (use->keyword == JSV_KEYWORD_DEFS || use->keyword == JSV_KEYWORD_DEFINITIONS) {
        return false;
    }
    if (use->keyword == JSV_KEYWORD_ENUM) {
        return jsv_value_type(value) == JSV_TYPE_ARRAY;
    }
    if (use->keyword == JSV_KEYWORD_UNIQUE_ITEMS) {
        return jsv_value_bool(value);
    }
    if (use->keyword == JSV_KEYWORD_FORMAT) {
        bool asserted = compile->options.assert_format ||
                        resource->vocabularies & JSV_VOCABULARY_FORMAT_ASSERTION;
        return asserted && jsv_format_find(jsv_value_text(value), resource->draft, &use->format);
    }
    if (use->keyword == JSV_KEYWORD_THEN || use->keyword == JSV_KEYWORD_ELSE) {
        return sibling(schema, JSV_STR("if")).node != NULL;
    }
    return true;
}

/* ---- schemas ---- */

/* Whether a keyword's schemas are for the same value. */
static bool combines(enum jsv_keyword keyword)
{
    return keyword <= JSV_KEYWORD_RECURSIVE_REF || keyword == JSV_KEYWORD_DEPENDENCIES ||
           keyword == JSV_KEYWORD_DEPENDENT_SCHEMAS ||
           (keyword >= JSV_KEYWORD_ALL_OF && keyword <= JSV_KEYWORD_ELSE);
}

/* In the order of evaluation. */
static uint32_t insert_use(struct jsv_keyword_use *uses, uint32_t count, struct jsv_keyword_use use)
{
    uint32_t at = count;
    for (; at > 0 && uses[at - 1].keyword > use.keyword; at--) {
        uses[at] = uses[at - 1];
    }
    uses[at] = use;
    return count + 1;
}

static int keep_uses(
    struct compile *compile,
    struct jsv_subschema *schema,
    const struct jsv_keyword_use *uses,
    uint32_t count)
{
    if (count == 0) {
        return 0;
    }
    schema->uses = take(compile, count, sizeof(*uses));
    if (!schema->uses) {
        return -ENOMEM;
    }
    memcpy(schema->uses, uses, count * sizeof(*uses));
    schema->use_count = count;
    return 0;
}

static int take_apart(struct compile *compile, struct jsv_subschema *schema)
{
    const struct jsv_document *document = schema->resource->source->document;
    struct jsv_value object = {document, schema->node};
    if (jsv_value_type(object) != JSV_TYPE_OBJECT) {
        schema->never = jsv_value_type(object) == JSV_TYPE_BOOLEAN && !jsv_value_bool(object);
        return 0;
    }
    enum jsv_draft draft = schema->resource->draft;
    bool only_ref = draft < JSV_DRAFT_2019_09 &&
                    jsv_value_type(sibling(schema, JSV_STR("$ref"))) == JSV_TYPE_STRING;
    struct jsv_keyword_use uses[JSV_KEYWORD_COUNT];
    uint32_t count = 0;
    struct jsv_iter iter = jsv_value_iter(object);
    while (jsv_iter_next(&iter)) {
        struct jsv_keyword_use use = {
            .keyword =
                jsv_keyword_find(&compile->registry->keywords, document, iter.key.node, draft),
            .weight = (uint32_t)jsv_value_count(iter.value),
            .key = iter.key.node,
        };
        if (use.keyword == JSV_KEYWORD_COUNT || (only_ref && use.keyword != JSV_KEYWORD_REF) ||
            !is_used(compile, schema, &use, iter.value)) {
            continue;
        }
        if (use.keyword != JSV_KEYWORD_FORMAT) {
            int r = parse_operand(compile, schema, &use, iter.value);
            if (r < 0) {
                return r;
            }
        }
        schema->wants_marks |= use.keyword >= JSV_KEYWORD_UNEVALUATED_ITEMS;
        schema->combines |= combines(use.keyword);
        count = insert_use(uses, count, use);
    }
    return keep_uses(compile, schema, uses, count);
}

static int take_apart_all(struct compile *compile)
{
    while (compile->pending.count) {
        struct jsv_subschema *schema = *(struct jsv_subschema **)jsv_stack_pop(&compile->pending);
        int r = compile->options.skip_meta
                    ? 0
                    : jsv_source_check(
                          compile->registry, schema->resource->source, compile->reterr_fault);
        if (r == 0) {
            r = take_apart(compile, schema);
        }
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* ---- dynamic references ---- */

struct jsv_subschema *jsv_schema_dynamic_target(
    const struct jsv_schema *schema, const struct jsv_resource *resource, struct jsv_str anchor)
{
    const struct jsv_dynamic_target *target =
        jsv_table_find(&schema->dynamic_targets, resource, anchor);
    return target ? target->schema : NULL;
}

uint32_t jsv_schema_dynamic_count(const struct jsv_schema *schema, struct jsv_str anchor)
{
    const struct jsv_dynamic_target *first = jsv_table_find(&schema->dynamic_targets, NULL, anchor);
    return first ? first->count : 0;
}

static struct jsv_dynamic_target *
new_dynamic_target(struct compile *compile, const void *owner, struct jsv_str anchor)
{
    struct jsv_dynamic_target *target = take(compile, 1, sizeof(*target));
    if (!target) {
        return NULL;
    }
    *target = (struct jsv_dynamic_target){.key = {owner, anchor}};
    return jsv_table_add(&compile->schema->dynamic_targets, &target->key) < 0 ? NULL : target;
}

static int add_dynamic_target(
    struct compile *compile,
    const struct jsv_resource *resource,
    struct jsv_str anchor,
    const struct jsv_node *node)
{
    struct jsv_dynamic_target *all =
        jsv_table_find(&compile->schema->dynamic_targets, NULL, anchor);
    all = all ? all : new_dynamic_target(compile, NULL, anchor);
    struct jsv_dynamic_target *target = new_dynamic_target(compile, resource, anchor);
    if (!all || !target) {
        return -ENOMEM;
    }
    all->count++;
    return get_subschema(compile, node, resource, &target->schema);
}

/* A resource whose dynamic anchors are targets already. */
struct reached {
    struct jsv_table_key key;
};

static int reach_resource(struct compile *compile, const struct jsv_resource *resource)
{
    if (jsv_table_find(&compile->reached, resource, (struct jsv_str){0})) {
        return 0;
    }
    struct reached *reached = jsv_arena_alloc(&compile->scratch, sizeof(*reached));
    if (!reached) {
        return -ENOMEM;
    }
    *reached = (struct reached){{resource, {0}}};
    int r = jsv_table_add(&compile->reached, &reached->key);
    if (r == 0 && resource->recursive_anchor) {
        r = add_dynamic_target(compile, resource, (struct jsv_str){"", 0}, resource->root);
    }
    for (const struct jsv_anchor *a = resource->anchors; a && r == 0; a = a->next) {
        if (a->dynamic) {
            r = add_dynamic_target(compile, resource, a->key.text, a->node);
        }
    }
    return r;
}

/*
 * A dynamic reference may lead to any resource that is being evaluated when
 * it is met: make the targets of all the resources that are reached. Those may
 * reach further ones, so until nothing is new.
 */
static int add_dynamic_targets(struct compile *compile)
{
    const struct jsv_subschema *done = NULL;
    int r = 0;
    while (r == 0 && compile->schema->subschemas != done) {
        const struct jsv_subschema *newest = compile->schema->subschemas;
        for (const struct jsv_subschema *s = newest; s != done && r == 0; s = s->next) {
            r = reach_resource(compile, s->resource);
        }
        done = newest;
        if (r == 0) {
            r = take_apart_all(compile);
        }
    }
    return r;
}

/* ---- the whole ---- */

static int compile_uri(struct compile *compile, struct jsv_str uri)
{
    struct target target;
    int r = find_target(compile, uri, NULL, &target);
    if (r == 0 && !is_schema(target.node) && target.node != target.resource->root) {
        r = -ENOENT;
    }
    if (r == 0) {
        r = get_subschema(compile, target.node, target.resource, &compile->schema->root);
    }
    if (r == 0) {
        r = take_apart_all(compile);
    }
    if (r == 0 && compile->dynamic) {
        r = add_dynamic_targets(compile);
    }
    return r;
}

int jsv_schema_compile(
    struct jsv_registry *registry,
    struct jsv_str uri,
    const struct jsv_schema_options *options,
    struct jsv_schema **ret_schema,
    struct jsv_schema_fault *reterr_fault)
{
    struct jsv_schema *schema = jsv_alloc(&registry->allocator, sizeof(*schema));
    if (!schema) {
        return -ENOMEM;
    }
    *schema = (struct jsv_schema){.allocator = registry->allocator};
    jsv_arena_init(&schema->arena, &registry->allocator, SCHEMA_MEMORY_MAX);
    schema->dynamic_targets = jsv_table_on(&schema->arena);
    struct jsv_schema_fault fault = {0};
    struct compile compile = {
        .registry = registry,
        .options = options ? *options : (struct jsv_schema_options){0},
        .schema = schema,
        .reterr_fault = &fault,
    };
    jsv_arena_init(&compile.scratch, &registry->allocator, SCHEMA_MEMORY_MAX);
    jsv_arena_init(&compile.uris, &registry->allocator, SCHEMA_MEMORY_MAX);
    compile.pending = jsv_stack_on(&compile.scratch, sizeof(struct jsv_subschema *));
    compile.members = jsv_table_on(&compile.scratch);
    compile.arrays = jsv_table_on(&compile.scratch);
    compile.regexes = jsv_table_on(&compile.scratch);
    compile.reached = jsv_table_on(&compile.scratch);
    int r = compile_uri(&compile, uri);
    jsv_arena_done(&compile.uris);
    jsv_arena_done(&compile.scratch);
    if (r == 0) {
        r = jsv_program_build(schema);
    }
    if (r < 0) {
        jsv_schema_free(schema);
        if (reterr_fault) {
            *reterr_fault = fault;
        }
        return r;
    }
    *ret_schema = schema;
    return 0;
}

void jsv_schema_free(struct jsv_schema *schema)
{
    if (!schema) {
        return;
    }
    struct jsv_allocator own = schema->allocator;
    jsv_program_done(schema);
    for (struct jsv_regex_list *entry = schema->regexes; entry; entry = entry->next) {
        jsv_regex_free(entry->regex);
    }
    jsv_arena_done(&schema->arena);
    jsv_dealloc(&own, schema, sizeof(*schema));
}

const struct jsv_keyword_use *
jsv_subschema_use(const struct jsv_subschema *schema, enum jsv_keyword keyword)
{
    for (uint32_t i = 0; i < schema->use_count; i++) {
        if (schema->uses[i].keyword == keyword) {
            return &schema->uses[i];
        }
    }
    return NULL;
}

struct jsv_str jsv_use_name(const struct jsv_subschema *schema, const struct jsv_keyword_use *use)
{
    return jsv_string_text(schema->resource->source->document, use->key);
}
