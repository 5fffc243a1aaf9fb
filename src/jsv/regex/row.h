/*
 * A pattern as a row: sets of characters one after the other from the start of
 * the text, each with how often. Most patterns in schemas are no more than
 * that (identifiers, dates, versions, prefixes), and matching one needs neither
 * states nor a table of them.
 */
#pragma once

#include "jsv/regex/syntax.h"

struct jsv_row;

/*
 * Make a row of a regular pattern.
 *
 * @param ret_row NULL when the pattern is none, or one that must be matched otherwise.
 * @return 0 or -ENOMEM.
 */
int jsv_row_build(
    const struct jsv_regex_syntax *syntax,
    const struct jsv_allocator *allocator,
    struct jsv_row **ret_row);
void jsv_row_free(struct jsv_row *row, const struct jsv_allocator *allocator);

/* Whether the pattern matches valid UTF-8. */
bool jsv_row_search(const struct jsv_row *row, struct jsv_str subject);
