/*
 * ECMA-262 regular expressions, as JSON Schema uses them: "does this pattern
 * match anywhere in that text?"
 *
 * A pattern is read in unicode mode (RegExp flag u). What is no pattern there
 * but one in the legacy grammar (Annex B), such as \- or a lone }, is read as
 * the legacy grammar reads it; docs/regex.md has the details. The answer is
 * always exact: a pattern whose meaning could not be kept is refused when it
 * is compiled.
 *
 * Searching takes bounded time. Patterns without look-around, back references,
 * \b and \p become a row of terms or a table, which read each byte once. The
 * others are matched by PCRE2 or simulated within a budget; when that runs out
 * the answer is -ELOOP.
 *
 * Patterns and subjects are UTF-8. A pattern is checked; subjects must be
 * valid, since the JSON reader has checked them.
 */
#pragma once

#include <jsv/jsv.h>

/* Longer than anything people write, short enough that compiling is quick. */
#define JSV_REGEX_PATTERN_SIZE_MAX 65536
/* Parentheses in parentheses. Walking a pattern takes stack in proportion. */
#define JSV_REGEX_DEPTH_MAX 250
/* Capturing groups: names are compared each with each. */
#define JSV_REGEX_GROUPS_MAX 1000

/* A compiled pattern: immutable, may be shared by threads. */
struct jsv_regex;

/* What a search writes to: one per thread, for any number of patterns. */
struct jsv_regex_scratch;

/* What is wrong with a pattern, and at which byte of it. The message is static. */
struct jsv_regex_fault {
    size_t offset;
    const char *message;
};

/**
 * Whether a text is a regular expression by the letter of ECMA-262 in unicode
 * mode, legacy grammar excluded: what JSON Schema's format "regex" asks.
 *
 * @param allocator     For working memory; NULL means malloc.
 * @param reterr_fault  Set with -EINVAL and -E2BIG; may be NULL.
 * @return 0 when it is; -EINVAL when it is not; -E2BIG when a limit keeps us
 *         from telling; -ENOMEM.
 */
int jsv_regex_check(
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex_fault *reterr_fault);

/**
 * Compile a pattern, legacy grammar included.
 *
 * @param pattern       Read during the call only.
 * @param allocator     Copied; must work until the regex is freed. NULL means malloc.
 *                      Machine code that PCRE2 generates has pages of its own.
 * @param reterr_fault  Set with -EINVAL and -E2BIG; may be NULL.
 * @return 0; -EINVAL for a pattern that is wrong or not supported; -E2BIG for
 *         one beyond a limit; -ENOMEM.
 */
int jsv_regex_compile(
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex **ret_regex,
    struct jsv_regex_fault *reterr_fault);
void jsv_regex_free(struct jsv_regex *regex);

/* Bytes that a compiled pattern takes because its automaton is large; 0 for most. */
size_t jsv_regex_size(const struct jsv_regex *regex);

/**
 * Make scratch memory. The first search that needs PCRE2 fills it; after that
 * a search allocates nothing.
 *
 * @return NULL when memory ran out.
 */
struct jsv_regex_scratch *jsv_regex_scratch_new(const struct jsv_allocator *allocator);
void jsv_regex_scratch_free(struct jsv_regex_scratch *scratch);

/**
 * Search a subject, which must be valid UTF-8.
 *
 * @return 1 when the pattern matches somewhere, 0 when it does not; -ELOOP when
 *         the search was given up because it took too long; -ENOMEM.
 */
int jsv_regex_search(
    const struct jsv_regex *regex, struct jsv_str subject, struct jsv_regex_scratch *scratch);

/**
 * Where a scratch adds up what searches with PCRE2 take, in units of about a
 * nanosecond. The caller may set it back to 0.
 */
uint64_t *jsv_regex_scratch_cost(struct jsv_regex_scratch *scratch);

/**
 * Let no search take more than the caller has left; a search that would is
 * given up like one that takes too long.
 *
 * @param left Read at each search; must stay valid.
 * @param unit What one of them is worth, in the units of the cost.
 */
void jsv_regex_scratch_bound(struct jsv_regex_scratch *scratch, const int64_t *left, int64_t unit);
