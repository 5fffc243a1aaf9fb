/*
 * How a pattern is matched, for tests that compare the ways. All give the same
 * answers.
 */
#pragma once

#include "regex/regex.h"

enum jsv_regex_engine {
    JSV_REGEX_FASTEST,      /* what jsv_regex_compile takes */
    JSV_REGEX_MACHINE_CODE, /* PCRE2, compiled to machine code where that can be done */
    JSV_REGEX_INTERPRETER,  /* PCRE2 without machine code */
};

/* As jsv_regex_compile. */
int jsv_regex_compile_for(
    enum jsv_regex_engine engine,
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex **ret_regex,
    struct jsv_regex_fault *reterr_fault);

/* Whether a search is a walk through a table, that is, cannot fail or be given up. */
bool jsv_regex_is_table(const struct jsv_regex *regex);
