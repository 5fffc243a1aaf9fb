/*
 * Lists of operations.
 *
 * Operations are gathered on a stack and go into the program when their list is
 * complete. A recent list with the same operations is used again. A list that
 * does much work remembers its verdicts while a document is checked.
 */
#include <assert.h>
#include <string.h>

#include "jsv/schema/program/build.h"

/* Operations of a list at most. */
#define LIST_MAX 16

/* Operations without steps in a list; with more, the list charges for them. */
#define FREE_MAX 3

/* Work of a list, in simple operations, above which its verdict is remembered. */
#define WEIGHT_MAX      256
#define WEIGHT_THOROUGH 16

static bool ops_equal(const struct jsv_op *a, const struct jsv_op *b)
{
    assert(a && b);
    return a->code == b->code && a->at == b->at && a->word == b->word;
}

int jsv_list_add(struct jsv_list *list, struct jsv_op op)
{
    struct jsv_stack *gathered = &list->build->gathered;
    /* skip repeated operations: the same schema may be referred to twice */
    for (size_t i = gathered->count; i > list->start && i + JSV_TAKE_IN_MAX > gathered->count;
         i--) {
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

int jsv_list_add_data(struct jsv_list *list, enum jsv_op_code code, const void *data)
{
    return data ? jsv_list_add(list, (struct jsv_op){.code = (uint16_t)code, .data = data})
                : -ENOMEM;
}

int jsv_list_add_at(struct jsv_list *list, enum jsv_op_code code, uint32_t at)
{
    return jsv_list_add(list, (struct jsv_op){.code = (uint16_t)code, .at = at});
}

/* Append operations and PASS to the program. */
static int
emit_plain(struct jsv_build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at)
{
    uint32_t at = jsv_build_op_count(build);
    struct jsv_op pass = {.code = JSV_OP_PASS};
    jsv_buf_append(&build->ops, ops, count * sizeof(*ops));
    if (jsv_buf_append(&build->ops, &pass, sizeof(pass)) < 0) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        jsv_build_op_at(build, at)[i].weight = 0;
    }
    *ret_at = at;
    return 0;
}

/* Lists for different types of value are often the same. */
static bool
find_recent(const struct jsv_build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at)
{
    for (size_t i = 0; i < JSV_RECENT_MAX; i++) {
        const struct jsv_op *known = jsv_build_op_at(build, build->recent[i].at);
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

static unsigned list_weight(const struct jsv_build *build, uint32_t at)
{
    return (unsigned)jsv_build_op_at(build, at)->weight;
}

/* Whether an operation may look at all of a value. */
static bool is_thorough(enum jsv_op_code code)
{
    return code == JSV_OP_UNIQUE || code == JSV_OP_EQUAL || code == JSV_OP_PATTERN ||
           code == JSV_OP_FORMAT || code == JSV_OP_EXPLAIN;
}

/* The work of an operation, in simple operations. */
static unsigned op_weight(const struct jsv_build *build, const struct jsv_op *op)
{
    unsigned weight = is_thorough(op->code) ? WEIGHT_THOROUGH : 1;
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
 * Where schemas refer to others twice, and these again, the work doubles at
 * each level. So a list that would run many others is wrapped in a list with
 * the operation ONCE, which remembers its verdict.
 */
int jsv_build_emit(
    struct jsv_build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at)
{
    if (count == 0) {
        *ret_at = JSV_AT_PASS;
        return 0;
    }
    assert(ops);
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
        jsv_build_op_at(build, at)->weight = weight;
    }
    if (r == 0) {
        build->recent[build->recent_next++ % JSV_RECENT_MAX] = (struct jsv_recent){at, *ret_at};
    }
    return r;
}

/* Whether an operation takes no steps because it is quick. */
static bool is_free(enum jsv_op_code code)
{
    return code == JSV_OP_INTEGER || code == JSV_OP_INTEGER_STRICT || code == JSV_OP_BOOLEAN ||
           code == JSV_OP_STRING_IS || code == JSV_OP_STRING_IN || code == JSV_OP_INT_BOUND ||
           code == JSV_OP_MULTIPLE_OF || code == JSV_OP_NUMBER_IN || code == JSV_OP_LENGTH ||
           code == JSV_OP_COUNT;
}

/* Emit at most LIST_MAX operations; if many take no steps, the list charges for them. */
static int
emit_list(struct jsv_build *build, const struct jsv_op *ops, size_t count, uint32_t *ret_at)
{
    struct jsv_op charged[1 + LIST_MAX];
    size_t free_count = 0;
    for (size_t i = 0; i < count; i++) {
        free_count += is_free(ops[i].code);
    }
    if (free_count <= FREE_MAX) {
        return jsv_build_emit(build, ops, count, ret_at);
    }
    charged[0] = (struct jsv_op){.code = JSV_OP_CHARGE, .word = free_count / 2};
    memcpy(charged + 1, ops, count * sizeof(*ops));
    return jsv_build_emit(build, charged, 1 + count, ret_at);
}

/*
 * A long list is split, because without tail calls a list takes stack in
 * proportion to its operations.
 */
int jsv_build_emit_gathered(struct jsv_build *build, size_t start, uint32_t *ret_at)
{
    struct jsv_stack *gathered = &build->gathered;
    while (gathered->count - start > LIST_MAX) {
        size_t kept = start;
        for (size_t from = start; from < gathered->count; from += LIST_MAX) {
            size_t left = gathered->count - from;
            uint32_t at;
            int r = emit_list(
                build, jsv_stack_item(gathered, from), left < LIST_MAX ? left : LIST_MAX, &at);
            if (r < 0) {
                return r;
            }
            struct jsv_op *op = jsv_stack_item(gathered, kept++);
            *op = (struct jsv_op){.code = JSV_OP_RUN, .at = at};
        }
        gathered->count = kept;
    }
    if (gathered->count == start) {
        return jsv_build_emit(build, NULL, 0, ret_at);
    }
    return emit_list(build, jsv_stack_item(gathered, start), gathered->count - start, ret_at);
}
