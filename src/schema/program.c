/*
 * Making the fast form of a schema.
 *
 * For each subschema and each type of value, its keywords are turned into a
 * list of operations, knowing the type: `type` itself mostly vanishes, enum
 * keeps only values of the type, alternatives that the type rules out drop
 * out. What is left may be nothing (pass), a contradiction (fail) or a list.
 *
 * Schemas for the same value (allOf, $ref and the like) are made first and
 * their lists taken in. One that is just being made, because it refers to
 * itself, is called by its shape instead. Schemas for other values, below this
 * one, are only given a shape and made later.
 */
#include "schema/program.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "json/stack.h"
#include "json/value.h"
#include "schema/choice.h"

/* Schemas for one value, one inside another; a deeper one is called instead of taken in. */
#define NESTING_MAX 64

/* Operations of a list that is taken in; a longer one is run where it stands. */
#define TAKE_IN_MAX 3

/* Operations of a list at most. */
#define LIST_MAX 16

/* Lists that a new one is compared with. */
#define RECENT_MAX 4

/* Dependencies that are looked for one by one; explaining has an index for more. */
#define DEPENDENCIES_MAX 16

/* The shape that lets everything pass. */
#define SHAPE_PASS 0

/* Lists that a list may run through before its verdict is worth remembering. */
#define WEIGHT_MAX 64

enum state {
    STATE_NEW,
    STATE_BEING_MADE,
    STATE_MADE,
};

/* A list, and the one that stands for it: the same unless its verdict is remembered. */
struct recent {
    uint32_t at;
    uint32_t outer;
};

struct build {
    struct jsv_schema *schema;
    struct jsv_arena scratch;
    struct jsv_buf ops;        /* struct jsv_op */
    struct jsv_stack gathered; /* struct jsv_op: of lists that are not whole yet */
    struct jsv_shape *shapes;  /* by subschema index */
    struct jsv_stack numbered; /* uint32_t: subschema index by number of shape; 0 lets all pass */
    uint32_t *numbers;         /* of shape, by subschema index; 0 when it has none */
    struct jsv_subschema *
        *ends;                /* where references lead, by subschema index; NULL: not known yet */
    struct jsv_arena brief;   /* for what is needed until the next operation is added */
    struct jsv_stack choices; /* uint32_t: lists of alternatives that are being gathered */
    unsigned char *states;    /* enum state, by subschema index */
    struct jsv_stack pending; /* struct jsv_subschema *: has a shape, not made yet */
    unsigned nesting;
    struct recent recent[RECENT_MAX]; /* lists made last; all PASS at first */
    unsigned recent_next;
};

/* Operations for one subschema and one type, while they are gathered. */
struct list {
    struct build *build;
    const struct jsv_subschema *schema;
    enum jsv_type type;
    size_t start; /* among those gathered */
    bool fails;
};

static int make_shape(struct build *build, struct jsv_subschema *schema);

static void *take(struct build *build, size_t size)
{
    return jsv_arena_alloc(&build->schema->arena, size);
}

static const struct jsv_document *document_of(const struct jsv_subschema *schema)
{
    return schema->resource->source->document;
}

static uint32_t op_count(const struct build *build)
{
    return (uint32_t)(build->ops.size / sizeof(struct jsv_op));
}

/* Operations move when others are added. */
static struct jsv_op *op_at(const struct build *build, uint32_t at)
{
    return (struct jsv_op *)(void *)build->ops.data + at;
}

static bool ops_equal(const struct jsv_op *a, const struct jsv_op *b)
{
    return a->code == b->code && a->at == b->at && a->word == b->word;
}

static int add_op(struct list *list, struct jsv_op op)
{
    struct jsv_stack *gathered = &list->build->gathered;
    /* what stands there already need not be asked again: the same schema, referred to twice */
    for (size_t i = gathered->count; i > list->start && i + TAKE_IN_MAX > gathered->count; i--) {
        const struct jsv_op *other = jsv_stack_item(gathered, i - 1);
        if (ops_equal(other, &op)) {
            return 0;
        }
    }
    struct jsv_op *place = jsv_stack_push(gathered, 1);
    if (!place) {
        return -ENOMEM;
    }
    *place = op;
    return 0;
}

static int add_data(struct list *list, enum jsv_op_code code, const void *data)
{
    return data ? add_op(list, (struct jsv_op){.code = code, .data = data}) : -ENOMEM;
}

static int add_at(struct list *list, enum jsv_op_code code, uint32_t at)
{
    return add_op(list, (struct jsv_op){.code = code, .at = at});
}

/* Put operations, and the PASS that ends them, into the program; their place in *ret_at. */
static int emit_plain(struct build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at)
{
    uint32_t at = op_count(build);
    struct jsv_op pass = {.code = JSV_OP_PASS};
    jsv_buf_append(&build->ops, ops, count * sizeof(*ops));
    if (jsv_buf_append(&build->ops, &pass, sizeof(pass)) < 0) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        op_at(build, at)[i].weight = 0;
    }
    *ret_at = at;
    return 0;
}

/* Find the same list among the last ones: for values of different types they are often the same. */
static bool
find_recent(const struct build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at)
{
    for (size_t i = 0; i < RECENT_MAX; i++) {
        const struct jsv_op *known = op_at(build, build->recent[i].at);
        size_t same = 0;
        while (same < count && ops_equal(&known[same], &ops[same])) {
            same++;
        }
        if (same == count && known[count].code == JSV_OP_PASS) {
            *ret_at = build->recent[i].outer;
            return true;
        }
    }
    return false;
}

static unsigned list_weight(const struct build *build, uint32_t at)
{
    return (unsigned)op_at(build, at)->weight;
}

/* How many lists an operation may run through for the same value. */
static unsigned op_weight(const struct build *build, const struct jsv_op *op)
{
    unsigned weight = 1;
    if (op->code == JSV_OP_RUN || op->code == JSV_OP_NOT) {
        weight += list_weight(build, op->at);
    } else if (op->code == JSV_OP_IF) {
        const struct jsv_condition *condition = op->data;
        weight += list_weight(build, condition->at_if) + list_weight(build, condition->at_then) +
                  list_weight(build, condition->at_else);
    } else if (op->code == JSV_OP_DEPENDENCY) {
        weight += list_weight(build, ((const struct jsv_dependent *)op->data)->at);
    } else if (
        op->code == JSV_OP_ANY_OF || op->code == JSV_OP_ONE_OF || op->code == JSV_OP_NONE_OF) {
        const struct jsv_choice *choice = op->data;
        for (uint32_t i = 0; i < choice->count; i++) {
            weight += list_weight(build, choice->at[i]);
        }
    }
    return weight;
}

/*
 * The same for lists that are run often. Where schemas refer to others twice,
 * and these again, the work doubles at each level: the verdict of a list that
 * would run through many others is remembered, which is asked for by an
 * operation that stands alone in a list of its own.
 */
static int emit(struct build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at)
{
    if (count == 0) {
        *ret_at = JSV_AT_PASS;
        return 0;
    }
    if (count == 1 && ops[0].code == JSV_OP_INTEGER) {
        *ret_at = JSV_AT_INTEGER;
        return 0;
    }
    if (find_recent(build, ops, count, ret_at)) {
        return 0;
    }
    unsigned weight = 0;
    for (size_t i = 0; i < count && weight <= WEIGHT_MAX; i++) {
        weight += op_weight(build, &ops[i]);
    }
    uint32_t at = 0;
    int r = emit_plain(build, ops, count, &at);
    *ret_at = at;
    if (r == 0 && weight > WEIGHT_MAX) {
        struct jsv_op once = {.code = JSV_OP_ONCE, .at = at};
        r = emit_plain(build, &once, 1, ret_at);
    } else if (r == 0) {
        op_at(build, at)->weight = weight;
    }
    if (r == 0) {
        build->recent[build->recent_next++ % RECENT_MAX] = (struct recent){at, *ret_at};
    }
    return r;
}

/* ---- shapes of other schemas ---- */

static struct jsv_subschema *next_of(struct jsv_subschema *schema)
{
    bool only_reference = schema->use_count == 1 &&
                          schema->uses[0].keyword <= JSV_KEYWORD_RECURSIVE_REF &&
                          !schema->uses[0].ref.dynamic;
    return only_reference ? schema->uses[0].ref.target : NULL;
}

/* Where a schema that is nothing but a reference leads, as far as it goes; found once for each. */
static struct jsv_subschema *follow(struct build *build, struct jsv_subschema *schema)
{
    struct jsv_subschema *end = schema;
    uint32_t left = build->schema->subschema_count; /* a circle has no end */
    for (struct jsv_subschema *next; left-- && (next = next_of(end));) {
        end = build->ends[end->index] ? build->ends[end->index] : next;
    }
    while (schema != end && !build->ends[schema->index]) {
        build->ends[schema->index] = end;
        schema = next_of(schema);
    }
    return end;
}

/* The shape of a schema for another value; made later. */
static int shape_of(struct build *build, struct jsv_subschema *schema, uint32_t *ret_shape)
{
    schema = follow(build, schema);
    uint32_t *number = &build->numbers[schema->index];
    if (*number == 0) {
        struct jsv_subschema **pending = jsv_stack_push(&build->pending, 1);
        uint32_t *index = jsv_stack_push(&build->numbered, 1);
        if (!pending || !index) {
            return -ENOMEM;
        }
        *pending = schema;
        *index = schema->index;
        *number = (uint32_t)build->numbered.count - 1;
    }
    *ret_shape = *number;
    return 0;
}

/* The list of a schema for a value of this list's type and place. */
static int list_of(struct list *list, struct jsv_subschema *schema, uint32_t *ret_at)
{
    struct build *build = list->build;
    schema = follow(build, schema);
    if (build->states[schema->index] == STATE_NEW && build->nesting < NESTING_MAX) {
        int r = make_shape(build, schema);
        if (r < 0) {
            return r;
        }
    }
    if (build->states[schema->index] == STATE_MADE) {
        *ret_at = build->shapes[schema->index].at[list->type];
        return 0;
    }
    uint32_t shape;
    int r = shape_of(build, schema, &shape);
    struct jsv_op call = {.code = JSV_OP_CALL, .at = shape};
    return r < 0 ? r : emit(build, &call, 1, ret_at);
}

/* Demand a list too: take its operations in when they are few. */
static int add_list(struct list *list, uint32_t at)
{
    if (at == JSV_AT_PASS) {
        return 0;
    }
    if (at == JSV_AT_FAIL) {
        list->fails = true;
        return 0;
    }
    const struct jsv_op *ops = op_at(list->build, at);
    size_t count = 0;
    while (count <= TAKE_IN_MAX && ops[count].code != JSV_OP_PASS) {
        count++;
    }
    if (count > TAKE_IN_MAX) {
        return add_at(list, JSV_OP_RUN, at);
    }
    for (size_t i = 0; i < count; i++) {
        int r = add_op(list, ops[i]);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int add_schema(struct list *list, struct jsv_subschema *schema)
{
    uint32_t at;
    int r = list_of(list, schema, &at);
    return r < 0 ? r : add_list(list, at);
}

/* ---- any type ---- */

static int add_types(struct list *list, unsigned types)
{
    if (types & 1u << list->type) {
        return 0;
    }
    if (list->type == JSV_TYPE_NUMBER && types & JSV_TYPE_BIT_INTEGER) {
        bool strict = list->schema->resource->draft == JSV_DRAFT_4;
        return add_op(
            list, (struct jsv_op){.code = strict ? JSV_OP_INTEGER_STRICT : JSV_OP_INTEGER});
    }
    list->fails = true;
    return 0;
}

static int add_strings(struct list *list, const struct jsv_node **values, uint32_t count)
{
    struct build *build = list->build;
    const struct jsv_document *document = document_of(list->schema);
    struct jsv_key *names = jsv_arena_array(&build->brief, count, sizeof(*names));
    struct jsv_names_table *table = take(build, sizeof(*table));
    if (!names || !table) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        names[i] = jsv_key_from(jsv_string_text(document, values[i]));
    }
    int r = jsv_names_build(table, &build->schema->arena, &build->brief, names, count);
    return r < 0 ? r : add_data(list, JSV_OP_STRING_IN, table);
}

/* One of some values, all of the list's type. */
static int add_values(struct list *list, const struct jsv_node **values, uint32_t count)
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
        return both ? 0 : add_op(list, op);
    }
    bool strings = list->type == JSV_TYPE_STRING;
    for (uint32_t i = 0; i < count && strings; i++) {
        strings = !(jsv_node_flags(values[i]) & JSV_NODE_LONG);
    }
    if (strings) {
        return add_strings(list, values, count);
    }
    size_t size = sizeof(struct jsv_equals) + count * sizeof(*values);
    struct jsv_equals *equals = take(list->build, size);
    if (!equals) {
        return -ENOMEM;
    }
    equals->document = document_of(list->schema);
    equals->count = count;
    memcpy(equals->values, values, count * sizeof(*values));
    return add_data(list, JSV_OP_EQUAL, equals);
}

static int add_enum(struct list *list, const struct jsv_keyword_use *use)
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

/* ---- combinations ---- */

static int add_choice(struct list *list, enum jsv_op_code code, const uint32_t *at, uint32_t count)
{
    if (count == 0) {
        list->fails = code != JSV_OP_NONE_OF;
        return 0;
    }
    if (count == 1) {
        return code == JSV_OP_NONE_OF ? add_at(list, JSV_OP_NOT, at[0]) : add_list(list, at[0]);
    }
    struct jsv_choice *choice = take(list->build, sizeof(*choice) + count * sizeof(*at));
    if (!choice) {
        return -ENOMEM;
    }
    *choice = (struct jsv_choice){.count = count};
    memcpy(choice->at, at, count * sizeof(*at));
    return add_data(list, code, choice);
}

/* Push the lists of alternatives that may or may not fit; count those that always do. */
static int
gather_alternatives(struct list *list, const struct jsv_keyword_use *use, uint32_t *ret_passing)
{
    *ret_passing = 0;
    for (uint32_t i = 0; i < use->list.count; i++) {
        uint32_t at;
        int r = list_of(list, use->list.schemas[i], &at);
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

static int add_alternatives(struct list *list, const struct jsv_keyword_use *use)
{
    if (use->list.count > JSV_CHOICE_MAX) {
        return add_data(list, JSV_OP_EXPLAIN, list->schema);
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

static int add_not(struct list *list, const struct jsv_keyword_use *use)
{
    uint32_t at;
    int r = list_of(list, use->one.schema, &at);
    if (r < 0) {
        return r;
    }
    if (at == JSV_AT_PASS) {
        list->fails = true;
        return 0;
    }
    return at == JSV_AT_FAIL ? 0 : add_at(list, JSV_OP_NOT, at);
}

static int branch_at(struct list *list, enum jsv_keyword keyword, uint32_t *ret_at)
{
    const struct jsv_keyword_use *use = jsv_subschema_use(list->schema, keyword);
    *ret_at = JSV_AT_PASS;
    return use ? list_of(list, use->one.schema, ret_at) : 0;
}

static int add_if(struct list *list, const struct jsv_keyword_use *use)
{
    struct jsv_condition condition;
    int r = list_of(list, use->one.schema, &condition.at_if);
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
        return add_list(
            list, condition.at_if == JSV_AT_PASS ? condition.at_then : condition.at_else);
    }
    if (condition.at_then == JSV_AT_PASS && condition.at_else == JSV_AT_PASS) {
        return 0;
    }
    struct jsv_condition *kept = take(list->build, sizeof(*kept));
    if (!kept) {
        return -ENOMEM;
    }
    *kept = condition;
    return add_data(list, JSV_OP_IF, kept);
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

/* An inclusive bound as an int64, when it is one; the end of the range when there is none. */
static bool int_bound(const struct jsv_number *bound, bool has, bool exclusive, int64_t *integer)
{
    return !has || (!exclusive && jsv_number_int64(bound, integer) == 0);
}

/* All bounds of a schema as one operation, at the first of them. */
static int add_bounds(struct list *list, const struct jsv_keyword_use *use)
{
    struct jsv_bounds *bounds = take(list->build, sizeof(*bounds));
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
        int_bound(&bounds->min, bounds->has_min, bounds->min_exclusive, &bounds->int_min) &&
        int_bound(&bounds->max, bounds->has_max, bounds->max_exclusive, &bounds->int_max);
    return add_data(list, integers ? JSV_OP_INT_BOUND : JSV_OP_BOUND, bounds);
}

static int add_multiple_of(struct list *list, const struct jsv_keyword_use *use)
{
    if (jsv_number_is_zero(&use->bound.value)) {
        return 0;
    }
    return add_data(list, JSV_OP_MULTIPLE_OF, &use->bound.value);
}

/* The limits of a pair such as maxLength and minLength, at the first of them. */
static int add_range(struct list *list, const struct jsv_keyword_use *use, enum jsv_op_code code)
{
    struct jsv_range *range = take(list->build, sizeof(*range));
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
    return add_data(list, code, range);
}

/* ---- arrays ---- */

static int add_items(struct list *list, const struct jsv_keyword_use *use)
{
    uint32_t shape;
    int r = shape_of(list->build, use->one.schema, &shape);
    const struct jsv_subschema *schema = follow(list->build, use->one.schema);
    bool trivial = !schema->never && schema->use_count == 0;
    return r < 0 || trivial ? r : add_at(list, JSV_OP_ITEMS, shape);
}

/* Elements by their place, and those behind: `rest` may be NULL. */
static int add_tuple(
    struct list *list, const struct jsv_keyword_use *prefix, const struct jsv_keyword_use *rest)
{
    struct build *build = list->build;
    uint32_t count = prefix->list.count;
    struct jsv_tuple *tuple = take(build, sizeof(*tuple) + count * sizeof(*tuple->shapes));
    if (!tuple) {
        return -ENOMEM;
    }
    tuple->count = count;
    tuple->rest = SHAPE_PASS;
    int r = rest ? shape_of(build, rest->one.schema, &tuple->rest) : 0;
    for (uint32_t i = 0; i < count && r == 0; i++) {
        r = shape_of(build, prefix->list.schemas[i], &tuple->shapes[i]);
    }
    return r < 0 ? r : add_data(list, JSV_OP_TUPLE, tuple);
}

/* prefixItems, items and additionalItems, in whichever meaning the draft gives them. */
static int add_elements(struct list *list, const struct jsv_keyword_use *use)
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

static int add_contains(struct list *list, const struct jsv_keyword_use *use)
{
    struct jsv_contains *contains = take(list->build, sizeof(*contains));
    if (!contains) {
        return -ENOMEM;
    }
    contains->min = use->one.contains_min;
    contains->max = use->one.contains_max;
    int r = shape_of(list->build, use->one.schema, &contains->shape);
    return r < 0 ? r : add_data(list, JSV_OP_CONTAINS, contains);
}

/* ---- objects ---- */

/* Names of `properties` and `required` together. */
struct gathered {
    struct jsv_key *keys;
    uint32_t *shapes;
    uint32_t count;
    uint32_t listed; /* those of properties come first */
};

static int gather_names(
    struct list *list,
    const struct jsv_keyword_use *properties,
    const struct jsv_keyword_use *required,
    struct gathered *ret_names)
{
    struct build *build = list->build;
    uint32_t listed = properties ? properties->map.count : 0;
    uint32_t count_max = listed + (required ? required->names.count : 0);
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
        int r = shape_of(build, property->schema, &names.shapes[names.count]);
        if (r < 0) {
            return r;
        }
    }
    struct jsv_names_table table;
    int r = jsv_names_build(&table, &build->brief, &build->brief, names.keys, listed);
    for (uint32_t i = 0; required && i < required->names.count && r == 0; i++) {
        struct jsv_key key = required->names.items[i];
        if (!jsv_names_has(&table, &key)) {
            names.keys[names.count] = key;
            names.shapes[names.count++] = SHAPE_PASS;
        }
    }
    *ret_names = names;
    return r;
}

static int
add_patterns(struct build *build, const struct jsv_keyword_use *patterns, struct jsv_object *object)
{
    object->pattern_count = patterns->patterns.count;
    object->patterns = take(build, (object->pattern_count + 1) * sizeof(*object->patterns));
    if (!object->patterns) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < object->pattern_count; i++) {
        object->patterns[i].regex = patterns->patterns.items[i].regex;
        int r = shape_of(build, patterns->patterns.items[i].schema, &object->patterns[i].shape);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* Put what is known of each name into its slot. */
static void describe_names(
    struct jsv_object *object, const struct gathered *names, const struct jsv_keyword_use *required)
{
    struct jsv_name_slot *slot = NULL;
    while ((slot = jsv_names_next(&object->names, slot))) {
        bool listed = slot->index < names->listed;
        bool more = !object->open && (!listed || object->pattern_count);
        slot->at = names->shapes[slot->index];
        slot->info = (listed ? JSV_NAME_LISTED : 0) | (more ? JSV_NAME_MORE : 0);
    }
    for (uint32_t i = 0; required && i < required->names.count; i++) {
        slot = jsv_names_slot_of(&object->names, &required->names.items[i]);
        if (slot && !(slot->info >> JSV_NAME_REQUIRED_SHIFT)) {
            slot->info |= 1u << JSV_NAME_REQUIRED_SHIFT;
            object->required_count++;
        }
    }
}

/* required, properties, patternProperties and additionalProperties as one operation. */
static int add_object(struct list *list)
{
    struct build *build = list->build;
    const struct jsv_subschema *schema = list->schema;
    const struct jsv_keyword_use *patterns =
        jsv_subschema_use(schema, JSV_KEYWORD_PATTERN_PROPERTIES);
    const struct jsv_keyword_use *extra =
        jsv_subschema_use(schema, JSV_KEYWORD_ADDITIONAL_PROPERTIES);
    const struct jsv_keyword_use *required = jsv_subschema_use(schema, JSV_KEYWORD_REQUIRED);
    struct gathered names;
    int r = gather_names(list, jsv_subschema_use(schema, JSV_KEYWORD_PROPERTIES), required, &names);
    struct jsv_object *object = take(build, sizeof(*object));
    if (r < 0 || !object) {
        return r < 0 ? r : -ENOMEM;
    }
    *object = (struct jsv_object){.extra = SHAPE_PASS, .open = true};
    r = jsv_names_build(
        &object->names, &build->schema->arena, &build->brief, names.keys, names.count);
    if (r == 0 && patterns) {
        object->open = false;
        r = add_patterns(build, patterns, object);
    }
    if (r == 0 && extra) {
        const struct jsv_subschema *target = follow(build, extra->one.schema);
        object->open &= !target->never && target->use_count == 0;
        r = shape_of(build, extra->one.schema, &object->extra);
    }
    if (r < 0) {
        return r;
    }
    describe_names(object, &names, required);
    bool few = object->open && object->names.count <= JSV_NAMES_FEW;
    return add_data(list, few ? JSV_OP_OBJECT_FEW : JSV_OP_OBJECT, object);
}

/* Whether a use is the first of those that add_object takes together. */
static bool is_first_of_object(const struct list *list, const struct jsv_keyword_use *use)
{
    static const enum jsv_keyword together[] = {
        JSV_KEYWORD_REQUIRED,
        JSV_KEYWORD_PROPERTIES,
        JSV_KEYWORD_PATTERN_PROPERTIES,
        JSV_KEYWORD_ADDITIONAL_PROPERTIES,
    };
    for (size_t i = 0; i < sizeof(together) / sizeof(*together); i++) {
        const struct jsv_keyword_use *first = jsv_subschema_use(list->schema, together[i]);
        if (first) {
            return first == use;
        }
    }
    return false;
}

static int add_names(struct list *list, const struct jsv_keyword_use *use)
{
    struct list keys = *list;
    keys.type = JSV_TYPE_STRING;
    uint32_t at;
    int r = list_of(&keys, use->one.schema, &at);
    return r < 0 || at == JSV_AT_PASS ? r : add_at(list, JSV_OP_NAMES, at);
}

static int add_dependencies(struct list *list, const struct jsv_keyword_use *use)
{
    for (uint32_t i = 0; i < use->dependencies.count; i++) {
        const struct jsv_dependency *dependency = &use->dependencies.items[i];
        struct jsv_dependent *dependent = take(list->build, sizeof(*dependent));
        if (!dependent) {
            return -ENOMEM;
        }
        *dependent = (struct jsv_dependent){.key = dependency->key};
        int r = 0;
        if (dependency->schema) {
            r = list_of(list, dependency->schema, &dependent->at);
        } else {
            dependent->names = &dependency->names;
        }
        if (r == 0) {
            r = add_data(list, JSV_OP_DEPENDENCY, dependent);
        }
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* ---- the whole ---- */

static int add_use(struct list *list, const struct jsv_keyword_use *use)
{
    bool number = list->type == JSV_TYPE_NUMBER;
    bool string = list->type == JSV_TYPE_STRING;
    bool array = list->type == JSV_TYPE_ARRAY;
    bool object = list->type == JSV_TYPE_OBJECT;
    switch (use->keyword) {
    case JSV_KEYWORD_REF:
    case JSV_KEYWORD_DYNAMIC_REF:
    case JSV_KEYWORD_RECURSIVE_REF:
        return add_schema(list, use->ref.target);
    case JSV_KEYWORD_TYPE:
        return add_types(list, use->types);
    case JSV_KEYWORD_CONST:
    case JSV_KEYWORD_ENUM:
        return add_enum(list, use);
    case JSV_KEYWORD_MULTIPLE_OF:
        return number ? add_multiple_of(list, use) : 0;
    case JSV_KEYWORD_MAXIMUM:
    case JSV_KEYWORD_EXCLUSIVE_MAXIMUM:
    case JSV_KEYWORD_MINIMUM:
    case JSV_KEYWORD_EXCLUSIVE_MINIMUM: {
        bool first = use == list->schema->uses || use[-1].keyword < JSV_KEYWORD_MAXIMUM;
        return number && first ? add_bounds(list, use) : 0;
    }
    case JSV_KEYWORD_MAX_LENGTH:
    case JSV_KEYWORD_MIN_LENGTH:
        return string ? add_range(list, use, JSV_OP_LENGTH) : 0;
    case JSV_KEYWORD_PATTERN:
        return string ? add_data(list, JSV_OP_PATTERN, use->regex) : 0;
    case JSV_KEYWORD_FORMAT:
        return string ? add_op(list, (struct jsv_op){.code = JSV_OP_FORMAT, .word = use->format})
                      : 0;
    case JSV_KEYWORD_CONTENT_ENCODING:
    case JSV_KEYWORD_CONTENT_MEDIA_TYPE:
        return string ? add_data(list, JSV_OP_EXPLAIN, list->schema) : 0;
    case JSV_KEYWORD_MAX_ITEMS:
    case JSV_KEYWORD_MIN_ITEMS:
        return array ? add_range(list, use, JSV_OP_COUNT) : 0;
    case JSV_KEYWORD_UNIQUE_ITEMS:
        return array ? add_op(list, (struct jsv_op){.code = JSV_OP_UNIQUE}) : 0;
    case JSV_KEYWORD_PREFIX_ITEMS:
    case JSV_KEYWORD_ITEMS:
    case JSV_KEYWORD_ADDITIONAL_ITEMS:
        return array ? add_elements(list, use) : 0;
    case JSV_KEYWORD_CONTAINS:
        return array ? add_contains(list, use) : 0;
    case JSV_KEYWORD_MAX_PROPERTIES:
    case JSV_KEYWORD_MIN_PROPERTIES:
        return object ? add_range(list, use, JSV_OP_COUNT) : 0;
    case JSV_KEYWORD_REQUIRED:
    case JSV_KEYWORD_PROPERTIES:
    case JSV_KEYWORD_PATTERN_PROPERTIES:
    case JSV_KEYWORD_ADDITIONAL_PROPERTIES:
        return object && is_first_of_object(list, use) ? add_object(list) : 0;
    case JSV_KEYWORD_DEPENDENT_REQUIRED:
    case JSV_KEYWORD_DEPENDENCIES:
    case JSV_KEYWORD_DEPENDENT_SCHEMAS:
        return object ? add_dependencies(list, use) : 0;
    case JSV_KEYWORD_PROPERTY_NAMES:
        return object ? add_names(list, use) : 0;
    case JSV_KEYWORD_ALL_OF:
        for (uint32_t i = 0; i < use->list.count; i++) {
            int r = add_schema(list, use->list.schemas[i]);
            if (r < 0) {
                return r;
            }
        }
        return 0;
    case JSV_KEYWORD_ANY_OF:
    case JSV_KEYWORD_ONE_OF:
        return add_alternatives(list, use);
    case JSV_KEYWORD_NOT:
        return add_not(list, use);
    case JSV_KEYWORD_IF:
        return add_if(list, use);
    case JSV_KEYWORD_THEN:
    case JSV_KEYWORD_ELSE:
    case JSV_KEYWORD_UNEVALUATED_ITEMS:
    case JSV_KEYWORD_UNEVALUATED_PROPERTIES:
    case JSV_KEYWORD_DEFS:
    case JSV_KEYWORD_DEFINITIONS:
    case JSV_KEYWORD_CONTENT_SCHEMA:
    case JSV_KEYWORD_COUNT:
        return 0;
    }
    return 0;
}

static bool is_dependencies(enum jsv_keyword keyword)
{
    return keyword == JSV_KEYWORD_DEPENDENT_REQUIRED || keyword == JSV_KEYWORD_DEPENDENCIES ||
           keyword == JSV_KEYWORD_DEPENDENT_SCHEMAS;
}

/* What the program does not do itself: what was evaluated, and names beyond its tables. */
static bool needs_explaining(const struct jsv_subschema *schema, enum jsv_type type)
{
    for (uint32_t i = 0; i < schema->use_count; i++) {
        const struct jsv_keyword_use *use = &schema->uses[i];
        if ((use->keyword == JSV_KEYWORD_UNEVALUATED_ITEMS && type == JSV_TYPE_ARRAY) ||
            (use->keyword == JSV_KEYWORD_UNEVALUATED_PROPERTIES && type == JSV_TYPE_OBJECT)) {
            return true;
        }
        if (type != JSV_TYPE_OBJECT) {
            continue;
        }
        if (is_dependencies(use->keyword) && use->dependencies.count > DEPENDENCIES_MAX) {
            return true;
        }
        for (uint32_t j = 0; use->keyword == JSV_KEYWORD_PROPERTIES && j < use->map.count; j++) {
            if (use->map.items[j].key.text.size > JSV_STRING_SHORT_MAX) {
                return true;
            }
        }
        for (uint32_t j = 0; use->keyword == JSV_KEYWORD_REQUIRED && j < use->names.count; j++) {
            if (use->names.items[j].text.size > JSV_STRING_SHORT_MAX) {
                return true;
            }
        }
    }
    return false;
}

/*
 * The operations gathered from `start` on as a list. A long one is cut into
 * lists of its own: where the compiler makes no jumps out of calls, a list
 * takes as much stack as it has operations.
 */
static int finish_list(struct build *build, size_t start, uint32_t *ret_at)
{
    struct jsv_stack *gathered = &build->gathered;
    while (gathered->count - start > LIST_MAX) {
        size_t kept = start;
        for (size_t from = start; from < gathered->count; from += LIST_MAX) {
            size_t left = gathered->count - from;
            uint32_t at;
            int r =
                emit(build, jsv_stack_item(gathered, from), left < LIST_MAX ? left : LIST_MAX, &at);
            if (r < 0) {
                return r;
            }
            struct jsv_op *op = jsv_stack_item(gathered, kept++);
            *op = (struct jsv_op){.code = JSV_OP_RUN, .at = at};
        }
        gathered->count = kept;
    }
    const struct jsv_op *ops = gathered->count > start ? jsv_stack_item(gathered, start) : NULL;
    return emit(build, ops, gathered->count - start, ret_at);
}

static int make_list(
    struct build *build, const struct jsv_subschema *schema, enum jsv_type type, uint32_t *ret_at)
{
    struct list list = {
        .build = build,
        .schema = schema,
        .type = type,
        .start = build->gathered.count,
        .fails = schema->never,
    };
    int r = 0;
    if (needs_explaining(schema, type)) {
        r = add_data(&list, JSV_OP_EXPLAIN, schema);
    } else {
        for (uint32_t i = 0; i < schema->use_count && r == 0 && !list.fails; i++) {
            r = add_use(&list, &schema->uses[i]);
        }
    }
    if (r == 0 && list.fails) {
        *ret_at = JSV_AT_FAIL;
    } else if (r == 0) {
        r = finish_list(build, list.start, ret_at);
    }
    build->gathered.count = list.start;
    return r;
}

static int make_shape(struct build *build, struct jsv_subschema *schema)
{
    build->states[schema->index] = STATE_BEING_MADE;
    build->nesting++;
    struct jsv_shape shape = {0};
    for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
        int r = make_list(build, schema, type, &shape.at[type]);
        if (r < 0) {
            return r;
        }
    }
    build->shapes[schema->index] = shape;
    build->nesting--;
    build->states[schema->index] = STATE_MADE;
    return 0;
}

static int make_all(struct build *build, uint32_t *ret_root)
{
    int r = shape_of(build, build->schema->root, ret_root);
    while (r == 0 && build->pending.count) {
        struct jsv_subschema *schema = *(struct jsv_subschema **)jsv_stack_pop(&build->pending);
        if (build->states[schema->index] == STATE_NEW) {
            r = make_shape(build, schema);
        }
    }
    return r;
}

/* A program that leaves everything to explaining. */
static int explain_all(struct build *build, uint32_t *ret_root)
{
    struct jsv_op op = {.code = JSV_OP_EXPLAIN, .data = build->schema->root};
    uint32_t at;
    int r = emit(build, &op, 1, &at);
    if (r == 0) {
        r = shape_of(build, build->schema->root, ret_root);
    }
    for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT && r == 0; type++) {
        const uint32_t *index = jsv_stack_top(&build->numbered);
        build->shapes[*index].at[type] = at;
    }
    return r;
}

/*
 * A dynamic reference leads to the outermost resource with its anchor. That is
 * the root's own, when it has one: then, and when there is only one, it is
 * known already. False: it can only be known while evaluating.
 */
static bool settle_dynamic(struct jsv_schema *schema, struct jsv_keyword_use *use)
{
    struct jsv_subschema *target =
        jsv_schema_dynamic_target(schema, schema->root->resource, use->ref.anchor);
    if (!target) {
        if (jsv_schema_dynamic_count(schema, use->ref.anchor) > 1) {
            return false;
        }
        target = use->ref.target;
    }
    use->ref.target = target;
    use->ref.dynamic = false;
    return true;
}

static bool settle_all_dynamic(struct jsv_schema *schema)
{
    bool settled = true;
    for (struct jsv_subschema *s = schema->subschemas; s; s = s->next) {
        for (uint32_t i = 0; i < s->use_count; i++) {
            struct jsv_keyword_use *use = &s->uses[i];
            if (use->keyword <= JSV_KEYWORD_RECURSIVE_REF && use->ref.dynamic) {
                settled &= settle_dynamic(schema, use);
            }
        }
    }
    return settled;
}

/* What can be known of operations only when all shapes are made. */
static void finish_ops(const struct jsv_shape *shapes, struct jsv_op *ops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ops[i].run = jsv_op_functions[ops[i].code];
        if (ops[i].code == JSV_OP_ITEMS) {
            ops[i].word = jsv_shape_passes(&shapes[ops[i].at]);
        } else if (ops[i].code == JSV_OP_OBJECT || ops[i].code == JSV_OP_OBJECT_FEW) {
            struct jsv_object *object = (struct jsv_object *)(uintptr_t)ops[i].data;
            struct jsv_name_slot *slot = NULL;
            for (uint32_t n = 0; (slot = jsv_names_next(&object->names, slot)); n++) {
                slot->info |= jsv_shape_passes(&shapes[slot->at]);
                if (ops[i].code == JSV_OP_OBJECT_FEW) {
                    object->few[n] = *slot;
                }
            }
        }
    }
}

/* The shapes that were given a number, by it. */
static struct jsv_shape *order_shapes(struct build *build)
{
    size_t count = build->numbered.count;
    struct jsv_shape *shapes = jsv_arena_array(&build->brief, count, sizeof(*shapes));
    for (size_t i = 0; shapes && i < count; i++) {
        const uint32_t *index = jsv_stack_item(&build->numbered, i);
        shapes[i] = i == SHAPE_PASS ? (struct jsv_shape){{JSV_AT_PASS}} : build->shapes[*index];
    }
    return shapes;
}

/* Fill in the shapes as they are run. */
static void
describe_entries(struct jsv_program *program, const struct jsv_shape *shapes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        program->entries[i].op[JSV_TYPE_NONE] = &program->ops[JSV_AT_FAIL];
        for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
            program->entries[i].op[type] = &program->ops[shapes[i].at[type]];
        }
    }
}

/* What is known of each subschema while the program is made. */
static int prepare_build(struct build *build)
{
    size_t count = build->schema->subschema_count;
    struct jsv_arena *scratch = &build->scratch;
    build->shapes = jsv_arena_array(scratch, count, sizeof(*build->shapes));
    build->numbers = jsv_arena_array(scratch, count, sizeof(*build->numbers));
    build->ends = jsv_arena_array(scratch, count, sizeof(*build->ends));
    build->states = jsv_arena_alloc(scratch, count);
    uint32_t *pass = jsv_stack_push(&build->numbered, 1);
    static const struct jsv_op first[] = {
        [JSV_AT_PASS] = {.code = JSV_OP_PASS},
        [JSV_AT_FAIL] = {.code = JSV_OP_FAIL},
        [JSV_AT_INTEGER] = {.code = JSV_OP_INTEGER},
        [JSV_AT_INTEGER + 1] = {.code = JSV_OP_PASS},
    };
    int r = jsv_buf_append(&build->ops, first, sizeof(first));
    if (r < 0 || !build->shapes || !build->numbers || !build->ends || !build->states || !pass) {
        return -ENOMEM;
    }
    *pass = 0;
    memset(build->shapes, 0, count * sizeof(*build->shapes));
    memset(build->numbers, 0, count * sizeof(*build->numbers));
    memset(build->ends, 0, count * sizeof(*build->ends));
    memset(build->states, STATE_NEW, count);
    return 0;
}

static int build_program(struct build *build)
{
    struct jsv_schema *schema = build->schema;
    struct jsv_program *program = take(build, sizeof(*program));
    int r = program ? prepare_build(build) : -ENOMEM;
    if (r < 0) {
        return r;
    }
    schema->dynamic = !settle_all_dynamic(schema);
    r = schema->dynamic ? explain_all(build, &program->root) : make_all(build, &program->root);
    if (r < 0) {
        return r;
    }
    struct jsv_shape *shapes = order_shapes(build);
    size_t shape_count = build->numbered.count;
    jsv_arena_done(&build->scratch); /* the rest is needed twice */
    program->ops_size = build->ops.size;
    program->entries_size = shape_count * sizeof(*program->entries);
    program->ops = jsv_alloc(&schema->allocator, program->ops_size);
    program->entries = jsv_alloc(&schema->allocator, program->entries_size);
    schema->program = program;
    if (!shapes || !program->ops || !program->entries) {
        return -ENOMEM;
    }
    memcpy(program->ops, build->ops.data, build->ops.size);
    describe_entries(program, shapes, shape_count);
    finish_ops(shapes, program->ops, op_count(build));
    return jsv_choices_prepare(schema, shapes, program->ops, op_count(build));
}

int jsv_program_build(struct jsv_schema *schema)
{
    struct build build = {.schema = schema};
    jsv_arena_init(&build.scratch, &schema->allocator, schema->arena.budget);
    jsv_arena_init(&build.brief, &schema->allocator, schema->arena.budget);
    jsv_buf_init(&build.ops, &schema->allocator, schema->arena.budget);
    build.gathered = jsv_stack_on(&build.scratch, sizeof(struct jsv_op));
    build.choices = jsv_stack_on(&build.scratch, sizeof(uint32_t));
    build.numbered = jsv_stack_on(&build.scratch, sizeof(uint32_t));
    build.pending = jsv_stack_on(&build.scratch, sizeof(struct jsv_subschema *));
    int r = build_program(&build);
    jsv_buf_done(&build.ops);
    jsv_arena_done(&build.brief);
    jsv_arena_done(&build.scratch);
    return r;
}

void jsv_program_done(struct jsv_schema *schema)
{
    if (schema->program) {
        jsv_dealloc(&schema->allocator, schema->program->ops, schema->program->ops_size);
        jsv_dealloc(&schema->allocator, schema->program->entries, schema->program->entries_size);
    }
}
