/*
 * ECMA-262 regular expressions as JSON Schema uses them: does this pattern match
 * anywhere in that text?
 *
 * A pattern is read in unicode mode (RegExp flag u). Constructs that only the
 * legacy grammar (Annex B) has, such as \- or a single }, are read as that
 * grammar reads them (docs/regex.md). The answer is always exact: compiling
 * fails for a pattern whose meaning could change.
 *
 * The time of a search is limited. Patterns without look-around, references, \b
 * and \p become a table, which reads each byte once. Other patterns are matched
 * by PCRE2 or by simulating an automaton, with a budget; if that is used up, the
 * result is -ELOOP.
 *
 * Patterns and subjects are UTF-8. Patterns are checked; subjects must be valid,
 * as strings from the JSON reader are.
 */
#pragma once

#include <jsv/jsv.h>

/* More than people write, and still fast to compile. */
#define JSV_REGEX_PATTERN_SIZE_MAX 65536
/* Nested parentheses: some functions recurse that deep. */
#define JSV_REGEX_DEPTH_MAX 250
/* Capturing groups: names are compared each with each. */
#define JSV_REGEX_GROUPS_MAX 1000

/* A compiled pattern: immutable, can be shared by threads. */
struct jsv_regex;

/* Working memory of searches: one per thread, for any number of patterns. */
struct jsv_regex_scratch;

/* An error in a pattern: its byte offset and a static message. */
struct jsv_regex_fault {
    size_t offset;
    const char *message;
};

/**
 * Check that a text is a regular expression of ECMA-262 in unicode mode, without
 * the legacy grammar, as JSON Schema's format "regex" requires.
 *
 * @param allocator     For working memory; NULL means malloc.
 * @param reterr_fault  Set with -EINVAL and -E2BIG; may be NULL.
 * @return 0; -EINVAL if it is not; -E2BIG if it is beyond a limit; -ENOMEM.
 */
int jsv_regex_check(
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex_fault *reterr_fault);

/**
 * Compile a pattern, with the legacy grammar.
 *
 * @param pattern       Read during the call only.
 * @param allocator     Copied; must work until the regex is freed. NULL means malloc.
 *                      PCRE2 maps the pages of machine code itself.
 * @param reterr_fault  Set with -EINVAL and -E2BIG; may be NULL.
 * @return 0; -EINVAL if the pattern is wrong or not supported; -E2BIG if it is
 *         beyond a limit; -ENOMEM.
 */
int jsv_regex_compile(
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex **ret_regex,
    struct jsv_regex_fault *reterr_fault);
void jsv_regex_free(struct jsv_regex *regex);

/* Size of the automaton of a large pattern in bytes; 0 for most patterns. */
size_t jsv_regex_size(const struct jsv_regex *regex);

/**
 * Make scratch memory. After the first search with PCRE2, searches allocate
 * nothing.
 *
 * @return NULL if no memory is left.
 */
struct jsv_regex_scratch *jsv_regex_scratch_new(const struct jsv_allocator *allocator);
void jsv_regex_scratch_free(struct jsv_regex_scratch *scratch);

/**
 * Search a subject, which must be valid UTF-8.
 *
 * @return 1 if the pattern matches anywhere, else 0; -ELOOP if the search
 *         exceeded its budget; -ENOMEM.
 */
int jsv_regex_search(
    const struct jsv_regex *regex, struct jsv_str subject, struct jsv_regex_scratch *scratch);

/**
 * The total cost of searches other than with a table, in units of about a
 * nanosecond. The caller may reset it to 0.
 */
uint64_t *jsv_regex_scratch_cost(struct jsv_regex_scratch *scratch);

/**
 * Limit searches to what the caller has left; a search that needs more ends with
 * -ELOOP.
 *
 * @param left Steps left, read at each search; must stay valid.
 * @param unit The cost of one step.
 */
void jsv_regex_scratch_bound(struct jsv_regex_scratch *scratch, const int64_t *left, int64_t unit);

/* ---- for tests: choosing an engine ---- */

/*
 * The engines, in the order they are tried. Simulation is an exception: unless
 * it is chosen here, it is only used beyond the limits of PCRE2.
 */
enum jsv_regex_engine {
    JSV_REGEX_TABLE,        /* deterministic automaton */
    JSV_REGEX_SIMULATION,   /* nondeterministic automaton */
    JSV_REGEX_MACHINE_CODE, /* PCRE2 with JIT, if the system allows it */
    JSV_REGEX_INTERPRETER,  /* PCRE2 without JIT */
};

/* As jsv_regex_compile, with the first engine from this one on that can match the pattern. */
int jsv_regex_compile_for(
    enum jsv_regex_engine engine,
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex **ret_regex,
    struct jsv_regex_fault *reterr_fault);

/* The engine in use; PCRE2 counts as machine code. A table search never fails or times out. */
enum jsv_regex_engine jsv_regex_engine_of(const struct jsv_regex *regex);
