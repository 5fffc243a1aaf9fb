/*
 * How a pattern is matched, for tests that compare the ways. All give the same
 * answers.
 */
#pragma once

#include "jsv/regex/regex.h"

/*
 * In the order they are tried, but for simulation: that is what PCRE2's limits
 * leave, unless it is asked for.
 */
enum jsv_regex_engine {
    JSV_REGEX_ROW,          /* term by term along the text */
    JSV_REGEX_TABLE,        /* state by state along the text */
    JSV_REGEX_SIMULATION,   /* all states at once along the text */
    JSV_REGEX_MACHINE_CODE, /* PCRE2, compiled to machine code where that can be done */
    JSV_REGEX_INTERPRETER,  /* PCRE2 without machine code */
};

/* As jsv_regex_compile, by the first way from this one on that can match the pattern. */
int jsv_regex_compile_for(
    enum jsv_regex_engine engine,
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex **ret_regex,
    struct jsv_regex_fault *reterr_fault);

/*
 * Which way it became; PCRE2 counts as machine code. A search up to a table
 * goes along the text once, and can neither fail nor be given up.
 */
enum jsv_regex_engine jsv_regex_engine_of(const struct jsv_regex *regex);
