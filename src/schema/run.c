/*
 * Running a program: the verdict alone, as fast as it can be had.
 *
 * A value is checked by looking up where its shape begins for values of its
 * type. Often that is "pass" or "fail" and nothing is called. Otherwise the
 * first operation of the list there is called; one that holds ends in calling
 * the next, which compilers turn into a jump, and the last one passes. So
 * recursion is left for values inside values and schemas inside schemas, and
 * that is bounded by the validator's depth.
 *
 * What cannot be decided (a limit is hit, memory runs out) is an error in the
 * validator, and every check then fails; the verdict counts only when there
 * was none.
 */
#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "json/value.h"
#include "schema/explain.h"
#include "schema/program.h"
#include "schema/steps.h"
#include "schema/unique.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)

struct jsv_run {
    const struct jsv_document *document;
    const struct jsv_entry *entries;
    const struct jsv_op *ops;
    int64_t steps;  /* left; gone when it is 0 or less */
    uint32_t depth; /* levels left */
    struct jsv_validator *validator;
    const struct jsv_schema *schema;
};

/* Go on with the next operation when this one holds. */
#define NEXT_IF(holds) return LIKELY(holds) && op[1].run(run, op + 1, node)

static __attribute__((cold, noinline)) bool give_up(struct jsv_run *run, int error)
{
    if (!run->validator->error) {
        run->validator->error = error;
    }
    run->steps = 0; /* the next step gives up too */
    return false;
}

/* 1 and 0 are verdicts, anything negative is an error. */
ALWAYS_INLINE bool verdict_or_give_up(struct jsv_run *run, int r)
{
    return UNLIKELY(r < 0) ? give_up(run, r) : r;
}

/*
 * Begin something that may recurse, and end it when it holds. What fails
 * returns at once; whoever goes on after a failure puts the depth back.
 */
ALWAYS_INLINE bool enter(struct jsv_run *run)
{
    if (UNLIKELY(--run->steps <= 0 || run->depth == 0)) {
        return give_up(run, -ELOOP);
    }
    run->depth--;
    return true;
}

/* The same for what looks at every element or member: more steps for many. */
ALWAYS_INLINE bool enter_all(struct jsv_run *run, const struct jsv_node *container)
{
    run->steps -= (int64_t)jsv_steps_for_contents(container);
    return enter(run);
}

/* Take steps for work whose size the document or the schema decides. */
ALWAYS_INLINE bool charge(struct jsv_run *run, uint64_t steps)
{
    run->steps -= (int64_t)steps;
    return LIKELY(run->steps > 0) || give_up(run, -ELOOP);
}

ALWAYS_INLINE void leave(struct jsv_run *run)
{
    run->depth++;
}

ALWAYS_INLINE bool is_written_as_integer(const struct jsv_node *node)
{
    return !(jsv_node_flags(node) & JSV_NODE_DECIMAL);
}

ALWAYS_INLINE bool run_list(struct jsv_run *run, uint32_t at, const struct jsv_node *node)
{
    const struct jsv_op *op = &run->ops[at];
    return op->run(run, op, node);
}

/* The same for one of several attempts, the others of which count too. */
ALWAYS_INLINE bool try_list(struct jsv_run *run, uint32_t at, const struct jsv_node *node)
{
    uint32_t depth = run->depth;
    bool holds = run_list(run, at, node);
    run->depth = depth;
    return holds;
}

/* Check a value by its shape. */
ALWAYS_INLINE bool run_shape(struct jsv_run *run, uint32_t shape, const struct jsv_node *node)
{
    const struct jsv_op *op = run->entries[shape].op[jsv_node_type(node)];
    return op->run(run, op, node);
}

ALWAYS_INLINE bool passes(unsigned types, const struct jsv_node *node)
{
    return types >> jsv_node_type(node) & 1;
}

#define OP(name)                                                                                   \
    static bool op_##name(struct jsv_run *run, const struct jsv_op *op, const struct jsv_node *node)

static uint64_t memo_key(const struct jsv_run *run, uint32_t at, const struct jsv_node *node)
{
    return (uint64_t)at << 32 | (uint64_t)(node - jsv_document_nodes(run->document));
}

/* ---- any value ---- */

OP(pass)
{
    (void)run;
    (void)op;
    (void)node;
    return true;
}

OP(fail)
{
    (void)run;
    (void)op;
    (void)node;
    return false;
}

OP(call)
{
    if (!enter(run)) {
        return false;
    }
    bool holds = run_shape(run, op->at, node);
    leave(run);
    NEXT_IF(holds);
}

OP(run)
{
    if (!enter(run)) {
        return false;
    }
    bool holds = run_list(run, op->at, node);
    leave(run);
    NEXT_IF(holds);
}

OP(once)
{
    uint64_t key = memo_key(run, op->at, node);
    struct jsv_memo *memo = jsv_memo_slot(run->validator, key);
    if (jsv_memo_holds(run->validator, memo, key)) {
        NEXT_IF(memo->round & 1);
    }
    if (!enter(run)) {
        return false;
    }
    bool holds = run_list(run, op->at, node);
    jsv_memo_set(run->validator, memo, key, holds);
    leave(run);
    NEXT_IF(holds);
}

OP(not )
{
    if (!enter(run)) {
        return false;
    }
    bool holds = try_list(run, op->at, node);
    leave(run);
    NEXT_IF(!holds);
}

OP(if)
{
    const struct jsv_condition *condition = op->data;
    if (!enter(run)) {
        return false;
    }
    bool holds = try_list(run, condition->at_if, node);
    holds = run_list(run, holds ? condition->at_then : condition->at_else, node);
    leave(run);
    NEXT_IF(holds);
}

OP(equal)
{
    const struct jsv_equals *equals = op->data;
    struct jsv_value value = {run->document, node};
    if (!charge(run, jsv_steps_for_equality(node, equals->count))) {
        return false;
    }
    for (uint32_t i = 0; i < equals->count; i++) {
        struct jsv_value expected = {equals->document, equals->values[i]};
        int r = jsv_equality_test(&run->validator->equality, value, expected);
        if (r != 0) {
            NEXT_IF(verdict_or_give_up(run, r));
        }
    }
    return false;
}

OP(explain)
{
    struct jsv_value value = {run->document, node};
    struct jsv_scope scope = {NULL, run->schema->root->resource};
    run->validator->steps = (uint64_t)(run->steps > 0 ? run->steps : 0);
    run->validator->depth = run->validator->limits.depth_max - run->depth;
    int r = jsv_explain_verdict(run->schema, op->data, &scope, value, run->validator);
    run->steps = (int64_t)run->validator->steps;
    NEXT_IF(verdict_or_give_up(run, r));
}

/* ---- scalars ---- */

OP(boolean)
{
    NEXT_IF(node->body == op->word);
}

OP(integer)
{
    if (LIKELY(is_written_as_integer(node))) {
        NEXT_IF(true);
    }
    if (!charge(run, jsv_steps_for_number(node))) {
        return false;
    }
    struct jsv_number number = jsv_value_number((struct jsv_value){run->document, node});
    NEXT_IF(jsv_number_is_integer(&number));
}

OP(integer_strict)
{
    NEXT_IF(is_written_as_integer(node));
}

OP(bound)
{
    const struct jsv_bounds *bounds = op->data;
    if (!charge(run, jsv_steps_for_number(node))) {
        return false;
    }
    struct jsv_number number = jsv_value_number((struct jsv_value){run->document, node});
    if (bounds->has_min) {
        int order = jsv_number_compare(&number, &bounds->min);
        if (order < 0 || (order == 0 && bounds->min_exclusive)) {
            return false;
        }
    }
    if (bounds->has_max) {
        int order = jsv_number_compare(&number, &bounds->max);
        if (order > 0 || (order == 0 && bounds->max_exclusive)) {
            return false;
        }
    }
    NEXT_IF(true);
}

OP(int_bound)
{
    const struct jsv_bounds *bounds = op->data;
    unsigned odd = JSV_NODE_DECIMAL | JSV_NODE_BIG;
    if (UNLIKELY((jsv_node_flags(node) & odd) || node->body > INT64_MAX)) {
        return op_bound(run, op, node);
    }
    int64_t value = (int64_t)node->body;
    value = jsv_node_flags(node) & JSV_NODE_NEGATIVE ? -value : value;
    NEXT_IF(value >= bounds->int_min && value <= bounds->int_max);
}

OP(multiple_of)
{
    struct jsv_number number = jsv_value_number((struct jsv_value){run->document, node});
    if (!charge(run, jsv_steps_for_division(&number, op->data))) {
        return false;
    }
    NEXT_IF(jsv_number_multiple_of(&number, op->data));
}

OP(string_in)
{
    NEXT_IF(jsv_names_find(op->data, run->document, node) != JSV_NAME_NONE);
}

/* Bytes bound the number of characters from both sides; they are counted only in between. */
OP(length)
{
    const struct jsv_range *range = op->data;
    uint64_t size = jsv_string_size(node);
    uint64_t fewest = (size + 3) / 4;
    if (size < range->min || fewest > range->max) {
        return false;
    }
    if (fewest < range->min || size > range->max) {
        if (!charge(run, jsv_steps_for_text(size))) {
            return false;
        }
        uint64_t count = jsv_utf8_count(jsv_string_text(run->document, node));
        NEXT_IF(count >= range->min && count <= range->max);
    }
    NEXT_IF(true);
}

ALWAYS_INLINE bool
search(struct jsv_run *run, const struct jsv_regex *regex, const struct jsv_node *string)
{
    struct jsv_str text = jsv_string_text(run->document, string);
    int r = jsv_regex_search(regex, text, run->validator->regex);
    bool verdict = verdict_or_give_up(run, r == -ELOOP ? -ETIME : r);
    return charge(run, jsv_steps_for_search(text.size, run->validator->regex_cost)) && verdict;
}

OP(pattern)
{
    NEXT_IF(search(run, op->data, node));
}

OP(format)
{
    struct jsv_str text = jsv_string_text(run->document, node);
    if (!charge(run, jsv_steps_for_text(text.size))) {
        return false;
    }
    NEXT_IF(verdict_or_give_up(run, jsv_format_valid((enum jsv_format)op->word, text)));
}

/* ---- arrays ---- */

OP(count)
{
    const struct jsv_range *range = op->data;
    size_t count = jsv_node_count(node);
    NEXT_IF(count >= range->min && count <= range->max);
}

OP(unique)
{
    size_t equal[2];
    struct jsv_value value = {run->document, node};
    if (!charge(run, jsv_node_skip(node))) {
        return false;
    }
    int r = jsv_unique_test(&run->validator->unique, value, equal);
    NEXT_IF(verdict_or_give_up(run, r));
}

OP(items)
{
    const struct jsv_node *end = jsv_node_next(node);
    unsigned types = (unsigned)op->word;
    if (!enter_all(run, node)) {
        return false;
    }
    for (const struct jsv_node *item = node + 1; item < end; item = jsv_node_next(item)) {
        if (!passes(types, item) && !run_shape(run, op->at, item)) {
            return false;
        }
    }
    leave(run);
    NEXT_IF(true);
}

OP(tuple)
{
    const struct jsv_tuple *tuple = op->data;
    const struct jsv_node *end = jsv_node_next(node);
    const struct jsv_node *item = node + 1;
    if (!enter_all(run, node)) {
        return false;
    }
    for (uint32_t i = 0; item < end; i++, item = jsv_node_next(item)) {
        if (!run_shape(run, i < tuple->count ? tuple->shapes[i] : tuple->rest, item)) {
            return false;
        }
    }
    leave(run);
    NEXT_IF(true);
}

ALWAYS_INLINE bool contains_enough(
    struct jsv_run *run, const struct jsv_contains *contains, const struct jsv_node *array)
{
    const struct jsv_node *end = jsv_node_next(array);
    uint64_t found = 0;
    for (const struct jsv_node *item = array + 1; item < end; item = jsv_node_next(item)) {
        uint32_t depth = run->depth;
        found += run_shape(run, contains->shape, item);
        run->depth = depth;
        if (found > contains->max) {
            return false;
        }
        if (found >= contains->min && contains->max == UINT64_MAX) {
            return true;
        }
    }
    return found >= contains->min;
}

OP(contains)
{
    if (!enter_all(run, node)) {
        return false;
    }
    bool holds = contains_enough(run, op->data, node);
    leave(run);
    NEXT_IF(holds);
}

/* ---- objects ---- */

/* A member that `properties` does not list: by the patterns, else as an extra one. */
static bool run_unlisted(
    struct jsv_run *run, const struct jsv_object *object, const struct jsv_node *key, bool listed)
{
    bool spoken_of = listed;
    for (uint32_t i = 0; i < object->pattern_count; i++) {
        const struct jsv_object_pattern *pattern = &object->patterns[i];
        if (!search(run, pattern->regex, key)) {
            if (UNLIKELY(run->validator->error)) {
                return false;
            }
            continue;
        }
        spoken_of = true;
        if (!run_shape(run, pattern->shape, key + 1)) {
            return false;
        }
    }
    return spoken_of || run_shape(run, object->extra, key + 1);
}

OP(object)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_node_next(node);
    uint32_t required = 0;
    if (!enter_all(run, node)) {
        return false;
    }
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        const struct jsv_name_slot *name = jsv_names_slot(&object->names, run->document, key);
        if (!name) {
            if (object->open || run_unlisted(run, object, key, false)) {
                continue;
            }
            return false;
        }
        uint32_t info = name->info;
        required += info >> JSV_NAME_REQUIRED_SHIFT;
        if (!passes(info, key + 1) && !run_shape(run, name->at, key + 1)) {
            return false;
        }
        if (UNLIKELY(info & JSV_NAME_MORE) &&
            !run_unlisted(run, object, key, info & JSV_NAME_LISTED)) {
            return false;
        }
    }
    leave(run);
    NEXT_IF(required == object->required_count);
}

/* Names of an open object: once all are met, the other members need no look. */
OP(object_few)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_node_next(node);
    uint32_t missing = object->names.count;
    uint32_t required = 0;
    if (!enter_all(run, node)) {
        return false;
    }
    for (const struct jsv_node *key = node + 1; key < end && missing;
         key = jsv_node_next(key + 1)) {
        const struct jsv_name_slot *name = object->few;
        if (!jsv_name_is(name, run->document, key) && !jsv_name_is(++name, run->document, key)) {
            continue;
        }
        missing--;
        required += name->info >> JSV_NAME_REQUIRED_SHIFT;
        if (!passes(name->info, key + 1) && !run_shape(run, name->at, key + 1)) {
            return false;
        }
    }
    leave(run);
    NEXT_IF(required == object->required_count);
}

OP(names)
{
    const struct jsv_node *end = jsv_node_next(node);
    if (!enter_all(run, node)) {
        return false;
    }
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        if (!run_list(run, op->at, key)) {
            return false;
        }
    }
    leave(run);
    NEXT_IF(true);
}

static bool
has_member(const struct jsv_run *run, const struct jsv_node *object, const struct jsv_key *name)
{
    const struct jsv_node *end = jsv_node_next(object);
    for (const struct jsv_node *key = object + 1; key < end; key = jsv_node_next(key + 1)) {
        if (jsv_key_equals_node(name, run->document, key)) {
            return true;
        }
    }
    return false;
}

OP(dependency)
{
    const struct jsv_dependent *dependent = op->data;
    uint64_t looks = 1 + (dependent->names ? dependent->names->count : 0);
    if (!charge(run, looks * jsv_steps_for_contents(node))) {
        return false;
    }
    if (!has_member(run, node, &dependent->key)) {
        NEXT_IF(true);
    }
    if (!dependent->names) {
        if (!enter(run)) {
            return false;
        }
        bool holds = run_list(run, dependent->at, node);
        leave(run);
        NEXT_IF(holds);
    }
    for (uint32_t i = 0; i < dependent->names->count; i++) {
        if (!has_member(run, node, &dependent->names->items[i])) {
            return false;
        }
    }
    NEXT_IF(true);
}

/* ---- alternatives ---- */

/* The alternatives that an object may still fit, as bits, by a look at its members. */
static uint64_t
candidates(struct jsv_run *run, const struct jsv_choice *choice, const struct jsv_node *node)
{
    uint64_t left = choice->count == JSV_CHOICE_MAX ? UINT64_MAX : (1ull << choice->count) - 1;
    if (!choice->names || jsv_node_type(node) != JSV_TYPE_OBJECT) {
        return left;
    }
    run->steps -= (int64_t)jsv_steps_for_contents(node);
    uint64_t absent = choice->names->count == 64 ? UINT64_MAX : (1ull << choice->names->count) - 1;
    const struct jsv_node *end = jsv_node_next(node);
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        uint32_t index = jsv_names_find(choice->names, run->document, key);
        if (index == JSV_NAME_NONE) {
            continue;
        }
        const struct jsv_choice_name *name = &choice->entries[index];
        const struct jsv_node *value = key + 1;
        absent &= ~(1ull << index);
        left &= name->by_type[jsv_node_type(value)];
        if (name->strings && jsv_node_type(value) == JSV_TYPE_STRING) {
            uint32_t string = jsv_names_find(name->strings, run->document, value);
            left &= string == JSV_NAME_NONE ? name->other_strings : name->by_string[string];
        }
    }
    for (; absent; absent &= absent - 1) {
        left &= choice->entries[__builtin_ctzll(absent)].without;
    }
    return left;
}

/* How many of the candidates fit, up to `enough`. */
static unsigned count_fitting(
    struct jsv_run *run,
    const struct jsv_choice *choice,
    uint64_t left,
    unsigned enough,
    const struct jsv_node *node)
{
    unsigned found = 0;
    for (; left && found < enough; left &= left - 1) {
        found += try_list(run, choice->at[__builtin_ctzll(left)], node);
    }
    return found;
}

/* Several alternatives are left: run them, or remember what came of it the last time. */
static bool run_several(
    struct jsv_run *run, const struct jsv_op *op, uint64_t left, const struct jsv_node *node)
{
    const struct jsv_choice *choice = op->data;
    bool remember = jsv_node_is_container(node);
    uint64_t key = JSV_MEMO_CHOICE | memo_key(run, (uint32_t)(op - run->ops), node);
    struct jsv_memo *memo = jsv_memo_slot(run->validator, key);
    if (remember && jsv_memo_holds(run->validator, memo, key)) {
        return memo->round & 1;
    }
    unsigned found = count_fitting(run, choice, left, op->code == JSV_OP_ONE_OF ? 2 : 1, node);
    bool verdict = op->code == JSV_OP_NONE_OF ? found == 0 : found == 1;
    if (remember) {
        jsv_memo_set(run->validator, memo, key, verdict);
    }
    return verdict;
}

/* Whether at least one, or exactly one, of the alternatives fits. */
ALWAYS_INLINE bool
run_choice(struct jsv_run *run, const struct jsv_op *op, const struct jsv_node *node)
{
    const struct jsv_choice *choice = op->data;
    uint64_t left = candidates(run, choice, node);
    if (left == 0) {
        return false;
    }
    if (!enter(run)) {
        return false;
    }
    bool holds = left & (left - 1) ? run_several(run, op, left, node)
                                   : run_list(run, choice->at[__builtin_ctzll(left)], node);
    leave(run);
    NEXT_IF(holds);
}

OP(any_of)
{
    return run_choice(run, op, node);
}

OP(one_of)
{
    return run_choice(run, op, node);
}

OP(none_of)
{
    uint64_t left = candidates(run, op->data, node);
    if (left == 0) {
        NEXT_IF(true);
    }
    if (!enter(run)) {
        return false;
    }
    bool holds = run_several(run, op, left, node);
    leave(run);
    NEXT_IF(holds);
}

/* ---- the whole ---- */

jsv_op_function *const jsv_op_functions[] = {
#define X(constant, function, carries) [JSV_OP_##constant] = op_##function,
    JSV_OPS(X)
#undef X
};

int jsv_validate(
    const struct jsv_schema *schema, struct jsv_value value, struct jsv_validator *validator)
{
    if (!value.node) {
        return -EINVAL;
    }
    jsv_validator_start(validator, value.node);
    const struct jsv_program *program = schema->program;
    struct jsv_run run = {
        .document = value.document,
        .entries = program->entries,
        .ops = program->ops,
        .steps = (int64_t)validator->steps,
        .depth = validator->limits.depth_max,
        .validator = validator,
        .schema = schema,
    };
    bool verdict = run_shape(&run, program->root, value.node);
    return validator->error ? validator->error : verdict;
}
