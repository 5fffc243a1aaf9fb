/*
 * Asking a pattern about a subject in every way there is to match it.
 */
#pragma once

#include "jsv/regex/regex.h"

/*
 * Search with the row, the table, machine code and the interpreter, as far as
 * they can match the pattern, assert that they agree, and give back what they
 * say: 1, 0, or what compiling failed with. The texts are copied into memory of just their size, so
 * that reading beyond them is seen by the sanitizers.
 */
int regex_ask(const char *pattern, const char *subject);
int regex_ask_str(struct jsv_str pattern, struct jsv_str subject);

struct regex_case {
    const char *pattern;
    const char *subject;
    int expected; /* of regex_ask */
};

/* Assert what each pattern says of its subject. */
void regex_expect_cases(const struct regex_case *cases, size_t count);

#define REGEX_EXPECT_CASES(cases) regex_expect_cases(cases, sizeof(cases) / sizeof((cases)[0]))

/* Assert that the pattern compiles, and how it is matched; PCRE2 counts as machine code. */
void regex_expect_engine(const char *pattern, enum jsv_regex_engine engine);

/*
 * Assert that a pattern is refused with this error, offset and message, by
 * jsv_regex_check if strict, else by jsv_regex_compile.
 */
void regex_expect_fault(
    bool strict, const char *pattern, int error, size_t offset, const char *message);

struct regex_fault_case {
    const char *pattern;
    size_t offset;
    const char *message;
};

/* Assert that patterns are wrong (-EINVAL) both ways. */
void regex_expect_faults(const struct regex_fault_case *cases, size_t count);

#define REGEX_EXPECT_FAULTS(cases) regex_expect_faults((cases), sizeof(cases) / sizeof((cases)[0]))
