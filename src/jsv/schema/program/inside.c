/*
 * Keywords about what is inside arrays and objects, turned into operations.
 * Those that speak of the same members become one operation, so that an object
 * is walked once.
 */
#include "jsv/schema/program/build.h"

/* ---- arrays ---- */

static int add_items(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    uint32_t shape;
    int r = jsv_build_shape_of(list->build, use->one.schema, &shape);
    const struct jsv_subschema *schema = jsv_build_follow(list->build, use->one.schema);
    bool trivial = !schema->never && schema->use_count == 0;
    return r < 0 || trivial ? r : jsv_list_add_at(list, JSV_OP_ITEMS, shape);
}

/* Elements by their place, and those behind: `rest` may be NULL. */
static int add_tuple(
    struct jsv_list *list, const struct jsv_keyword_use *prefix, const struct jsv_keyword_use *rest)
{
    struct jsv_build *build = list->build;
    uint32_t count = prefix->list.count;
    struct jsv_tuple *tuple =
        jsv_build_take(build, sizeof(*tuple) + count * sizeof(*tuple->shapes));
    if (!tuple) {
        return -ENOMEM;
    }
    tuple->count = count;
    tuple->rest = JSV_SHAPE_PASS;
    int r = rest ? jsv_build_shape_of(build, rest->one.schema, &tuple->rest) : 0;
    for (uint32_t i = 0; i < count && r == 0; i++) {
        r = jsv_build_shape_of(build, prefix->list.schemas[i], &tuple->shapes[i]);
    }
    return r < 0 ? r : jsv_list_add_data(list, JSV_OP_TUPLE, tuple);
}

/* prefixItems, items and additionalItems, in whichever meaning the draft gives them. */
int jsv_list_add_elements(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    const struct jsv_subschema *schema = list->schema;
    bool is_list = jsv_node_type(use->key + 1) == JSV_TYPE_ARRAY;
    if (use->keyword == JSV_KEYWORD_PREFIX_ITEMS) {
        return add_tuple(list, use, jsv_subschema_use(schema, JSV_KEYWORD_ITEMS));
    }
    if (use->keyword == JSV_KEYWORD_ITEMS && is_list) {
        return add_tuple(list, use, jsv_subschema_use(schema, JSV_KEYWORD_ADDITIONAL_ITEMS));
    }
    if (use->keyword == JSV_KEYWORD_ITEMS && !jsv_subschema_use(schema, JSV_KEYWORD_PREFIX_ITEMS)) {
        return add_items(list, use);
    }
    return 0; /* the rest of a tuple, or additionalItems without one */
}

int jsv_list_add_contains(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    struct jsv_contains *contains = jsv_build_take(list->build, sizeof(*contains));
    if (!contains) {
        return -ENOMEM;
    }
    contains->min = use->one.contains_min;
    contains->max = use->one.contains_max;
    int r = jsv_build_shape_of(list->build, use->one.schema, &contains->shape);
    return r < 0 ? r : jsv_list_add_data(list, JSV_OP_CONTAINS, contains);
}

/* ---- objects ---- */

/* Names of `properties` and `required` together. */
struct gathered {
    struct jsv_key *keys;
    uint32_t *shapes;
    uint32_t count;
    uint32_t listed; /* those of properties come first */
};

/* Add the names that are required and not among those that are there. */
static int
gather_required(struct jsv_build *build, const struct jsv_names *required, struct gathered *names)
{
    struct jsv_names_table table;
    int r = jsv_names_build(&table, &build->brief, &build->brief, names->keys, names->count);
    for (uint32_t i = 0; i < required->count && r == 0; i++) {
        struct jsv_key key = required->items[i];
        if (!jsv_names_has(&table, &key)) {
            names->keys[names->count] = key;
            names->shapes[names->count++] = JSV_SHAPE_PASS;
        }
    }
    return r;
}

static int gather_names(
    struct jsv_list *list,
    const struct jsv_keyword_use *properties,
    const struct jsv_names *required,
    struct gathered *ret_names)
{
    struct jsv_build *build = list->build;
    uint32_t listed = properties ? properties->map.count : 0;
    uint32_t count_max = listed + (required ? required->count : 0);
    jsv_arena_reset(&build->brief);
    struct gathered names = {
        jsv_arena_array(&build->brief, count_max, sizeof(*names.keys)),
        jsv_arena_array(&build->brief, count_max, sizeof(*names.shapes)),
        0,
        listed,
    };
    if (!names.keys || !names.shapes) {
        return -ENOMEM;
    }
    for (; names.count < listed; names.count++) {
        const struct jsv_property *property = &properties->map.items[names.count];
        names.keys[names.count] = property->key;
        int r = jsv_build_shape_of(build, property->schema, &names.shapes[names.count]);
        if (r < 0) {
            return r;
        }
    }
    int r = required ? gather_required(build, required, &names) : 0;
    *ret_names = names;
    return r;
}

static int add_patterns(
    struct jsv_build *build, const struct jsv_keyword_use *patterns, struct jsv_object *object)
{
    object->pattern_count = patterns->map.count;
    object->patterns =
        jsv_build_take(build, (object->pattern_count + 1) * sizeof(*object->patterns));
    if (!object->patterns) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < object->pattern_count; i++) {
        object->patterns[i].regex = patterns->map.items[i].regex;
        int r =
            jsv_build_shape_of(build, patterns->map.items[i].schema, &object->patterns[i].shape);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* Remember in their slots that names must be there. */
static void require_names(struct jsv_object *object, const struct jsv_names *required)
{
    for (uint32_t i = 0; required && i < required->count; i++) {
        struct jsv_name_slot *slot = jsv_names_slot_of(&object->names, &required->items[i]);
        if (slot && !(slot->info >> JSV_NAME_REQUIRED_SHIFT)) {
            slot->info |= 1u << JSV_NAME_REQUIRED_SHIFT;
            object->required_count++;
        }
    }
}

/* Put what is known of each name into its slot. */
static void describe_names(struct jsv_object *object, const struct gathered *names)
{
    struct jsv_name_slot *slot = NULL;
    uint32_t more = object->pattern_count ? JSV_NAME_MORE : 0;
    object->extra.info = more;
    while ((slot = jsv_names_next(&object->names, slot))) {
        bool listed = slot->at < names->listed;
        /* a name that is only required is an extra one, unless patterns speak of it */
        slot->at = listed || more ? names->shapes[slot->at] : object->extra.at;
        slot->info = more | (listed ? JSV_NAME_LISTED : 0);
    }
}

/* The operation that an object is best checked by; an open one says nothing of other names. */
static enum jsv_op_code
object_code(const struct jsv_object *object, const struct gathered *names, bool open)
{
    bool brief = true;
    for (uint32_t i = 0; i < names->count; i++) {
        brief &= names->keys[i].text.size <= JSV_PREFIX_SIZE;
    }
    if (open && brief && object->names.count == 1) {
        return JSV_OP_OBJECT_ONE;
    }
    if (open && brief && object->names.count == JSV_NAMES_FEW) {
        return JSV_OP_OBJECT_FEW;
    }
    return object->names.simple && !object->pattern_count ? JSV_OP_OBJECT : JSV_OP_OBJECT_FULL;
}

/* required, properties, patternProperties and additionalProperties as one operation. */
int jsv_list_add_object(struct jsv_list *list)
{
    struct jsv_build *build = list->build;
    const struct jsv_subschema *schema = list->schema;
    const struct jsv_keyword_use *patterns =
        jsv_subschema_use(schema, JSV_KEYWORD_PATTERN_PROPERTIES);
    const struct jsv_keyword_use *extra =
        jsv_subschema_use(schema, JSV_KEYWORD_ADDITIONAL_PROPERTIES);
    const struct jsv_keyword_use *requires = jsv_subschema_use(schema, JSV_KEYWORD_REQUIRED);
    const struct jsv_names *required = requires ? &requires->names : NULL;
    struct gathered names;
    int r = gather_names(list, jsv_subschema_use(schema, JSV_KEYWORD_PROPERTIES), required, &names);
    struct jsv_object *object = jsv_build_take(build, sizeof(*object));
    if (r < 0 || !object) {
        return r < 0 ? r : -ENOMEM;
    }
    *object = (struct jsv_object){.schema = schema, .extra.at = JSV_SHAPE_PASS};
    r = jsv_names_build(
        &object->names, &build->schema->arena, &build->brief, names.keys, names.count);
    if (r == 0 && patterns) {
        r = add_patterns(build, patterns, object);
    }
    bool open = object->pattern_count == 0;
    if (r == 0 && extra) {
        const struct jsv_subschema *target = jsv_build_follow(build, extra->one.schema);
        open &= !target->never && target->use_count == 0;
        r = jsv_build_shape_of(build, extra->one.schema, &object->extra.at);
    }
    if (r < 0) {
        return r;
    }
    if (names.count == 0 && object->pattern_count == 0) {
        return open ? 0 : jsv_list_add_at(list, JSV_OP_MEMBERS, object->extra.at);
    }
    describe_names(object, &names);
    require_names(object, required);
    return jsv_list_add_data(list, object_code(object, &names, open), object);
}

int jsv_list_add_others(
    struct jsv_list *list,
    const struct jsv_key *keys,
    uint32_t key_count,
    struct jsv_object_pattern *patterns,
    uint32_t pattern_count,
    uint32_t shape)
{
    if (key_count + pattern_count == 0) {
        return jsv_list_add_at(list, JSV_OP_MEMBERS, shape);
    }
    struct jsv_build *build = list->build;
    struct jsv_object *object = jsv_build_take(build, sizeof(*object));
    if (!object) {
        return -ENOMEM;
    }
    *object = (struct jsv_object){
        .schema = list->schema,
        .extra = {.at = shape, .info = pattern_count ? JSV_NAME_MORE : 0},
        .patterns = patterns,
        .pattern_count = pattern_count,
    };
    int r = jsv_names_build(&object->names, &build->schema->arena, &build->brief, keys, key_count);
    struct jsv_name_slot *slot = NULL;
    while (r == 0 && (slot = jsv_names_next(&object->names, slot))) {
        slot->at = JSV_SHAPE_PASS;
        slot->info = JSV_NAME_LISTED;
    }
    bool simple = object->names.simple && pattern_count == 0;
    return r < 0 ? r : jsv_list_add_data(list, simple ? JSV_OP_OBJECT : JSV_OP_OBJECT_FULL, object);
}

/* The first of the uses that jsv_list_add_object takes together; NULL when there are none. */
const struct jsv_keyword_use *jsv_subschema_object_use(const struct jsv_subschema *schema)
{
    static const enum jsv_keyword together[] = {
        JSV_KEYWORD_REQUIRED,
        JSV_KEYWORD_PROPERTIES,
        JSV_KEYWORD_PATTERN_PROPERTIES,
        JSV_KEYWORD_ADDITIONAL_PROPERTIES,
    };
    const struct jsv_keyword_use *first = NULL;
    for (size_t i = 0; i < sizeof(together) / sizeof(*together) && !first; i++) {
        first = jsv_subschema_use(schema, together[i]);
    }
    return first;
}

int jsv_list_add_names(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    struct jsv_list keys = *list;
    keys.type = JSV_TYPE_STRING;
    uint32_t at;
    int r = jsv_list_of_schema(&keys, use->one.schema, &at);
    return r < 0 || at == JSV_AT_PASS ? r : jsv_list_add_at(list, JSV_OP_NAMES, at);
}

int jsv_list_add_dependencies(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    for (uint32_t i = 0; i < use->map.count; i++) {
        const struct jsv_property *dependency = &use->map.items[i];
        struct jsv_dependent *dependent = jsv_build_take(list->build, sizeof(*dependent));
        if (!dependent) {
            return -ENOMEM;
        }
        *dependent = (struct jsv_dependent){.key = dependency->key};
        int r = 0;
        if (dependency->schema) {
            r = jsv_list_of_schema(list, dependency->schema, &dependent->at);
        } else {
            dependent->names = &dependency->names;
        }
        if (r == 0) {
            r = jsv_list_add_data(list, JSV_OP_DEPENDENCY, dependent);
        }
        if (r < 0) {
            return r;
        }
    }
    return 0;
}
