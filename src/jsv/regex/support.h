/*
 * What a pattern may say in ECMA-262 but PCRE2 would take differently.
 */
#pragma once

#include "jsv/regex/syntax.h"

/* Longest look-behind, in characters. PCRE2 steps back so far at every place it tries. */
#define JSV_REGEX_LOOK_BEHIND_MAX 255

/* @return 0; -EINVAL when the pattern holds such a thing, which the fault then describes. */
int jsv_regex_check_support(
    const struct jsv_regex_syntax *syntax, struct jsv_regex_fault *reterr_fault);
