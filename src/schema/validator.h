/*
 * What checking documents needs and keeps from one to the next.
 */
#pragma once

#include <jsv/schema.h>

#include "json/equal.h"
#include "regex/regex.h"
#include "schema/unique.h"

struct jsv_subschema;
struct jsv_keyword_use;

/* A verdict of this round, or of an earlier one and so forgotten; see run.c. */
#define JSV_MEMO_BITS 10

struct jsv_memo {
    uint64_t key;
    uint64_t round; /* shifted left by one; lowest bit: the verdict */
};

struct jsv_validator {
    struct jsv_allocator allocator;
    struct jsv_validator_limits limits; /* no zeros left */
    uint64_t steps_per_value;           /* steps beyond the limit */
    struct jsv_regex_scratch *regex;
    uint64_t *regex_cost; /* of searches that were not paid for yet */
    struct jsv_arena arena;   /* of one validation */
    struct jsv_arena lasting; /* for what is reused from one validation to the next: */
    struct jsv_equality equality;
    struct jsv_unique unique;
    uint64_t steps; /* left, below 2^63 */
    uint32_t depth; /* evaluations that are under way */
    int error;      /* why evaluation was given up; 0 while it goes on */
    uint64_t round; /* validations begun */
    struct jsv_memo memo[1 << JSV_MEMO_BITS];
};

/* Begin a validation: forget the last one. */
static inline void jsv_validator_start(struct jsv_validator *validator, const struct jsv_node *node)
{
    if (validator->arena.newest) {
        jsv_arena_reset(&validator->arena);
    }
    validator->steps =
        validator->limits.steps_max + validator->steps_per_value * jsv_node_skip(node);
    validator->depth = 0;
    validator->error = 0;
    validator->round++;
}
