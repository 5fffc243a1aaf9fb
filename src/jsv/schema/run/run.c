/*
 * Running a program: the verdict alone, as fast as it can be had.
 *
 * A value is checked by looking up where its shape begins for values of its
 * type. Often that is "pass" or "fail" and hardly anything is done. Otherwise
 * the operations of the list there are done one after the other.
 *
 * Here are the operations on a value itself; those on what is inside arrays
 * and objects are in run_inside.c and run_object.c, those on alternatives in
 * run_choice.c.
 */
#include "jsv/schema/run/run.h"

#include "jsv/base/utf8.h"
#include "jsv/json/node.h"
#include "jsv/schema/numbers.h"
#include "jsv/schema/report/explain.h"
#include "jsv/schema/run/unique.h"

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

OP_AND_LAST(boolean)
{
    NEXT_OR_LAST(node->body == op->word);
}

/* A number written with a fraction or an exponent may be an integer, too. */
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

OP_AND_LAST(bound)
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
    NEXT_OR_LAST(true);
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

OP_AND_LAST(int_bound)
{
    const struct jsv_bounds *bounds = op->data;
    if (!is_plain_integer(node) || UNLIKELY(node->body > INT64_MAX)) {
        return jsv_op_decimal_bound(run, op, node);
    }
    int64_t value = (int64_t)node->body;
    value = jsv_node_flags(node) & JSV_NODE_NEGATIVE ? -value : value;
    NEXT_OR_LAST(value >= bounds->int_min && value <= bounds->int_max);
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

OP_AND_LAST(string_is)
{
    const struct jsv_names_table *table = op->data;
    NEXT_OR_LAST(jsv_name_has_start(&table->slots[op->at], node));
}

OP_AND_LAST(string_in)
{
    NEXT_OR_LAST(jsv_names_slot(op->data, run->document, node));
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
OP_AND_LAST(length)
{
    const struct jsv_range *range = op->data;
    uint64_t size = jsv_string_size(node);
    uint64_t fewest = (size + 3) / 4;
    if (fewest >= range->min && size <= range->max) {
        NEXT_OR_LAST(true);
    }
    if (size < range->min || fewest > range->max) {
        return false;
    }
    return jsv_op_length_counted(run, op, node);
}

OP_AND_LAST(pattern)
{
    NEXT_OR_LAST(search(run, op->data, node));
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

/* ---- the whole ---- */

jsv_op_function *jsv_op_function_of(enum jsv_op_code code, enum jsv_form form)
{
    static jsv_op_function *const functions[][JSV_FORM_COUNT] = {
#define X(constant, function, carries) [JSV_OP_##constant][JSV_FORM_THOROUGH] = jsv_op_##function,
        JSV_OPS(X)
#undef X
#define X(constant, form, function) [JSV_OP_##constant][JSV_FORM_##form] = jsv_op_##function,
            JSV_OP_FORMS(X)
#undef X
    };
    return functions[code][form];
}

ALWAYS_INLINE int
validate(const struct jsv_schema *schema, struct jsv_value value, struct jsv_validator *validator)
{
    const struct jsv_program *program = schema->program;
    validator->document = value.document;
    validator->program = program;
    bool verdict = run_entry(validator, program->root, value.node);
    return UNLIKELY(validator->error) ? validator->error : verdict;
}

/* Apart, so that a check that does not share steps need not save registers for it. */
static __attribute__((noinline, cold)) int validate_sharing(
    const struct jsv_schema *schema, struct jsv_value value, struct jsv_validator *validator)
{
    jsv_validator_start(validator, value.node);
    return validate(schema, value, validator);
}

int jsv_validate(
    struct jsv_validator *validator, const struct jsv_schema *schema, struct jsv_value value)
{
    if (!value.node) {
        return -EINVAL;
    }
    if (UNLIKELY(validator->is_sharing)) {
        return validate_sharing(schema, value, validator);
    }
    jsv_validator_begin(validator, jsv_validator_wants(validator, value.node));
    return validate(schema, value, validator);
}
