/*
 * What operations share while a program runs.
 *
 * An operation is a function. One that holds ends in calling the next of its
 * list, which compilers turn into a jump; the last one passes. What goes on
 * inside a value, or tries a schema that may fail, recurses, and that is
 * bounded by the validator's depth.
 *
 * What cannot be decided (a limit is hit, memory runs out) is an error in the
 * validator, and every check then fails; the verdict counts only when there
 * was none.
 */
#pragma once

#include <errno.h>

#include "jsv/base/hint.h"
#include "jsv/schema/program/program.h"
#include "jsv/schema/run/steps.h"
#include "jsv/schema/run/validator.h"

/* The function of an operation; `run` is the validator, in the middle of a check. */
#define OP(name)                                                                                   \
    bool jsv_op_##name(                                                                            \
        struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node)

#define X(constant, function, carries) OP(function);
JSV_OPS(X)
#undef X
#define X(constant, form, function) OP(function);
JSV_OP_FORMS(X)
#undef X

/* Go on with the next operation when this one holds. */
#define NEXT_IF(holds) return LIKELY(holds) && op[1].run(run, op + 1, node)

/* The function of an operation in two forms: `last` when nothing follows in the list. */
#define OP_AND_LAST(name)                                                                          \
    ALWAYS_INLINE bool do_##name(                                                                  \
        struct jsv_validator *run,                                                                 \
        const struct jsv_op *op,                                                                   \
        const struct jsv_node *node,                                                               \
        bool last);                                                                                \
    OP(name)                                                                                       \
    {                                                                                              \
        return do_##name(run, op, node, false);                                                    \
    }                                                                                              \
    OP(name##_last)                                                                                \
    {                                                                                              \
        return do_##name(run, op, node, true);                                                     \
    }                                                                                              \
    ALWAYS_INLINE bool do_##name(                                                                  \
        struct jsv_validator *run,                                                                 \
        const struct jsv_op *op,                                                                   \
        const struct jsv_node *node,                                                               \
        bool last)

/* How such an operation ends. */
#define NEXT_OR_LAST(holds)                                                                        \
    do {                                                                                           \
        if (last) {                                                                                \
            return holds;                                                                          \
        }                                                                                          \
        NEXT_IF(holds);                                                                            \
    } while (0)

/* Remember why, and make the next step give up too. @return false */
__attribute__((cold)) bool jsv_run_give_up(struct jsv_validator *run, int error);

/* 1 and 0 are verdicts, anything negative is an error. */
ALWAYS_INLINE bool verdict_or_give_up(struct jsv_validator *run, int r)
{
    return UNLIKELY(r < 0) ? jsv_run_give_up(run, r) : r;
}

/* The budget of steps or of depth is gone. @return false */
__attribute__((cold)) bool jsv_run_out(struct jsv_validator *run);

/* Take steps for work whose size the document or the schema decides; else the run is out. */
ALWAYS_INLINE bool charge(struct jsv_validator *run, uint64_t steps)
{
    run->steps -= (int64_t)steps;
    return LIKELY(run->steps > 0);
}

/*
 * Begin something that may recurse, and end it when it holds; when it cannot
 * begin, the run is out. What fails returns at once; whoever goes on after a
 * failure puts the depth back.
 */
ALWAYS_INLINE bool enter(struct jsv_validator *run)
{
    int64_t steps = --run->steps;
    int64_t depth = --run->depth;
    return LIKELY(((steps - 1) | depth) >= 0);
}

ALWAYS_INLINE void leave(struct jsv_validator *run)
{
    run->depth++;
}

ALWAYS_INLINE bool run_list(struct jsv_validator *run, uint32_t at, const struct jsv_node *node)
{
    const struct jsv_op *op = &run->program->ops[at];
    return op->run(run, op, node);
}

/* The same for one of several attempts, the others of which count too. */
ALWAYS_INLINE bool try_list(struct jsv_validator *run, uint32_t at, const struct jsv_node *node)
{
    int64_t depth = run->depth;
    bool holds = run_list(run, at, node);
    run->depth = depth;
    return holds;
}

/* Check a value by its shape. */
ALWAYS_INLINE bool
run_entry(struct jsv_validator *run, const struct jsv_entry *entry, const struct jsv_node *node)
{
    const struct jsv_op *op = entry->op[jsv_node_type(node)];
    return op->run(run, op, node);
}

ALWAYS_INLINE bool run_shape(struct jsv_validator *run, uint32_t shape, const struct jsv_node *node)
{
    return run_entry(run, &run->program->entries[shape], node);
}

ALWAYS_INLINE uint64_t
memo_key(const struct jsv_validator *run, uint32_t at, const struct jsv_node *node)
{
    return (uint64_t)at << 32 | (uint64_t)(node - jsv_document_nodes(run->document));
}

/* A search that failed, or has to be paid for by what it took. @return what search() does */
__attribute__((cold)) bool jsv_run_settle_search(struct jsv_validator *run, int r);

ALWAYS_INLINE bool
search(struct jsv_validator *run, const struct jsv_regex *regex, const struct jsv_node *string)
{
    struct jsv_str text = jsv_string_text(run->document, string);
    if (!charge(run, jsv_steps_to_search(text.size))) {
        return jsv_run_out(run);
    }
    int r = jsv_regex_search(regex, text, run->regex);
    return UNLIKELY(r < 0 || *run->regex_cost) ? jsv_run_settle_search(run, r) : r;
}
