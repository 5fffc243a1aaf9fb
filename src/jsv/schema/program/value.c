/*
 * Keywords about a value itself, turned into operations: type, enum and const,
 * bounds, lengths and counts; anyOf and oneOf, not, if.
 */
#include <string.h>

#include "jsv/json/node.h"
#include "jsv/schema/numbers.h"
#include "jsv/schema/program/build.h"
#include "jsv/schema/run/steps.h"

static const struct jsv_document *document_of(const struct jsv_subschema *schema)
{
    return schema->resource->source->document;
}

/* ---- any type ---- */

int jsv_list_add_types(struct jsv_list *list, unsigned types)
{
    if (types & 1u << list->type) {
        return 0;
    }
    if (list->type == JSV_TYPE_NUMBER && types & JSV_TYPE_BIT_INTEGER) {
        bool strict = list->schema->resource->draft == JSV_DRAFT_4;
        return jsv_list_add(
            list, (struct jsv_op){.code = strict ? JSV_OP_INTEGER_STRICT : JSV_OP_INTEGER});
    }
    list->fails = true;
    return 0;
}

static int add_strings(struct jsv_list *list, const struct jsv_node **values, uint32_t count)
{
    struct jsv_build *build = list->build;
    const struct jsv_document *document = document_of(list->schema);
    struct jsv_key *names = jsv_arena_array(&build->brief, count, sizeof(*names));
    struct jsv_names_table *table = jsv_build_take(build, sizeof(*table));
    if (!names || !table) {
        return -ENOMEM;
    }
    bool some_are_long = false;
    for (uint32_t i = 0; i < count; i++) {
        names[i] = jsv_key_from(jsv_string_text(document, values[i]));
        some_are_long |= names[i].text.size > JSV_TEXT_SHORT;
    }
    int r = jsv_names_build(table, &build->schema->arena, &build->brief, names, count);
    if (r < 0) {
        return r;
    }
    struct jsv_op op = {
        .code = some_are_long ? JSV_OP_STRING_IN_LONG : JSV_OP_STRING_IN, .data = table};
    if (table->count == 1 && names[0].text.size <= JSV_PREFIX_SIZE) {
        op.code = JSV_OP_STRING_IS;
        op.at = (uint32_t)(jsv_names_slot_of(table, &names[0]) - table->slots);
    }
    return jsv_list_add(list, op);
}

/* @param values All of the list's type. */
static int add_values(struct jsv_list *list, const struct jsv_node **values, uint32_t count)
{
    if (count == 0) {
        list->fails = true;
        return 0;
    }
    if (list->type == JSV_TYPE_NULL) {
        return 0;
    }
    if (list->type == JSV_TYPE_BOOLEAN) {
        bool both = false;
        for (uint32_t i = 1; i < count; i++) {
            both |= values[i]->body != values[0]->body;
        }
        struct jsv_op op = {.code = JSV_OP_BOOLEAN, .word = values[0]->body};
        return both ? 0 : jsv_list_add(list, op);
    }
    if (list->type == JSV_TYPE_NUMBER) {
        struct jsv_arena *arena = &list->build->schema->arena;
        const struct jsv_numbers *numbers =
            jsv_numbers_make(arena, document_of(list->schema), values, count);
        return jsv_list_add_data(list, JSV_OP_NUMBER_IN, numbers);
    }
    bool strings = list->type == JSV_TYPE_STRING;
    for (uint32_t i = 0; i < count && strings; i++) {
        strings = !(jsv_node_flags(values[i]) & JSV_NODE_LONG);
    }
    if (strings) {
        return add_strings(list, values, count);
    }
    size_t size = sizeof(struct jsv_equals) + count * sizeof(*values);
    struct jsv_equals *equals = jsv_build_take(list->build, size);
    if (!equals) {
        return -ENOMEM;
    }
    equals->document = document_of(list->schema);
    equals->count = count;
    memcpy(equals->values, values, count * sizeof(*values));
    return jsv_list_add_data(list, JSV_OP_EQUAL, equals);
}

int jsv_list_add_enum(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    struct jsv_value all = {document_of(list->schema), use->value};
    bool single = use->keyword == JSV_KEYWORD_CONST;
    size_t count = single ? 1 : jsv_value_count(all);
    jsv_arena_reset(&list->build->brief);
    const struct jsv_node **values = jsv_arena_array(&list->build->brief, count, sizeof(*values));
    if (!values) {
        return -ENOMEM;
    }
    const struct jsv_node *value = single ? use->value : use->value + 1;
    uint32_t kept = 0;
    for (size_t i = 0; i < count; i++, value = jsv_node_next(value)) {
        if (jsv_node_type(value) == list->type) {
            values[kept++] = value;
        }
    }
    return add_values(list, values, kept);
}

/* ---- numbers and strings ---- */

static void
narrow(struct jsv_bounds *bounds, const struct jsv_keyword_use *use, bool upper, bool exclusive)
{
    struct jsv_number *bound = upper ? &bounds->max : &bounds->min;
    bool *has = upper ? &bounds->has_max : &bounds->has_min;
    bool *is_exclusive = upper ? &bounds->max_exclusive : &bounds->min_exclusive;
    int order = *has ? jsv_number_compare(&use->bound.value, bound) : 0;
    if (!*has || (upper ? order < 0 : order > 0)) {
        *bound = use->bound.value;
        *is_exclusive = exclusive;
    } else if (order == 0) {
        *is_exclusive |= exclusive;
    }
    *has = true;
}

/*
 * The outermost int64 that passes, if the bound is an int64; without a bound
 * the end of the range. @param inwards From an exclusive bound to what passes.
 */
static bool int_bound(
    const struct jsv_number *bound, bool has, bool exclusive, int64_t inwards, int64_t *integer)
{
    if (!has) {
        return true;
    }
    return jsv_number_int64(bound, integer) == 0 &&
           (!exclusive || !__builtin_add_overflow(*integer, inwards, integer));
}

/* All bounds of a schema as one operation, at the first keyword. */
int jsv_list_add_bounds(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    struct jsv_bounds *bounds = jsv_build_take(list->build, sizeof(*bounds));
    if (!bounds) {
        return -ENOMEM;
    }
    *bounds = (struct jsv_bounds){.int_min = INT64_MIN, .int_max = INT64_MAX};
    const struct jsv_keyword_use *end = list->schema->uses + list->schema->use_count;
    for (; use < end && use->keyword <= JSV_KEYWORD_EXCLUSIVE_MINIMUM; use++) {
        bool upper =
            use->keyword == JSV_KEYWORD_MAXIMUM || use->keyword == JSV_KEYWORD_EXCLUSIVE_MAXIMUM;
        bool exclusive = use->bound.exclusive || use->keyword == JSV_KEYWORD_EXCLUSIVE_MAXIMUM ||
                         use->keyword == JSV_KEYWORD_EXCLUSIVE_MINIMUM;
        narrow(bounds, use, upper, exclusive);
    }
    bool integers =
        int_bound(&bounds->min, bounds->has_min, bounds->min_exclusive, 1, &bounds->int_min) &&
        int_bound(&bounds->max, bounds->has_max, bounds->max_exclusive, -1, &bounds->int_max);
    return jsv_list_add_data(list, integers ? JSV_OP_INT_BOUND : JSV_OP_BOUND, bounds);
}

int jsv_list_add_multiple_of(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    if (jsv_number_is_zero(&use->bound.value)) {
        return 0;
    }
    return jsv_list_add_data(list, JSV_OP_MULTIPLE_OF, &use->bound.value);
}

/* Both limits of a pair such as maxLength and minLength, at the first keyword. */
int jsv_list_add_range(
    struct jsv_list *list, const struct jsv_keyword_use *use, enum jsv_op_code code)
{
    struct jsv_range *range = jsv_build_take(list->build, sizeof(*range));
    if (!range) {
        return -ENOMEM;
    }
    bool max_first = use->keyword == JSV_KEYWORD_MAX_LENGTH ||
                     use->keyword == JSV_KEYWORD_MAX_ITEMS ||
                     use->keyword == JSV_KEYWORD_MAX_PROPERTIES;
    *range = (struct jsv_range){0, UINT64_MAX};
    if (max_first) {
        range->max = use->size;
        const struct jsv_keyword_use *min = jsv_subschema_use(list->schema, use->keyword + 1);
        range->min = min ? min->size : 0;
    } else if (jsv_subschema_use(list->schema, use->keyword - 1)) {
        return 0; /* taken together with the maximum */
    } else {
        range->min = use->size;
    }
    return jsv_list_add_data(list, code, range);
}

/* ---- combinations ---- */

static int
add_choice(struct jsv_list *list, enum jsv_op_code code, const uint32_t *at, uint32_t count)
{
    if (count == 0) {
        list->fails = code != JSV_OP_NONE_OF;
        return 0;
    }
    if (count == 1) {
        return code == JSV_OP_NONE_OF ? jsv_list_add_at(list, JSV_OP_NOT, at[0])
                                      : jsv_list_add_list(list, at[0]);
    }
    struct jsv_choice *choice = jsv_build_take(list->build, sizeof(*choice) + count * sizeof(*at));
    if (!choice) {
        return -ENOMEM;
    }
    *choice = (struct jsv_choice){.count = count, .all = UINT64_MAX >> (JSV_CHOICE_MAX - count)};
    memcpy(choice->at, at, count * sizeof(*at));
    return jsv_list_add_data(list, code, choice);
}

/* Push the lists of alternatives that may match; count those that always do. */
static int
gather_alternatives(struct jsv_list *list, const struct jsv_keyword_use *use, uint32_t *ret_passing)
{
    *ret_passing = 0;
    for (uint32_t i = 0; i < use->list.count; i++) {
        uint32_t at;
        int r = jsv_list_of_schema(list, use->list.schemas[i], &at);
        if (r < 0) {
            return r;
        }
        *ret_passing += at == JSV_AT_PASS;
        if (at > JSV_AT_FAIL) {
            uint32_t *place = jsv_stack_push(&list->build->choices, 1);
            if (!place) {
                return -ENOMEM;
            }
            *place = at;
        }
    }
    return 0;
}

int jsv_list_add_alternatives(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    if (use->list.count > JSV_CHOICE_MAX) {
        return jsv_list_add_data(list, JSV_OP_EXPLAIN, list->schema);
    }
    struct jsv_stack *choices = &list->build->choices;
    size_t start = choices->count;
    uint32_t passing;
    int r = gather_alternatives(list, use, &passing);
    uint32_t open = (uint32_t)(choices->count - start);
    const uint32_t *at = open ? jsv_stack_item(choices, start) : NULL;
    choices->count = start;
    if (r < 0) {
        return r;
    }
    if (use->keyword == JSV_KEYWORD_ANY_OF) {
        return passing ? 0 : add_choice(list, JSV_OP_ANY_OF, at, open);
    }
    if (passing > 1) {
        list->fails = true;
        return 0;
    }
    return add_choice(list, passing ? JSV_OP_NONE_OF : JSV_OP_ONE_OF, at, open);
}

int jsv_list_add_not(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    uint32_t at;
    int r = jsv_list_of_schema(list, use->one.schema, &at);
    if (r < 0) {
        return r;
    }
    if (at == JSV_AT_PASS) {
        list->fails = true;
        return 0;
    }
    return at == JSV_AT_FAIL ? 0 : jsv_list_add_at(list, JSV_OP_NOT, at);
}

static int branch_at(struct jsv_list *list, enum jsv_keyword keyword, uint32_t *ret_at)
{
    const struct jsv_keyword_use *use = jsv_subschema_use(list->schema, keyword);
    *ret_at = JSV_AT_PASS;
    return use ? jsv_list_of_schema(list, use->one.schema, ret_at) : 0;
}

int jsv_list_add_if(struct jsv_list *list, const struct jsv_keyword_use *use)
{
    struct jsv_condition condition;
    int r = jsv_list_of_schema(list, use->one.schema, &condition.at_if);
    if (r == 0) {
        r = branch_at(list, JSV_KEYWORD_THEN, &condition.at_then);
    }
    if (r == 0) {
        r = branch_at(list, JSV_KEYWORD_ELSE, &condition.at_else);
    }
    if (r < 0) {
        return r;
    }
    if (condition.at_if <= JSV_AT_FAIL) {
        return jsv_list_add_list(
            list, condition.at_if == JSV_AT_PASS ? condition.at_then : condition.at_else);
    }
    if (condition.at_then == JSV_AT_PASS && condition.at_else == JSV_AT_PASS) {
        return 0;
    }
    struct jsv_condition *kept = jsv_build_take(list->build, sizeof(*kept));
    if (!kept) {
        return -ENOMEM;
    }
    *kept = condition;
    return jsv_list_add_data(list, JSV_OP_IF, kept);
}
