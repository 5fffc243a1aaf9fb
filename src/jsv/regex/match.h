/*
 * PCRE2, within limits.
 *
 * Only this room's match.c includes pcre2.h. The text it compiles is written by
 * translate.c, which puts checkpoints into it; at each of them PCRE2 calls us,
 * and we stop it when its budget is used up.
 */
#pragma once

#include "jsv/regex/regex.h"

/*
 * Numbers of checkpoints, (?C<number>). Up to JSV_CHECKPOINT_LOG_MAX a number n
 * says that what follows looks at 2^n characters before the next checkpoint.
 */
#define JSV_CHECKPOINT_LOG_MAX   31
#define JSV_CHECKPOINT_REFERENCE 255 /* what follows looks at something captured */

struct jsv_match;

/**
 * Compile a text made by translate.c.
 *
 * @param weight    How many times as long as usual a character may take: what
 *                  the budget is divided by; at least 1.
 * @param interpret Do without machine code.
 * @return 0; -E2BIG when it is too large for PCRE2; -ENOMEM.
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

/* What simulate.c keeps in a scratch, for a number of nodes. */
struct jsv_scratch_room {
    uint32_t *marks; /* so many: rounds */
    uint32_t *lists; /* four times so many, and one */
    uint32_t *round; /* no mark is larger */
};

/*
 * Room for some nodes and for going that many rounds on from *round. @return
 * false when memory ran out.
 */
bool jsv_scratch_take_room(
    struct jsv_regex_scratch *scratch,
    size_t nodes,
    uint64_t rounds,
    struct jsv_scratch_room *ret_room);

/* The budget of a search, but no more than the caller of searches has left. */
int64_t jsv_scratch_bounded(const struct jsv_regex_scratch *scratch, int64_t budget);
void jsv_scratch_add_cost(struct jsv_regex_scratch *scratch, int64_t cost);

/* Whether a text is an identifier of ECMAScript. @return 1, 0 or -ENOMEM. */
int jsv_match_is_identifier(struct jsv_str text, const struct jsv_allocator *allocator);
