/*
 * Running a program: the verdict alone, as fast as possible.
 *
 * The shape of a value gives the first operation for its type, often PASS or
 * FAIL. The operations of the list there run one after the other. Operations
 * on the contents of arrays and objects are in container.c.
 */
#include "jsv/schema/run/run.h"

#include "jsv/base/utf8.h"
#include "jsv/json/node.h"
#include "jsv/schema/numbers.h"
#include "jsv/schema/report/explain.h"

bool jsv_run_out(struct jsv_validator *run)
{
    return jsv_run_give_up(run, -ELOOP);
}

bool jsv_run_give_up(struct jsv_validator *run, int error)
{
    if (!run->error) {
        run->error = error;
    }
    run->steps = 0;
    return false;
}

bool jsv_run_settle_search(struct jsv_validator *run, int r)
{
    uint64_t steps = jsv_steps_for_matching(run->regex_cost);
    if (r < 0 && r != -ELOOP) {
        return jsv_run_give_up(run, r);
    }
    if (!charge(run, steps)) {
        return jsv_run_out(run);
    }
    return r < 0 ? jsv_run_give_up(run, -ETIME) : r;
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

OP(charge)
{
    NEXT_IF(charge(run, op->word) || jsv_run_out(run));
}

OP(call)
{
    if (!enter(run)) {
        return jsv_run_out(run);
    }
    bool holds = run_shape(run, op->at, node);
    leave(run);
    NEXT_IF(holds);
}

OP(run)
{
    if (!enter(run)) {
        return jsv_run_out(run);
    }
    bool holds = run_list(run, op->at, node);
    leave(run);
    NEXT_IF(holds);
}

OP(once)
{
    uint64_t key = memo_key(run, op->at, node);
    struct jsv_memo *memo = jsv_memo_slot(run, key);
    if (jsv_memo_holds(run, memo, key)) {
        NEXT_IF(memo->round & 1);
    }
    if (!enter(run)) {
        return jsv_run_out(run);
    }
    bool holds = run_list(run, op->at, node);
    jsv_memo_set(run, memo, key, holds);
    leave(run);
    NEXT_IF(holds);
}

OP(not )
{
    if (!enter(run)) {
        return jsv_run_out(run);
    }
    bool holds = try_list(run, op->at, node);
    leave(run);
    NEXT_IF(!holds);
}

OP(if)
{
    const struct jsv_condition *condition = op->data;
    if (!enter(run)) {
        return jsv_run_out(run);
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
    for (uint32_t i = 0; i < equals->count; i++) {
        struct jsv_value expected = {equals->document, equals->values[i]};
        if (!charge(run, 1 + jsv_steps_for_pair(node, expected.node))) {
            return jsv_run_out(run);
        }
        int r = jsv_equality_test(&run->equality, value, expected);
        if (r != 0) {
            NEXT_IF(verdict_or_give_up(run, r));
        }
    }
    return false;
}

OP(explain)
{
    struct jsv_value value = {run->document, node};
    struct jsv_scope scope = {NULL, run->program->schema->root->resource};
    int r = jsv_explain_verdict(run->program->schema, op->data, &scope, value, run);
    NEXT_IF(verdict_or_give_up(run, r));
}

/* ---- scalars ---- */

ALWAYS_INLINE bool is_written_as_integer(const struct jsv_node *node)
{
    return !(jsv_node_flags(node) & JSV_NODE_DECIMAL);
}

/* An integer whose magnitude is the node's body. */
ALWAYS_INLINE bool is_plain_integer(const struct jsv_node *node)
{
    return !(jsv_node_flags(node) & (JSV_NODE_DECIMAL | JSV_NODE_BIG));
}

OP(boolean)
{
    NEXT_IF(node->body == op->word);
}

/* A number written with a fraction or an exponent may be an integer as well. */
static __attribute__((noinline)) OP(integer_by_value)
{
    if (!charge(run, jsv_steps_for_number(node))) {
        return jsv_run_out(run);
    }
    struct jsv_number number = jsv_value_number((struct jsv_value){run->document, node});
    NEXT_IF(jsv_number_is_integer(&number));
}

OP(integer)
{
    if (UNLIKELY(!is_written_as_integer(node))) {
        return jsv_op_integer_by_value(run, op, node);
    }
    NEXT_IF(true);
}

OP(integer_strict)
{
    NEXT_IF(is_written_as_integer(node));
}

OP(bound)
{
    const struct jsv_bounds *bounds = op->data;
    if (!charge(run, jsv_steps_for_number(node))) {
        return jsv_run_out(run);
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

/* An integer times 10^places; what does not fit is the end of the range that it lies beyond. */
ALWAYS_INLINE int64_t scaled(int64_t integer, int places)
{
    int64_t product;
    if (UNLIKELY(__builtin_mul_overflow(integer, (int64_t)jsv_power_ten[places], &product))) {
        return integer < 0 ? INT64_MIN : INT64_MAX;
    }
    return product;
}

/*
 * A number with a few digits behind the point, and bounds that are integers:
 * all are taken times a power of ten, so that the number is an integer, too. It
 * must not be the end of the range, which stands for what lies beyond.
 */
static OP(decimal_bound)
{
    const struct jsv_bounds *bounds = op->data;
    int places = -jsv_number_exponent(node);
    bool few = places > 0 && places < JSV_POWER_TEN_MAX;
    if (!few || jsv_node_flags(node) & JSV_NODE_BIG || node->body >= INT64_MAX) {
        return jsv_op_bound(run, op, node);
    }
    if (!charge(run, jsv_steps_for_number(node))) {
        return jsv_run_out(run);
    }
    int64_t value = (int64_t)node->body;
    value = jsv_node_flags(node) & JSV_NODE_NEGATIVE ? -value : value;
    int over = bounds->min_exclusive;
    int under = bounds->max_exclusive;
    NEXT_IF(
        value - over >= scaled(bounds->int_min - over, places) &&
        value + under <= scaled(bounds->int_max + under, places));
}

OP(int_bound)
{
    const struct jsv_bounds *bounds = op->data;
    if (!is_plain_integer(node) || UNLIKELY(node->body > INT64_MAX)) {
        return jsv_op_decimal_bound(run, op, node);
    }
    int64_t value = (int64_t)node->body;
    value = jsv_node_flags(node) & JSV_NODE_NEGATIVE ? -value : value;
    NEXT_IF(value >= bounds->int_min && value <= bounds->int_max);
}

OP(multiple_of)
{
    const struct jsv_number *divisor = op->data;
    if (LIKELY(is_plain_integer(node) && !divisor->big && divisor->exponent == 0)) {
        NEXT_IF(node->body % divisor->significand == 0);
    }
    if (!charge(run, jsv_steps_for_number(node))) {
        return jsv_run_out(run);
    }
    struct jsv_number number = jsv_value_number((struct jsv_value){run->document, node});
    if (!charge(run, jsv_steps_for_division(&number, divisor))) {
        return jsv_run_out(run);
    }
    NEXT_IF(jsv_number_multiple_of(&number, divisor));
}

OP(number_in)
{
    const struct jsv_numbers *numbers = op->data;
    if (LIKELY(numbers->plain && is_plain_integer(node))) {
        bool negative = jsv_node_flags(node) & JSV_NODE_NEGATIVE;
        NEXT_IF(jsv_numbers_have_integer(numbers, node->body, negative));
    }
    if (!charge(run, 1 + jsv_steps_for_number(node))) {
        return jsv_run_out(run);
    }
    struct jsv_number number = jsv_value_number((struct jsv_value){run->document, node});
    NEXT_IF(jsv_numbers_have(numbers, &number));
}

OP(string_is)
{
    const struct jsv_names_table *table = op->data;
    NEXT_IF(jsv_name_has_start(&table->slots[op->at], node));
}

OP(string_in)
{
    NEXT_IF(jsv_names_slot(op->data, run->document, node));
}

OP(string_in_long)
{
    if (!charge(run, jsv_steps_for_long_text(jsv_string_size(node)))) {
        return jsv_run_out(run);
    }
    NEXT_IF(jsv_names_slot(op->data, run->document, node));
}

/* So many bytes that only counting tells how many characters. */
static __attribute__((noinline)) OP(length_counted)
{
    const struct jsv_range *range = op->data;
    struct jsv_str text = jsv_string_text(run->document, node);
    if (!charge(run, jsv_steps_for_text(text.size))) {
        return jsv_run_out(run);
    }
    uint64_t count = jsv_utf8_count(text);
    NEXT_IF(count >= range->min && count <= range->max);
}

/* Bytes bound the number of characters from both sides; they are counted only in between. */
OP(length)
{
    const struct jsv_range *range = op->data;
    uint64_t size = jsv_string_size(node);
    uint64_t fewest = (size + 3) / 4;
    if (fewest >= range->min && size <= range->max) {
        NEXT_IF(true);
    }
    if (size < range->min || fewest > range->max) {
        return false;
    }
    return jsv_op_length_counted(run, op, node);
}

OP(pattern)
{
    NEXT_IF(search(run, op->data, node));
}

OP(format)
{
    struct jsv_str text = jsv_string_text(run->document, node);
    enum jsv_format format = (enum jsv_format)op->word;
    if (!charge(run, jsv_format_steps(format, text))) {
        return jsv_run_out(run);
    }
    NEXT_IF(verdict_or_give_up(run, jsv_format_valid(format, text)));
}

/* ---- alternatives ---- */

/*
 * The alternatives that an object may still match, as bits, by its members.
 * Search ends when one is left, because that one is run in any case. Switched
 * off, the selection costs 79 % on schema-bench-mcp.
 */
ALWAYS_INLINE uint64_t look_at_members(
    const struct jsv_choice *choice,
    const struct jsv_document *document,
    const struct jsv_node *object,
    bool simple)
{
    uint64_t left = choice->all;
    uint64_t absent = choice->needed;
    const struct jsv_node *end = jsv_container_end(object);
    for (const struct jsv_node *key = object + 1; key < end; key = jsv_node_next(key + 1)) {
        const struct jsv_name_slot *slot = jsv_names_look_up(choice->names, document, key, simple);
        if (!slot) {
            continue;
        }
        const struct jsv_choice_name *name = &choice->entries[slot->at];
        const struct jsv_node *value = key + 1;
        absent &= name->others;
        if (name->strings && jsv_node_type(value) == JSV_TYPE_STRING) {
            uint32_t string = jsv_names_find(name->strings, document, value);
            left &= string == JSV_NAME_NONE ? name->other_strings : name->by_string[string];
            if (!(left & (left - 1))) {
                return left;
            }
        }
    }
    for (; absent; absent &= absent - 1) {
        left &= choice->entries[__builtin_ctzll(absent)].without;
    }
    return left;
}

ALWAYS_INLINE uint64_t
candidates(struct jsv_validator *run, const struct jsv_choice *choice, const struct jsv_node *node)
{
    if (!choice->names || jsv_node_type(node) != JSV_TYPE_OBJECT) {
        return choice->all;
    }
    run->steps -= (int64_t)jsv_steps_for_contents(node);
    return LIKELY(choice->names->simple) ? look_at_members(choice, run->document, node, true)
                                         : look_at_members(choice, run->document, node, false);
}

/* How many of the candidates match, up to `enough`. */
static unsigned count_matching(
    struct jsv_validator *run,
    const struct jsv_choice *choice,
    uint64_t left,
    unsigned enough,
    const struct jsv_node *node)
{
    unsigned found = 0;
    for (; left && found < enough; left &= left - 1) {
        run->steps--;
        found += try_list(run, choice->at[__builtin_ctzll(left)], node);
    }
    return found;
}

/*
 * Several alternatives are left: run them. The verdict on a container is
 * remembered, because alternatives that lead to the same schemas would double
 * the work at every level.
 */
static bool run_several(
    struct jsv_validator *run, const struct jsv_op *op, uint64_t left, const struct jsv_node *node)
{
    const struct jsv_choice *choice = op->data;
    bool remember = jsv_node_is_container(node);
    uint64_t key = JSV_MEMO_CHOICE | memo_key(run, (uint32_t)(op - run->program->ops), node);
    struct jsv_memo *memo = jsv_memo_slot(run, key);
    if (remember && jsv_memo_holds(run, memo, key)) {
        return memo->round & 1;
    }
    unsigned found = count_matching(run, choice, left, op->code == JSV_OP_ONE_OF ? 2 : 1, node);
    bool verdict = op->code == JSV_OP_NONE_OF ? found == 0 : found == 1;
    if (remember) {
        jsv_memo_set(run, memo, key, verdict);
    }
    return verdict;
}

OP(any_of)
{
    const struct jsv_choice *choice = op->data;
    uint64_t left = candidates(run, choice, node);
    if (left == 0) {
        return false;
    }
    if (!enter(run)) {
        return jsv_run_out(run);
    }
    bool holds = left & (left - 1) ? run_several(run, op, left, node)
                                   : run_list(run, choice->at[__builtin_ctzll(left)], node);
    leave(run);
    NEXT_IF(holds);
}

OP(none_of)
{
    uint64_t left = candidates(run, op->data, node);
    if (left == 0) {
        NEXT_IF(true);
    }
    if (!enter(run)) {
        return jsv_run_out(run);
    }
    bool holds = run_several(run, op, left, node);
    leave(run);
    NEXT_IF(holds);
}

jsv_op_function *jsv_op_function_of(enum jsv_op_code code)
{
    static jsv_op_function *const functions[] = {
#define X(constant, function, carries) [JSV_OP_##constant] = jsv_op_##function,
        JSV_OPS(X)
#undef X
    };
    return functions[code];
}
