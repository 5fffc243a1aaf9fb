/*
 * unevaluatedProperties, turned into an operation where the schema alone tells
 * which members are evaluated: by names and patterns of the schema itself and
 * of those it refers to or lists in allOf. Then it is additionalProperties,
 * for all of these names and patterns together. Where alternatives or
 * conditions evaluate members too, only explaining can tell.
 */
#include "jsv/schema/program/build.h"
#include "jsv/schema/run/steps.h"

/* Schemas that are looked at, one of them inside the other. */
#define LOOKS_MAX 256
#define DEPTH_MAX 16

/* Names, and patterns, that are taken from other schemas: each takes memory once more. */
#define KEYS_MAX 256

/* What is evaluated. */
struct evaluated {
    struct jsv_key *keys; /* NULL: only count */
    uint32_t key_count;
    struct jsv_object_pattern *patterns; /* NULL: only count */
    uint32_t pattern_count;
    uint32_t foreign; /* names and patterns among them that are from other schemas */
    bool all;
    unsigned looks;
    unsigned depth;
};

static bool add_schema(struct evaluated *evaluated, const struct jsv_subschema *schema);

/* A schema that may count or not must not evaluate anything. */
static bool evaluates_nothing(struct evaluated *evaluated, const struct jsv_subschema *schema)
{
    struct evaluated alone = {.looks = evaluated->looks, .depth = evaluated->depth};
    bool known = add_schema(&alone, schema);
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

/* Whether so many names or patterns of the schema that is looked at may be taken. */
static bool may_take(struct evaluated *evaluated, uint32_t count)
{
    if (evaluated->depth == 1) {
        return true; /* its own */
    }
    if (count > KEYS_MAX - evaluated->foreign) {
        return false;
    }
    evaluated->foreign += count;
    return true;
}

static bool add_keys(struct evaluated *evaluated, const struct jsv_keyword_use *properties)
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

static bool add_patterns(struct evaluated *evaluated, const struct jsv_keyword_use *use)
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

/* What a keyword evaluates. @return false when that is not known */
static bool add_use(struct evaluated *evaluated, const struct jsv_keyword_use *use)
{
    bool known = true;
    /* NOLINTNEXTLINE(clang-diagnostic-switch-enum): all others evaluate nothing */
    switch ((int)use->keyword) {
    case JSV_KEYWORD_REF:
    case JSV_KEYWORD_DYNAMIC_REF:
    case JSV_KEYWORD_RECURSIVE_REF:
        return !use->ref.dynamic && add_schema(evaluated, use->ref.target);
    case JSV_KEYWORD_ALL_OF:
        for (uint32_t i = 0; i < use->list.count && known; i++) {
            known = add_schema(evaluated, use->list.schemas[i]);
        }
        return known;
    case JSV_KEYWORD_PROPERTIES:
        return add_keys(evaluated, use);
    case JSV_KEYWORD_PATTERN_PROPERTIES:
        return add_patterns(evaluated, use);
    case JSV_KEYWORD_ADDITIONAL_PROPERTIES:
        evaluated->all = true;
        return true;
    case JSV_KEYWORD_UNEVALUATED_PROPERTIES:
        evaluated->all |= evaluated->depth > 1; /* that of the schema itself is what is asked for */
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

static bool add_schema(struct evaluated *evaluated, const struct jsv_subschema *schema)
{
    bool known = evaluated->depth < DEPTH_MAX && evaluated->looks < LOOKS_MAX;
    evaluated->looks++;
    evaluated->depth++;
    for (uint32_t i = 0; i < schema->use_count && known; i++) {
        known = add_use(evaluated, &schema->uses[i]);
    }
    evaluated->depth--;
    return known;
}

bool jsv_subschema_knows_evaluated(const struct jsv_subschema *schema)
{
    struct evaluated counted = {0};
    return add_schema(&counted, schema);
}

/* Keep each name once: two that are the same would look like two that fall together. */
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
    add_schema(&counted, list->schema);
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
    add_schema(&found, list->schema);
    int r = found.foreign ? drop_repeated(build, &found) : 0;
    uint32_t shape;
    r = r < 0 ? r : jsv_build_shape_of(build, use->one.schema, &shape);
    return r < 0
               ? r
               : jsv_list_add_others(
                     list, found.keys, found.key_count, found.patterns, found.pattern_count, shape);
}
