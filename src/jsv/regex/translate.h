/*
 * Translating a pattern to PCRE2's language.
 */
#pragma once

#include "jsv/regex/syntax.h"

#define JSV_REGEX_TOO_LARGE                                                                        \
    "the pattern is too large: compiled it takes more than 64 KiB, PCRE2's limit"

/*
 * Write a pattern as text for match.h.
 *
 * @param arena      For working memory.
 * @param out        The text is appended.
 * @param ret_weight The cost of a character, as jsv_match_compile() takes it.
 * @return 0; -EINVAL if PCRE2 would match it differently and -E2BIG if a count
 *         or the text is too large, both with the fault set; -ENOMEM.
 */
int jsv_regex_translate(
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    struct jsv_buf *out,
    uint32_t *ret_weight,
    struct jsv_regex_fault *reterr_fault);
