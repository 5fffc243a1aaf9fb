/*
 * Matching with PCRE2 within limits. Only match.c includes pcre2.h. The patterns
 * come from translate.c, with checkpoints at which PCRE2 calls match.c.
 */
#pragma once

#include "jsv/regex/regex.h"

/*
 * Numbers of checkpoints, (?C<number>). Up to JSV_CHECKPOINT_LOG_MAX, number n
 * means that up to 2^n characters are read before the next checkpoint.
 */
#define JSV_CHECKPOINT_LOG_MAX   31
#define JSV_CHECKPOINT_REFERENCE 255 /* a captured text is compared next */

struct jsv_match;

/**
 * Compile a text made by translate.c.
 *
 * @param weight    Cost of a character relative to a simple set, at least 1; the
 *                  budget is divided by it.
 * @param interpret Do not generate machine code.
 * @return 0; -E2BIG if it is too large for PCRE2; -ENOMEM.
 */
int jsv_match_compile(
    struct jsv_str text,
    uint32_t weight,
    bool interpret,
    const struct jsv_allocator *allocator,
    struct jsv_match **ret_match);
void jsv_match_free(struct jsv_match *match);

/* As jsv_regex_search. */
int jsv_match_search(
    const struct jsv_match *match, struct jsv_str subject, struct jsv_regex_scratch *scratch);

/* Memory of simulate.c in a scratch, for a number of nodes. */
struct jsv_scratch_lists {
    uint32_t *marks; /* of each node: a round */
    uint32_t *lists; /* 4 * nodes + 1 */
    uint32_t *round; /* no mark is larger; may grow by the number of rounds */
};

/* Get memory for some nodes and rounds. @return false if no memory is left. */
bool jsv_scratch_get_lists(
    struct jsv_regex_scratch *scratch,
    size_t nodes,
    uint64_t rounds,
    struct jsv_scratch_lists *ret_lists);

/* Limit the budget of a search to what the caller has left (jsv_regex_scratch_bound). */
int64_t jsv_scratch_bounded(const struct jsv_regex_scratch *scratch, int64_t budget);
void jsv_scratch_add_cost(struct jsv_regex_scratch *scratch, uint64_t cost);

/* Whether a text is an ECMAScript identifier. @return 1, 0 or -ENOMEM. */
int jsv_match_is_identifier(struct jsv_str text, const struct jsv_allocator *allocator);
