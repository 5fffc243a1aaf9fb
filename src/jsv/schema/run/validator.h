/*
 * What checking documents needs and keeps from one to the next.
 */
#pragma once

#include <jsv/schema.h>

#include "jsv/json/equal.h"
#include "jsv/regex/regex.h"
#include "jsv/schema/run/unique.h"

struct jsv_program;

/*
 * Verdicts of this round. Where schemas lead to the same schema for the same
 * value again and again, they keep the work from doubling at every level. A
 * table that forgets: a later verdict that falls on the same slot takes it.
 *
 * The key is a place in the document, and above that a list of operations (or
 * a choice, or a subschema: those are told apart by their highest bits).
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
    /* of the check that is under way: */
    const struct jsv_document *document;
    int64_t steps;   /* left; gone when it is 0 or less */
    int64_t granted; /* steps it began with, if is_sharing */
    const struct jsv_program *program;
    int64_t depth;  /* levels left; none when it is 0 or less */
    uint64_t round; /* checks begun */
    int error;      /* why it was given up; 0 while it goes on */
    struct jsv_last_failure last_failure;
    /* of all: */
    struct jsv_allocator allocator;
    struct jsv_validator_limits limits; /* no zeros left */
    uint64_t steps_per_value;           /* steps beyond the limit */
    int64_t shared;                     /* steps for this check and those to come, if is_sharing */
    bool is_sharing;
    struct jsv_regex_scratch *regex;
    uint64_t *regex_cost;     /* of searches that were not paid for yet */
    struct jsv_arena arena;   /* of one validation */
    struct jsv_arena lasting; /* for what is reused from one validation to the next: */
    struct jsv_equality equality;
    struct jsv_unique unique;
    struct jsv_stack words; /* uint64_t: explain.c's, empty between calls */
    struct jsv_memo memo[1 << JSV_MEMO_BITS];
};

/* What is left for a check, which wants so many steps, of what the ones before it have shared. */
__attribute__((cold)) int64_t jsv_validator_settle(struct jsv_validator *validator, int64_t wanted);

/* The steps that checking a value may take. */
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

/* Begin to check a value. */
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
