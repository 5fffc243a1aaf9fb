/*
 * The validator: state of the current check, and memory kept between checks.
 */
#pragma once

#include <jsv/schema.h>

#include "jsv/json/equal.h"
#include "jsv/regex/regex.h"
#include "jsv/schema/run/unique.h"

struct jsv_program;

/*
 * A cache of verdicts of the current check. Where schemas lead to the same
 * schema for the same value many times, it keeps the work from doubling at
 * every level. A new verdict replaces the one in its slot.
 *
 * The key is a node index, and in the upper half a list of operations, a choice
 * or a subschema; the highest bits tell which.
 */
#define JSV_MEMO_BITS      10
#define JSV_MEMO_CHOICE    (1ull << 63)
#define JSV_MEMO_EXPLAINED (1ull << 62)

struct jsv_memo {
    uint64_t key;
    uint64_t round; /* shifted left by one; lowest bit: the verdict */
};

/*
 * The last failed element or member of a container: all children before it are
 * valid. That stays true for the same document, whatever the result of the
 * checks around it.
 *
 * Container and child are identified by their ends, which a check has at hand;
 * precheck.c finds out whether a given container is meant.
 */
struct jsv_last_failure {
    const void *by; /* the subschema of an object, the jsv_entry of elements; NULL: none */
    const struct jsv_node *end;
    const struct jsv_node *child_end;
};

struct jsv_validator {
    /* of the current check: */
    const struct jsv_document *document;
    int64_t steps;   /* left; none when 0 or less */
    int64_t granted; /* steps at its start, if is_sharing */
    const struct jsv_program *program;
    int64_t depth;  /* levels left; none when 0 or less */
    uint64_t round; /* number of checks so far */
    int error;      /* why it ended early; 0: it has not */
    struct jsv_last_failure last_failure;
    /* of all checks: */
    struct jsv_allocator allocator;
    struct jsv_validator_limits limits; /* defaults filled in */
    uint64_t steps_per_value;           /* steps beyond the limit */
    int64_t shared;                     /* steps for this and later checks, if is_sharing */
    bool is_sharing;
    struct jsv_regex_scratch *regex;
    uint64_t *regex_cost;     /* of searches not charged yet */
    struct jsv_arena arena;   /* of one validation */
    struct jsv_arena lasting; /* reused from one validation to the next, for: */
    struct jsv_equality equality;
    struct jsv_unique unique;
    struct jsv_stack words; /* uint64_t: of explain.c, empty between calls */
    struct jsv_memo memo[1 << JSV_MEMO_BITS];
};

/* Settle the steps of the last check. @return the steps for the next, at most `wanted` */
__attribute__((cold)) int64_t jsv_validator_settle(struct jsv_validator *validator, int64_t wanted);

/* The limit of steps for checking a value. */
static inline int64_t
jsv_validator_wants(const struct jsv_validator *validator, const struct jsv_node *node)
{
    uint64_t more = validator->steps_per_value * jsv_node_skip(node);
    return (int64_t)(validator->limits.steps_max + more);
}

static inline void jsv_validator_begin(struct jsv_validator *validator, int64_t steps)
{
    validator->steps = steps;
    validator->depth = validator->limits.depth_max;
    validator->error = 0;
    validator->round++;
}

/* Start to check a value. */
static inline void jsv_validator_start(struct jsv_validator *validator, const struct jsv_node *node)
{
    int64_t steps = jsv_validator_wants(validator, node);
    steps = validator->is_sharing ? jsv_validator_settle(validator, steps) : steps;
    jsv_validator_begin(validator, steps);
}

static inline struct jsv_memo *jsv_memo_slot(struct jsv_validator *validator, uint64_t key)
{
    return &validator->memo[key * 0x9E3779B97F4A7C15ull >> (64 - JSV_MEMO_BITS)];
}

static inline bool
jsv_memo_holds(const struct jsv_validator *validator, const struct jsv_memo *memo, uint64_t key)
{
    return memo->key == key && memo->round >> 1 == validator->round;
}

static inline void jsv_memo_set(
    const struct jsv_validator *validator, struct jsv_memo *memo, uint64_t key, bool verdict)
{
    *memo = (struct jsv_memo){key, validator->round << 1 | verdict};
}
