/*
 * A pattern in PCRE2's language.
 */
#pragma once

#include "jsv/regex/syntax.h"

/* Said of a pattern that is too large for PCRE2. */
#define JSV_REGEX_TOO_LARGE                                                                        \
    "the pattern is too large: compiled it takes more than 64 KiB, PCRE2's limit"

/*
 * Write a supported pattern (support.h) as text for match.h.
 *
 * @param arena      For working memory.
 * @param out        The text is appended.
 * @param ret_weight How many times as long as usual matching a character can take.
 * @return 0; -E2BIG when a count or the text is too large, which the fault then
 *         describes; -ENOMEM.
 */
int jsv_regex_translate(
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    struct jsv_buf *out,
    uint32_t *ret_weight,
    struct jsv_regex_fault *reterr_fault);
