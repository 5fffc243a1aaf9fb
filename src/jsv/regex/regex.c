/*
 * Choosing an engine. parse.c makes a tree of the pattern. If a table can match
 * it, dfa.c builds one. Otherwise translate.c writes the pattern in PCRE2's
 * language and match.c compiles that. simulate.c is used if an automaton can
 * match the pattern and it is too large or too slow for PCRE2.
 */
#include "jsv/regex/regex.h"

#include <errno.h>

#include "jsv/base/alloc.h"
#include "jsv/regex/dfa.h"
#include "jsv/regex/match.h"
#include "jsv/regex/simulate.h"
#include "jsv/regex/translate.h"

/* More than any pattern needs; the other limits are reached before. */
#define ARENA_BUDGET ((size_t)256 << 20)
#define TOO_MANY_STATES                                                                            \
    "the pattern is too large: with its repetitions written out it has more than 262,144 states"
/* PCRE2's code is limited to 64 KiB; longer text than this does not fit. */
#define TEXT_SIZE_MAX ((size_t)1 << 20)

/* Either table is set, or match, simulation or both. */
struct jsv_regex {
    struct jsv_allocator allocator;
    struct jsv_dfa *table;
    struct jsv_match *match;
    struct jsv_simulation *simulation;
};

int jsv_regex_check(
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex_fault *reterr_fault)
{
    struct jsv_arena arena;
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
    jsv_arena_init(&arena, allocator, ARENA_BUDGET);
    int error = jsv_regex_parse(pattern, true, &arena, &syntax, &fault);
    jsv_arena_done(&arena);
    if (error && error != -ENOMEM && reterr_fault) {
        *reterr_fault = fault;
    }
    return error;
}

static int compile_match(
    struct jsv_regex *regex,
    bool interpret,
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    struct jsv_regex_fault *reterr_fault)
{
    struct jsv_buf text;
    uint32_t weight;
    jsv_buf_init(&text, &regex->allocator, TEXT_SIZE_MAX);
    int error = jsv_regex_translate(syntax, arena, &text, &weight, reterr_fault);
    if (!error) {
        error = jsv_match_compile(
            jsv_buf_str(&text), weight, interpret, &regex->allocator, &regex->match);
        if (error == -E2BIG) {
            *reterr_fault = (struct jsv_regex_fault){0, JSV_REGEX_TOO_LARGE};
        }
    }
    jsv_buf_done(&text);
    return error;
}

static int compile_into(
    struct jsv_regex *regex,
    enum jsv_regex_engine engine,
    struct jsv_str pattern,
    struct jsv_arena *arena,
    struct jsv_regex_fault *reterr_fault)
{
    struct jsv_regex_syntax syntax;
    int error = jsv_regex_parse(pattern, false, arena, &syntax, reterr_fault);
    if (error) {
        return error;
    }
    if (engine <= JSV_REGEX_TABLE && syntax.regular) {
        error = jsv_dfa_build(&syntax, arena, &regex->allocator, &regex->table);
        if (error != -E2BIG) {
            return error;
        }
    }
    if (engine <= JSV_REGEX_SIMULATION) {
        error = jsv_simulation_build(&syntax, arena, &regex->allocator, &regex->simulation);
        if (error && error != -E2BIG) {
            return error;
        }
        if (regex->simulation && engine == JSV_REGEX_SIMULATION) {
            return 0;
        }
    }
    bool has_too_many_states = error == -E2BIG;
    error = compile_match(regex, engine == JSV_REGEX_INTERPRETER, &syntax, arena, reterr_fault);
    if (error == -E2BIG && has_too_many_states) {
        *reterr_fault = (struct jsv_regex_fault){0, TOO_MANY_STATES};
    }
    return error == -E2BIG && regex->simulation ? 0 : error;
}

int jsv_regex_compile_for(
    enum jsv_regex_engine engine,
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex **ret_regex,
    struct jsv_regex_fault *reterr_fault)
{
    struct jsv_allocator used = jsv_allocator_or_default(allocator);
    struct jsv_regex *regex = jsv_alloc(&used, sizeof *regex);
    if (!regex) {
        return -ENOMEM;
    }
    *regex = (struct jsv_regex){.allocator = used};
    struct jsv_arena arena;
    struct jsv_regex_fault fault;
    jsv_arena_init(&arena, &used, ARENA_BUDGET);
    int error = compile_into(regex, engine, pattern, &arena, &fault);
    jsv_arena_done(&arena);
    if (!error) {
        *ret_regex = regex;
        return 0;
    }
    jsv_regex_free(regex);
    if (error != -ENOMEM && reterr_fault) {
        *reterr_fault = fault;
    }
    return error;
}

int jsv_regex_compile(
    struct jsv_str pattern,
    const struct jsv_allocator *allocator,
    struct jsv_regex **ret_regex,
    struct jsv_regex_fault *reterr_fault)
{
    return jsv_regex_compile_for(JSV_REGEX_TABLE, pattern, allocator, ret_regex, reterr_fault);
}

void jsv_regex_free(struct jsv_regex *regex)
{
    if (regex) {
        struct jsv_allocator allocator = regex->allocator;
        jsv_dfa_free(regex->table, &allocator);
        jsv_match_free(regex->match);
        jsv_simulation_free(regex->simulation, &allocator);
        jsv_dealloc(&allocator, regex, sizeof *regex);
    }
}

size_t jsv_regex_size(const struct jsv_regex *regex)
{
    return regex->simulation ? jsv_simulation_size(regex->simulation) : 0;
}

enum jsv_regex_engine jsv_regex_engine_of(const struct jsv_regex *regex)
{
    return regex->table   ? JSV_REGEX_TABLE
           : regex->match ? JSV_REGEX_MACHINE_CODE
                          : JSV_REGEX_SIMULATION;
}

/* A function of its own, so that searching with a table saves no registers. */
static __attribute__((noinline)) int search_without_table(
    const struct jsv_regex *regex, struct jsv_str subject, struct jsv_regex_scratch *scratch)
{
    int r = regex->match ? jsv_match_search(regex->match, subject, scratch) : -ELOOP;
    return r == -ELOOP && regex->simulation
               ? jsv_simulation_search(regex->simulation, subject, scratch)
               : r;
}

int jsv_regex_search(
    const struct jsv_regex *regex, struct jsv_str subject, struct jsv_regex_scratch *scratch)
{
    if (__builtin_expect(regex->table != NULL, 1)) {
        return jsv_dfa_search(regex->table, subject);
    }
    return search_without_table(regex, subject, scratch);
}
