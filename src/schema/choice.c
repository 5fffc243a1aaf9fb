/*
 * Alternatives mostly differ in something plain: one needs a member that the
 * other does not, or a member called "type" or "method" holds another string.
 * One pass over an object's members then rules out all but one alternative,
 * and only that one has to be run.
 *
 * Every alternative's operations say, for some names, whether a member must be
 * there and what it may be. Facts about the same name are put together; a name
 * whose facts are the same for all alternatives decides nothing and is left
 * out.
 */
#include "schema/choice.h"

#include <errno.h>
#include <string.h>

#include "json/stack.h"

/* Lists that lead to lists that lead to objects; looking further has not paid. */
#define DEPTH_MAX 4

/* Facts of one choice; more than a page of schema brings together. */
#define FACTS_MAX 4096

/* What one alternative says of one name. */
struct fact {
    struct jsv_key key;
    uint32_t alternative;
    uint32_t shape; /* of the member's value */
    bool required;
    bool listed; /* the shape counts */
    bool grouped;
};

struct prepare {
    struct jsv_schema *schema;
    const struct jsv_shape *shapes;
    struct jsv_arena scratch;
    struct jsv_stack facts; /* struct fact */
};

static const struct jsv_op *ops_of(const struct prepare *prepare, uint32_t at)
{
    return &prepare->schema->program->ops[at];
}

static const struct jsv_shape *shape_of(const struct prepare *prepare, uint32_t shape)
{
    return &prepare->shapes[shape];
}

/* ---- facts ---- */

static struct jsv_key key_of(const struct jsv_name_slot *slot)
{
    return (struct jsv_key){
        .head = slot->head,
        .prefix = slot->prefix,
        .text = {slot->text, slot->head >> JSV_NODE_SIZE_SHIFT},
    };
}

static int
add_object_facts(struct prepare *prepare, const struct jsv_object *object, uint32_t alternative)
{
    struct jsv_name_slot *slot = NULL;
    while ((slot = jsv_names_next(&object->names, slot))) {
        struct fact *fact = jsv_stack_push(&prepare->facts, 1);
        if (!fact) {
            return -ENOMEM;
        }
        *fact = (struct fact){
            .key = key_of(slot),
            .alternative = alternative,
            .shape = slot->at,
            .required = slot->info >> JSV_NAME_REQUIRED_SHIFT,
            .listed = slot->info & JSV_NAME_LISTED,
        };
    }
    return 0;
}

static int add_facts(struct prepare *prepare, uint32_t at, uint32_t alternative, unsigned depth)
{
    for (const struct jsv_op *op = ops_of(prepare, at); op->code != JSV_OP_PASS; op++) {
        int r = 0;
        if (op->code == JSV_OP_OBJECT || op->code == JSV_OP_OBJECT_FEW) {
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

/* All facts about one name. */
struct group {
    const struct fact **facts;
    uint32_t count;
};

static bool keys_equal(const struct jsv_key *a, const struct jsv_key *b)
{
    return a->head == b->head && a->prefix == b->prefix && jsv_str_equal(a->text, b->text);
}

/* Take the facts about the same name as the given one, which is the first. */
static struct group gather_group(struct prepare *prepare, size_t first, const struct fact **room)
{
    struct group group = {room, 0};
    const struct fact *leader = jsv_stack_item(&prepare->facts, first);
    for (size_t i = first; i < prepare->facts.count; i++) {
        struct fact *fact = jsv_stack_item(&prepare->facts, i);
        if (!fact->grouped && keys_equal(&fact->key, &leader->key)) {
            fact->grouped = true;
            group.facts[group.count++] = fact;
        }
    }
    return group;
}

/* The strings a shape allows, when it lists them; NULL when it does not. */
static const struct jsv_names_table *strings_of(const struct prepare *prepare, uint32_t shape)
{
    const struct jsv_op *op = ops_of(prepare, shape_of(prepare, shape)->at[JSV_TYPE_STRING]);
    for (; op->code != JSV_OP_PASS; op++) {
        if (op->code == JSV_OP_STRING_IN) {
            return op->data;
        }
    }
    return NULL;
}

/* Append a table's names to a list that holds each once. */
static int add_strings(struct jsv_stack *strings, const struct jsv_names_table *table)
{
    struct jsv_name_slot *slot = NULL;
    while ((slot = jsv_names_next(table, slot))) {
        struct jsv_key key = key_of(slot);
        bool known = false;
        for (size_t j = 0; j < strings->count && !known; j++) {
            known = keys_equal(jsv_stack_item(strings, j), &key);
        }
        if (known) {
            continue;
        }
        struct jsv_key *place = jsv_stack_push(strings, 1);
        if (!place) {
            return -ENOMEM;
        }
        *place = key;
    }
    return 0;
}

/* Which alternatives go with which string. */
static int decide_strings(
    struct prepare *prepare, const struct group *group, uint64_t all, struct jsv_choice_name *name)
{
    struct jsv_stack strings = jsv_stack_on(&prepare->scratch, sizeof(struct jsv_key));
    name->other_strings = all;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct fact *fact = group->facts[i];
        const struct jsv_names_table *table =
            fact->listed ? strings_of(prepare, fact->shape) : NULL;
        if (table) {
            name->other_strings &= ~(1ull << fact->alternative);
            int r = add_strings(&strings, table);
            if (r < 0) {
                return r;
            }
        }
    }
    if (strings.count == 0) {
        return 0;
    }
    struct jsv_arena *arena = &prepare->schema->arena;
    struct jsv_names_table *table = jsv_arena_alloc(arena, sizeof(*table));
    uint64_t *by_string = jsv_arena_array(arena, strings.count, sizeof(*by_string));
    const struct jsv_key *keys = (const struct jsv_key *)(const void *)strings.items;
    if (!table || !by_string) {
        return -ENOMEM;
    }
    for (size_t s = 0; s < strings.count; s++) {
        by_string[s] = all;
        for (uint32_t i = 0; i < group->count; i++) {
            const struct fact *fact = group->facts[i];
            const struct jsv_names_table *allowed =
                fact->listed ? strings_of(prepare, fact->shape) : NULL;
            if (allowed && !jsv_names_has(allowed, &keys[s])) {
                by_string[s] &= ~(1ull << fact->alternative);
            }
        }
    }
    name->strings = table;
    name->by_string = by_string;
    return jsv_names_build(table, arena, &prepare->scratch, keys, (uint32_t)strings.count);
}

/* Put the facts about a name together. *ret_decides: whether they tell alternatives apart. */
static int decide(
    struct prepare *prepare,
    const struct group *group,
    uint64_t all,
    struct jsv_choice_name *name,
    bool *ret_decides)
{
    *name = (struct jsv_choice_name){.without = all};
    *ret_decides = false;
    for (enum jsv_type type = JSV_TYPE_NULL; type <= JSV_TYPE_OBJECT; type++) {
        name->by_type[type] = all;
        for (uint32_t i = 0; i < group->count; i++) {
            const struct fact *fact = group->facts[i];
            if (fact->listed && shape_of(prepare, fact->shape)->at[type] == JSV_AT_FAIL) {
                name->by_type[type] &= ~(1ull << fact->alternative);
            }
        }
        /* what suits none or all tells nothing apart */
        *ret_decides |= name->by_type[type] != all && name->by_type[type] != 0;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        if (group->facts[i]->required) {
            name->without &= ~(1ull << group->facts[i]->alternative);
        }
    }
    *ret_decides |= name->without != all;
    int r = decide_strings(prepare, group, all, name);
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
    memcpy(entries, names, count * sizeof(*entries));
    choice->names = table;
    choice->entries = entries;
    return jsv_names_build(table, arena, &prepare->scratch, keys, count);
}

static int prepare_choice(struct prepare *prepare, struct jsv_choice *choice)
{
    prepare->facts = jsv_stack_on(&prepare->scratch, sizeof(struct fact));
    for (uint32_t i = 0; i < choice->count; i++) {
        int r = add_facts(prepare, choice->at[i], i, 0);
        if (r < 0) {
            return r;
        }
    }
    size_t fact_count = prepare->facts.count;
    if (fact_count == 0 || fact_count > FACTS_MAX) {
        return 0;
    }
    const struct fact **room = jsv_arena_array(&prepare->scratch, fact_count, sizeof(*room));
    if (!room) {
        return -ENOMEM;
    }
    uint64_t all = choice->count == JSV_CHOICE_MAX ? UINT64_MAX : (1ull << choice->count) - 1;
    struct jsv_choice_name names[64];
    struct jsv_key keys[64];
    uint32_t count = 0;
    for (size_t i = 0; i < fact_count && count < 64; i++) {
        const struct fact *fact = jsv_stack_item(&prepare->facts, i);
        if (fact->grouped) {
            continue;
        }
        struct group group = gather_group(prepare, i, room);
        bool decides;
        int r = decide(prepare, &group, all, &names[count], &decides);
        if (r < 0) {
            return r;
        }
        keys[count] = fact->key;
        count += decides;
    }
    return count ? use_names(prepare, choice, keys, names, count) : 0;
}

int jsv_choices_prepare(
    struct jsv_schema *schema, const struct jsv_shape *shapes, struct jsv_op *ops, size_t count)
{
    struct prepare prepare = {.schema = schema, .shapes = shapes};
    jsv_arena_init(&prepare.scratch, &schema->allocator, schema->arena.budget);
    int r = 0;
    for (size_t i = 0; i < count && r == 0; i++) {
        enum jsv_op_code code = ops[i].code;
        if (code != JSV_OP_ANY_OF && code != JSV_OP_ONE_OF && code != JSV_OP_NONE_OF) {
            continue;
        }
        struct jsv_choice *choice = (struct jsv_choice *)(uintptr_t)ops[i].data;
        if (choice->count <= JSV_CHOICE_MAX && !choice->names) {
            r = prepare_choice(&prepare, choice);
            jsv_arena_reset(&prepare.scratch);
        }
    }
    jsv_arena_done(&prepare.scratch);
    return r;
}
