/*
 * Matching a pattern with every engine.
 */
#pragma once

#include "jsv/regex/regex.h"

/*
 * Search with every engine that can match the pattern and assert that they agree.
 * The texts are copied into memory of exactly their size, so that sanitizers see
 * reads beyond them. @return 1, 0, or the error of compiling.
 */
int regex_ask(const char *pattern, const char *subject);
int regex_ask_str(struct jsv_str pattern, struct jsv_str subject);

struct regex_case {
    const char *pattern;
    const char *subject;
    int expected; /* of regex_ask */
};

/* Assert the result of each case. */
void regex_expect_cases(const struct regex_case *cases, size_t count);

#define REGEX_EXPECT_CASES(cases) regex_expect_cases(cases, sizeof(cases) / sizeof((cases)[0]))

/* Assert that the pattern compiles, and its engine; PCRE2 counts as machine code. */
void regex_expect_engine(const char *pattern, enum jsv_regex_engine engine);

/*
 * Assert the error, offset and message of a pattern, from jsv_regex_check if
 * strict, else from jsv_regex_compile.
 */
void regex_expect_fault(
    bool strict, const char *pattern, int error, size_t offset, const char *message);

struct regex_fault_case {
    const char *pattern;
    size_t offset;
    const char *message;
};

/* Assert -EINVAL in both modes. */
void regex_expect_faults(const struct regex_fault_case *cases, size_t count);

#define REGEX_EXPECT_FAULTS(cases) regex_expect_faults((cases), sizeof(cases) / sizeof((cases)[0]))
