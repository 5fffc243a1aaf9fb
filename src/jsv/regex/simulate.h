/*
 * A pattern as a nondeterministic automaton: all its states are followed at
 * once, character by character. For regular patterns whose table would be too
 * large, and for patterns that begin with ^ and look-aheads.
 */
#pragma once

#include "jsv/regex/match.h"
#include "jsv/regex/syntax.h"

struct jsv_simulation;

/*
 * Make the automaton of a pattern.
 *
 * @param arena          For working memory.
 * @param allocator      For the automaton.
 * @param ret_simulation NULL if the pattern cannot be simulated.
 * @return 0; -E2BIG if it has more than JSV_NFA_NODES_MAX nodes; -ENOMEM.
 */
int jsv_simulation_build(
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    const struct jsv_allocator *allocator,
    struct jsv_simulation **ret_simulation);
void jsv_simulation_free(struct jsv_simulation *simulation, const struct jsv_allocator *allocator);

/* Size in bytes. */
size_t jsv_simulation_size(const struct jsv_simulation *simulation);

/* As jsv_regex_search. */
int jsv_simulation_search(
    const struct jsv_simulation *simulation,
    struct jsv_str subject,
    struct jsv_regex_scratch *scratch);
