/*
 * Alternatives: anyOf and oneOf.
 *
 * A look at an object's members mostly leaves one alternative, which is then
 * run as if it stood there alone. Where several are left, all of them may have
 * to be run, and what comes of it is remembered: inside containers, schemas
 * with alternatives that lead to the same schemas would double the work at
 * every level.
 */
#include "jsv/schema/run/run.h"

/*
 * The alternatives that an object may still fit, as bits, by a look at its
 * members. One that is left is run in any case, so more need not be known.
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
        left &= name->by_type[jsv_node_type(value)];
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

/* How many of the candidates fit, up to `enough`. */
static unsigned count_fitting(
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

/* Several alternatives are left: run them, or remember what came of it the last time. */
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
    unsigned found = count_fitting(run, choice, left, op->code == JSV_OP_ONE_OF ? 2 : 1, node);
    bool verdict = op->code == JSV_OP_NONE_OF ? found == 0 : found == 1;
    if (remember) {
        jsv_memo_set(run, memo, key, verdict);
    }
    return verdict;
}

/* Whether at least one, or exactly one, of the alternatives fits. */
OP_AND_LAST(any_of)
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
    NEXT_OR_LAST(holds);
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
