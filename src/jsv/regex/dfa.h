/*
 * A pattern as a table: the next state for each state and kind of character.
 * Searching reads each character once.
 */
#pragma once

#include "jsv/regex/syntax.h"

struct jsv_dfa;

/*
 * Build the table of a regular pattern.
 *
 * @param arena     For working memory.
 * @param allocator For the table.
 * @return 0; -E2BIG if it is too large; -ENOMEM.
 */
int jsv_dfa_build(
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    const struct jsv_allocator *allocator,
    struct jsv_dfa **ret_dfa);
void jsv_dfa_free(struct jsv_dfa *dfa, const struct jsv_allocator *allocator);

/* Whether the pattern matches anywhere in a text of valid UTF-8. */
bool jsv_dfa_search(const struct jsv_dfa *dfa, struct jsv_str subject);
