/*
 * What the operations of a running program share.
 *
 * An operation is a function. When it holds, it ends with a call of the next
 * operation of its list, which compilers turn into a jump. Only what goes into
 * a value, or tries a schema that may fail, recurses; the validator's depth
 * limits that.
 *
 * When a limit is hit or memory runs out, the error is stored in the validator
 * and every check fails from then on, so the verdict counts only without error.
 */
#pragma once

#include <errno.h>

#include "jsv/base/hint.h"
#include "jsv/schema/program/program.h"
#include "jsv/schema/run/steps.h"
#include "jsv/schema/run/validator.h"

/* The function of an operation; `run` is the validator during a check. */
#define OP(name)                                                                                   \
    bool jsv_op_##name(                                                                            \
        struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node)

#define X(constant, function, carries) OP(function);
JSV_OPS(X)
#undef X

/*
 * Continue with the next operation if this one holds. Testing for the last one
 * saves the jump to PASS: 6 % on schema-bench and on schema-bench-mcp.
 */
#define NEXT_IF(holds) return LIKELY(holds) && (op->is_last || op[1].run(run, op + 1, node))

/*
 * The same for functions of their own for the last operation of a list. These
 * need not keep `op` and `node` in registers while they go into a container.
 */
#define NEXT_IF_NOT(last, holds)                                                                   \
    do {                                                                                           \
        if (last) {                                                                                \
            return holds;                                                                          \
        }                                                                                          \
        NEXT_IF(holds);                                                                            \
    } while (0)

/* Store an error and end all further work. @return false */
__attribute__((cold)) bool jsv_run_give_up(struct jsv_validator *run, int error);

/* @param r 1 or 0 for a verdict, or a negative errno. */
ALWAYS_INLINE bool verdict_or_give_up(struct jsv_validator *run, int r)
{
    return UNLIKELY(r < 0) ? jsv_run_give_up(run, r) : r;
}

/* The steps or the depth are used up. @return false */
__attribute__((cold)) bool jsv_run_out(struct jsv_validator *run);

/* Take steps for work of a size that the document or the schema decides. */
ALWAYS_INLINE bool charge(struct jsv_validator *run, uint64_t steps)
{
    run->steps -= (int64_t)steps;
    return LIKELY(run->steps > 0);
}

/*
 * Enter something that may recurse; leave it when it holds. A check that fails
 * returns at once, and a caller that continues after a failure resets the depth.
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

/* Enter a container to look at all elements or members. */
ALWAYS_INLINE bool enter_all(struct jsv_validator *run, const struct jsv_node *container)
{
    run->steps -= (int64_t)jsv_steps_for_contents(container);
    return enter(run);
}

/* The same for what calls nothing, so needs no depth and no leave(). */
ALWAYS_INLINE bool look_at_all(struct jsv_validator *run, const struct jsv_node *container)
{
    return charge(run, 1 + jsv_steps_for_contents(container));
}

ALWAYS_INLINE bool run_list(struct jsv_validator *run, uint32_t at, const struct jsv_node *node)
{
    const struct jsv_op *op = &run->program->ops[at];
    return op->run(run, op, node);
}

/* Run a list that may fail without the check failing. */
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

/* A search that failed, or whose cost must be charged afterwards. @return what search() does */
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
