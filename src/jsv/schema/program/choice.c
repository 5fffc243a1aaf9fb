/*
 * Preparing the selection of alternatives (anyOf, oneOf).
 *
 * Alternatives mostly differ in something simple: one requires a member that
 * another does not, or a member such as "type" or "method" has another string.
 * One pass over the members of an object then leaves one alternative to run.
 *
 * The operations of every alternative tell for some names whether the member
 * is required and which strings it may be. Facts about the same name are
 * combined; a name with the same facts in all alternatives is left out.
 */
#include <errno.h>
#include <string.h>

#include "jsv/schema/program/build.h"
#include "jsv/schema/registry/table.h"

/* Nested lists that are searched for objects; more has not paid off. */
#define DEPTH_MAX 4

/* Names that decide one choice: one bit each. */
#define NAMES_MAX 64

/*
 * Budget for all choices of a program, by its operations: a fact costs 1, a
 * slot in a table SLOT_COST. Choices beyond it run all their alternatives. So
 * time and memory stay in proportion to the schema.
 */
#define COST_MIN    65536
#define COST_PER_OP 64
#define SLOT_COST   16

/* One alternative, one name. */
struct fact {
    struct jsv_table_key name; /* of the first fact about it */
    struct jsv_key key;
    struct fact *next; /* about the same name */
    struct fact *last; /* of the first one: the last about the same name */
    uint32_t alternative;
    uint32_t shape; /* of the member's value */
    bool required;
    bool listed; /* the shape counts */
};

struct prepare {
    struct jsv_schema *schema;
    const struct jsv_shape *shapes;
    struct jsv_arena scratch;
    struct jsv_table names;  /* struct fact: the first about each name */
    struct jsv_stack firsts; /* struct fact *: the same, in the order they were met */
    uint64_t cost_left;
};

/* Take from the budget; false, and nothing is left, if it does not suffice. */
static bool afford(struct prepare *prepare, uint64_t cost)
{
    bool enough = cost <= prepare->cost_left;
    prepare->cost_left = enough ? prepare->cost_left - cost : 0;
    return enough;
}

static const struct jsv_op *ops_of(const struct prepare *prepare, uint32_t at)
{
    return &prepare->schema->program->ops[at];
}

static const struct jsv_shape *shape_of(const struct prepare *prepare, uint32_t shape)
{
    return &prepare->shapes[shape];
}

/* ---- facts ---- */

static struct jsv_key key_of(const struct jsv_names_table *table, const struct jsv_name_slot *slot)
{
    return (struct jsv_key){
        .head = slot->head,
        .prefix = slot->prefix,
        .text = {table->texts[slot - table->slots], slot->head >> JSV_NODE_SIZE_SHIFT},
    };
}

static int add_fact(
    struct prepare *prepare,
    const struct jsv_names_table *table,
    const struct jsv_name_slot *slot,
    uint32_t alternative)
{
    struct fact *fact = jsv_arena_alloc(&prepare->scratch, sizeof(*fact));
    if (!fact) {
        return -ENOMEM;
    }
    *fact = (struct fact){
        .key = key_of(table, slot),
        .last = fact,
        .alternative = alternative,
        .shape = slot->at,
        .required = slot->info >> JSV_NAME_REQUIRED_SHIFT,
        .listed = slot->info & JSV_NAME_LISTED,
    };
    struct fact *first = jsv_table_find(&prepare->names, NULL, fact->key.text);
    if (first) {
        first->last->next = fact;
        first->last = fact;
        return 0;
    }
    struct fact **place = jsv_stack_push(&prepare->firsts, 1);
    if (!place) {
        return -ENOMEM;
    }
    *place = fact;
    fact->name.text = fact->key.text;
    return jsv_table_add(&prepare->names, &fact->name);
}

static int
add_object_facts(struct prepare *prepare, const struct jsv_object *object, uint32_t alternative)
{
    struct jsv_name_slot *slot = NULL;
    while ((slot = jsv_names_next(&object->names, slot)) && afford(prepare, 1)) {
        int r = add_fact(prepare, &object->names, slot, alternative);
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

static int add_facts(struct prepare *prepare, uint32_t at, uint32_t alternative, unsigned depth)
{
    const struct jsv_op *op = ops_of(prepare, at);
    for (; op->code != JSV_OP_PASS && afford(prepare, 1); op++) {
        int r = 0;
        if (jsv_op_is_object(op->code)) {
            r = add_object_facts(prepare, op->data, alternative);
        } else if ((op->code == JSV_OP_RUN || op->code == JSV_OP_ONCE) && depth < DEPTH_MAX) {
            r = add_facts(prepare, op->at, alternative, depth + 1);
        } else if (op->code == JSV_OP_CALL && depth < DEPTH_MAX) {
            uint32_t called = shape_of(prepare, op->at)->at[JSV_TYPE_OBJECT];
            r = add_facts(prepare, called, alternative, depth + 1);
        }
        if (r < 0) {
            return r;
        }
    }
    return 0;
}

/* ---- names ---- */

/* The strings a shape allows, when it lists them; NULL when it does not. */
static const struct jsv_names_table *strings_of(const struct prepare *prepare, uint32_t shape)
{
    const struct jsv_op *op = ops_of(prepare, shape_of(prepare, shape)->at[JSV_TYPE_STRING]);
    for (; op->code != JSV_OP_PASS; op++) {
        if (op->code == JSV_OP_STRING_IN || op->code == JSV_OP_STRING_IS) {
            return op->data;
        }
    }
    return NULL;
}

/* A string that some alternative allows. */
struct string {
    struct jsv_table_key text;
    struct jsv_key key;
};

/* Append a table's names to a list that holds each once. */
static int add_strings(
    struct prepare *prepare,
    struct jsv_table *known,
    struct jsv_stack *keys,
    const struct jsv_names_table *table)
{
    struct jsv_name_slot *slot = NULL;
    while ((slot = jsv_names_next(table, slot)) && afford(prepare, SLOT_COST)) {
        struct string *string = jsv_arena_alloc(&prepare->scratch, sizeof(*string));
        if (!string) {
            return -ENOMEM;
        }
        string->key = key_of(table, slot);
        string->text = (struct jsv_table_key){NULL, string->key.text};
        int r = jsv_table_add(known, &string->text);
        if (r == -EEXIST) {
            continue;
        }
        struct jsv_key *place = r == 0 ? jsv_stack_push(keys, 1) : NULL;
        if (!place) {
            return -ENOMEM;
        }
        *place = string->key;
    }
    return 0;
}

/* The alternatives that allow a string for a name. */
static uint64_t alternatives_for(
    struct prepare *prepare, const struct fact *facts, uint64_t all, const struct jsv_key *string)
{
    uint64_t allowed_by = all;
    for (const struct fact *fact = facts; fact && afford(prepare, 1); fact = fact->next) {
        const struct jsv_names_table *allowed =
            fact->listed ? strings_of(prepare, fact->shape) : NULL;
        if (allowed && !jsv_names_has(allowed, string)) {
            allowed_by &= ~(1ull << fact->alternative);
        }
    }
    return allowed_by;
}

/* A set of none or all alternatives tells nothing. */
static bool tells_apart(uint64_t allowed_by, uint64_t all)
{
    return allowed_by != 0 && allowed_by != all;
}

/* Find the alternatives for each string. */
static int decide_strings(
    struct prepare *prepare, const struct fact *facts, uint64_t all, struct jsv_choice_name *name)
{
    struct jsv_table known = jsv_table_on(&prepare->scratch);
    struct jsv_stack strings = jsv_stack_on(&prepare->scratch, sizeof(struct jsv_key));
    name->other_strings = all;
    for (const struct fact *fact = facts; fact; fact = fact->next) {
        const struct jsv_names_table *table =
            fact->listed ? strings_of(prepare, fact->shape) : NULL;
        if (table) {
            name->other_strings &= ~(1ull << fact->alternative);
            int r = add_strings(prepare, &known, &strings, table);
            if (r < 0) {
                return r;
            }
        }
    }
    /* with an incomplete list, alternatives would be ruled out wrongly */
    if (strings.count == 0 || prepare->cost_left == 0) {
        return 0;
    }
    struct jsv_arena *arena = &prepare->schema->arena;
    struct jsv_names_table *table = jsv_arena_alloc(arena, sizeof(*table));
    uint64_t *by_string = jsv_arena_array(arena, strings.count, sizeof(*by_string));
    const struct jsv_key *keys = (const struct jsv_key *)(const void *)strings.items;
    if (!table || !by_string) {
        return -ENOMEM;
    }
    bool decides = tells_apart(name->other_strings, all);
    for (size_t i = 0; i < strings.count; i++) {
        by_string[i] = alternatives_for(prepare, facts, all, &keys[i]);
        decides |= tells_apart(by_string[i], all);
    }
    if (!decides) {
        return 0;
    }
    name->strings = table;
    name->by_string = by_string;
    return jsv_names_build(table, arena, &prepare->scratch, keys, (uint32_t)strings.count);
}

/* Combine the facts about a name. @param ret_decides Whether they tell alternatives apart. */
static int decide(
    struct prepare *prepare,
    const struct fact *facts,
    uint64_t all,
    struct jsv_choice_name *name,
    bool *ret_decides)
{
    *name = (struct jsv_choice_name){.without = all};
    *ret_decides = false;
    for (const struct fact *fact = facts; fact; fact = fact->next) {
        if (fact->required) {
            name->without &= ~(1ull << fact->alternative);
        }
    }
    *ret_decides |= tells_apart(name->without, all);
    int r = decide_strings(prepare, facts, all, name);
    *ret_decides |= name->strings != NULL;
    return r;
}

/* ---- choices ---- */

static int use_names(
    struct prepare *prepare,
    struct jsv_choice *choice,
    const struct jsv_key *keys,
    const struct jsv_choice_name *names,
    uint32_t count)
{
    struct jsv_arena *arena = &prepare->schema->arena;
    struct jsv_names_table *table = jsv_arena_alloc(arena, sizeof(*table));
    struct jsv_choice_name *entries = jsv_arena_array(arena, count, sizeof(*entries));
    if (!table || !entries) {
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = names[i];
        entries[i].others = ~(1ull << i);
        choice->needed |= (uint64_t)(names[i].without != choice->all) << i;
    }
    int r = jsv_names_build(table, arena, &prepare->scratch, keys, count);
    if (r == 0) {
        choice->names = table;
        choice->entries = entries;
    }
    return r;
}

static int gather_facts(struct prepare *prepare, const struct jsv_choice *choice)
{
    prepare->names = jsv_table_on(&prepare->scratch);
    prepare->firsts = jsv_stack_on(&prepare->scratch, sizeof(struct fact *));
    int r = 0;
    for (uint32_t i = 0; i < choice->count && r == 0; i++) {
        r = add_facts(prepare, choice->at[i], i, 0);
    }
    return r;
}

static int prepare_choice(struct prepare *prepare, struct jsv_choice *choice)
{
    int r = gather_facts(prepare, choice);
    uint64_t all = choice->all;
    struct jsv_choice_name names[NAMES_MAX];
    struct jsv_key keys[NAMES_MAX];
    uint32_t count = 0;
    for (size_t i = 0; i < prepare->firsts.count && count < NAMES_MAX && r == 0; i++) {
        const struct fact *facts = *(struct fact **)jsv_stack_item(&prepare->firsts, i);
        bool decides;
        r = decide(prepare, facts, all, &names[count], &decides);
        keys[count] = facts->key;
        count += decides;
    }
    if (r < 0 || count == 0 || !afford(prepare, 2 * (uint64_t)count * SLOT_COST)) {
        return r;
    }
    return use_names(prepare, choice, keys, names, count);
}

int jsv_choices_prepare(
    struct jsv_schema *schema, const struct jsv_shape *shapes, struct jsv_op *ops, size_t count)
{
    struct prepare prepare = {
        .schema = schema,
        .shapes = shapes,
        .cost_left = COST_MIN + COST_PER_OP * (uint64_t)count,
    };
    jsv_arena_init(&prepare.scratch, &schema->allocator, schema->arena.budget);
    int r = 0;
    for (size_t i = 0; i < count && r == 0 && prepare.cost_left; i++) {
        enum jsv_op_code code = ops[i].code;
        if (code != JSV_OP_ANY_OF && code != JSV_OP_ONE_OF && code != JSV_OP_NONE_OF) {
            continue;
        }
        struct jsv_choice *choice = (struct jsv_choice *)(uintptr_t)ops[i].data;
        if (!choice->names) {
            r = prepare_choice(&prepare, choice);
            jsv_arena_reset(&prepare.scratch);
        }
    }
    if (schema->arena.refused || prepare.scratch.refused) {
        schema->arena.refused = false;
        r = 0; /* the other choices are made by running their alternatives */
    }
    jsv_arena_done(&prepare.scratch);
    return r;
}
