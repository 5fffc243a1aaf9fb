/*
 * Keywords about the contents of arrays and objects, turned into operations.
 * Those about the same members become one operation, so that an object is
 * walked once.
 */
#include "jsv/schema/program/build.h"
#include "jsv/schema/run/steps.h"

/* ---- arrays ---- */

static int add_items(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    uint32_t shape;
    int r = jsv_build_shape_of(list->build, use->one.schema, &shape);
    const struct jsv_subschema *schema = jsv_build_follow(list->build, use->one.schema);
    bool trivial = !schema->never && schema->use_count == 0;
    return r < 0 || trivial ? r : jsv_list_add_at(list, JSV_OP_ITEMS, shape);
}

/* @param rest For elements after the listed ones; may be NULL. */
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

/* prefixItems, items and additionalItems, in the meaning of the draft. */
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
    return 0; /* the rest of a tuple, or additionalItems without a tuple */
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

/* Add the required names that are not listed. */
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

/* Mark the slots of required names. */
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

/* Set shape and info in the slot of each name. */
static void describe_names(struct jsv_object *object, const struct gathered *names)
{
    struct jsv_name_slot *slot = NULL;
    uint32_t more = object->pattern_count ? JSV_NAME_MORE : 0;
    object->extra.info = more;
    while ((slot = jsv_names_next(&object->names, slot))) {
        bool listed = slot->at < names->listed;
        /* a name that is only required is an additional property unless patterns match it */
        slot->at = listed || more ? names->shapes[slot->at] : object->extra.at;
        slot->info = more | (listed ? JSV_NAME_LISTED : 0);
    }
}

/* @param open Whether members of other names may be anything. */
static enum jsv_op_code
object_code(const struct jsv_object *object, const struct gathered *names, bool open)
{
    bool is_small = open && (object->names.count == 1 || object->names.count == 2);
    for (uint32_t i = 0; i < names->count && is_small; i++) {
        is_small = names->keys[i].text.size <= JSV_PREFIX_SIZE;
    }
    if (is_small) {
        return object->names.count == 1 ? JSV_OP_OBJECT_ONE : JSV_OP_OBJECT_TWO;
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
    struct gathered names = {0};
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

/* ---- unevaluatedProperties ---- */

/*
 * Where the schema alone tells which members are evaluated (by its names and
 * patterns and those of allOf and references), unevaluatedProperties is like
 * additionalProperties with all of these together. Where alternatives or
 * conditions evaluate members, only explaining can tell. On no published set;
 * without it such schemas take five times as long.
 */

/* Limits on the schemas searched for evaluated names, and on their nesting. */
#define LOOKS_MAX 256
#define DEPTH_MAX 16

/* Limit on names and patterns of other schemas, because each is copied. */
#define KEYS_MAX 256

/* Names and patterns of evaluated members. */
struct evaluated {
    struct jsv_key *keys; /* NULL: only count */
    uint32_t key_count;
    struct jsv_object_pattern *patterns; /* NULL: only count */
    uint32_t pattern_count;
    uint32_t foreign; /* of these, from other schemas */
    bool all;
    unsigned looks;
    unsigned depth;
};

static bool find_evaluated(struct evaluated *evaluated, const struct jsv_subschema *schema);

/* Schemas that apply only in some cases must not evaluate anything. */
static bool evaluates_nothing(struct evaluated *evaluated, const struct jsv_subschema *schema)
{
    struct evaluated alone = {.looks = evaluated->looks, .depth = evaluated->depth};
    bool known = find_evaluated(&alone, schema);
    evaluated->looks = alone.looks;
    return known && !alone.all && alone.key_count + alone.pattern_count == 0;
}

static bool evaluate_nothing(struct evaluated *evaluated, const struct jsv_keyword_use *use)
{
    bool nothing = true;
    for (uint32_t i = 0; i < use->list.count && nothing; i++) {
        nothing = evaluates_nothing(evaluated, use->list.schemas[i]);
    }
    return nothing;
}

static bool
dependencies_evaluate_nothing(struct evaluated *evaluated, const struct jsv_keyword_use *use)
{
    bool nothing = true;
    for (uint32_t i = 0; i < use->map.count && nothing; i++) {
        const struct jsv_subschema *schema = use->map.items[i].schema;
        nothing = !schema || evaluates_nothing(evaluated, schema);
    }
    return nothing;
}

/* Whether that many more names or patterns may be copied. */
static bool may_take(struct evaluated *evaluated, uint32_t count)
{
    if (evaluated->depth == 1) {
        return true; /* of the schema itself */
    }
    if (count > KEYS_MAX - evaluated->foreign) {
        return false;
    }
    evaluated->foreign += count;
    return true;
}

static bool find_keys(struct evaluated *evaluated, const struct jsv_keyword_use *properties)
{
    if (!may_take(evaluated, properties->map.count)) {
        return false;
    }
    for (uint32_t i = 0; i < properties->map.count; i++) {
        const struct jsv_key *key = &properties->map.items[i].key;
        if (key->text.size > JSV_TEXT_SHORT) {
            return false;
        }
        if (evaluated->keys) {
            evaluated->keys[evaluated->key_count] = *key;
        }
        evaluated->key_count++;
    }
    return true;
}

static bool find_patterns(struct evaluated *evaluated, const struct jsv_keyword_use *use)
{
    if (!may_take(evaluated, use->map.count)) {
        return false;
    }
    for (uint32_t i = 0; i < use->map.count; i++) {
        if (evaluated->patterns) {
            evaluated->patterns[evaluated->pattern_count] =
                (struct jsv_object_pattern){use->map.items[i].regex, JSV_SHAPE_PASS};
        }
        evaluated->pattern_count++;
    }
    return true;
}

/* @return false when the schema alone does not tell what the keyword evaluates */
static bool find_use(struct evaluated *evaluated, const struct jsv_keyword_use *use)
{
    bool known = true;
    /* NOLINTNEXTLINE(clang-diagnostic-switch-enum): all others evaluate nothing */
    switch ((int)use->keyword) {
    case JSV_KEYWORD_REF:
    case JSV_KEYWORD_DYNAMIC_REF:
    case JSV_KEYWORD_RECURSIVE_REF:
        return !use->ref.dynamic && find_evaluated(evaluated, use->ref.target);
    case JSV_KEYWORD_ALL_OF:
        for (uint32_t i = 0; i < use->list.count && known; i++) {
            known = find_evaluated(evaluated, use->list.schemas[i]);
        }
        return known;
    case JSV_KEYWORD_PROPERTIES:
        return find_keys(evaluated, use);
    case JSV_KEYWORD_PATTERN_PROPERTIES:
        return find_patterns(evaluated, use);
    case JSV_KEYWORD_ADDITIONAL_PROPERTIES:
        evaluated->all = true;
        return true;
    case JSV_KEYWORD_UNEVALUATED_PROPERTIES:
        evaluated->all |= evaluated->depth > 1; /* not the keyword in question itself */
        return true;
    case JSV_KEYWORD_ANY_OF:
    case JSV_KEYWORD_ONE_OF:
        return evaluate_nothing(evaluated, use);
    case JSV_KEYWORD_IF:
    case JSV_KEYWORD_THEN:
    case JSV_KEYWORD_ELSE:
        return evaluates_nothing(evaluated, use->one.schema);
    case JSV_KEYWORD_DEPENDENCIES:
    case JSV_KEYWORD_DEPENDENT_SCHEMAS:
        return dependencies_evaluate_nothing(evaluated, use);
    default:
        return true;
    }
}

static bool find_evaluated(struct evaluated *evaluated, const struct jsv_subschema *schema)
{
    bool known = evaluated->depth < DEPTH_MAX && evaluated->looks < LOOKS_MAX;
    evaluated->looks++;
    evaluated->depth++;
    for (uint32_t i = 0; i < schema->use_count && known; i++) {
        known = find_use(evaluated, &schema->uses[i]);
    }
    evaluated->depth--;
    return known;
}

bool jsv_subschema_knows_evaluated(const struct jsv_subschema *schema)
{
    struct evaluated counted = {0};
    return find_evaluated(&counted, schema);
}

/* Check the members that match none of some names and patterns by a shape. */
static int add_others(
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

/* Keep each name once, because equal names would count as collisions. */
static int drop_repeated(struct jsv_build *build, struct evaluated *found)
{
    struct jsv_names_table table;
    int r = jsv_names_build(&table, &build->brief, &build->brief, found->keys, found->key_count);
    if (r < 0 || table.count == found->key_count) {
        return r;
    }
    struct jsv_key *keys = jsv_arena_array(&build->brief, table.count, sizeof(*keys));
    if (!keys) {
        return -ENOMEM;
    }
    uint32_t count = 0;
    struct jsv_name_slot *slot = NULL;
    while ((slot = jsv_names_next(&table, slot))) {
        keys[count++] = found->keys[slot->at];
    }
    found->keys = keys;
    found->key_count = count;
    return 0;
}

int jsv_list_add_unevaluated(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    struct jsv_build *build = list->build;
    struct evaluated counted = {0};
    find_evaluated(&counted, list->schema);
    const struct jsv_subschema *target = jsv_build_follow(build, use->one.schema);
    if (counted.all || (!target->never && target->use_count == 0)) {
        return 0;
    }
    jsv_arena_reset(&build->brief);
    struct evaluated found = {
        .keys = jsv_arena_array(&build->brief, counted.key_count + 1, sizeof(*found.keys)),
        .patterns = jsv_build_take(build, (counted.pattern_count + 1) * sizeof(*found.patterns)),
    };
    if (!found.keys || !found.patterns) {
        return -ENOMEM;
    }
    find_evaluated(&found, list->schema);
    int r = found.foreign ? drop_repeated(build, &found) : 0;
    uint32_t shape;
    r = r < 0 ? r : jsv_build_shape_of(build, use->one.schema, &shape);
    return r < 0
               ? r
               : add_others(
                     list, found.keys, found.key_count, found.patterns, found.pattern_count, shape);
}
