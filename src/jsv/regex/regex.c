/*
 * The way of a pattern: parse.c makes a tree of it. If its terms can be matched
 * one after the other, row.c writes them down, and that was all; so it was if a
 * table can match it, and dfa.c builds one. Otherwise support.c looks for what
 * PCRE2 would misunderstand, translate.c writes the tree down in PCRE2's
 * language, and match.c has it compiled. What is too large for PCRE2, or takes it
 * too long, simulate.c does where an automaton can.
 */
#include "jsv/regex/regex.h"

#include <errno.h>

#include "jsv/base/alloc.h"
#include "jsv/regex/dfa.h"
#include "jsv/regex/engine.h"
#include "jsv/regex/match.h"
#include "jsv/regex/row.h"
#include "jsv/regex/simulate.h"
#include "jsv/regex/support.h"
#include "jsv/regex/translate.h"

/* More than a pattern of the largest size can need; the other limits bound it before. */
#define ARENA_BUDGET ((size_t)256 << 20)
#define TOO_MANY_STATES                                                                            \
    "the pattern is too large: with its repetitions written out it has more than 262,144 states"
/* PCRE2's code is limited to 64 KiB; what is so much longer as text will not fit. */
#define TEXT_SIZE_MAX ((size_t)1 << 20)

/* One of the first three is there, or the last, or the last two. */
struct jsv_regex {
    struct jsv_allocator allocator;
    struct jsv_row *row;
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
    int error = jsv_regex_check_support(syntax, reterr_fault);
    if (error) {
        return error;
    }
    struct jsv_buf text;
    uint32_t weight;
    jsv_buf_init(&text, &regex->allocator, TEXT_SIZE_MAX);
    error = jsv_regex_translate(syntax, arena, &text, &weight, reterr_fault);
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
    if (engine <= JSV_REGEX_ROW && syntax.regular) {
        error = jsv_row_build(&syntax, &regex->allocator, &regex->row);
        if (error || regex->row) {
            return error;
        }
    }
    if (engine <= JSV_REGEX_TABLE && syntax.regular) {
        error = jsv_dfa_build(&syntax, arena, &regex->allocator, &regex->table);
        if (error != -E2BIG) {
            return error;
        }
    }
    bool can_simulate = engine <= JSV_REGEX_SIMULATION;
    if (can_simulate) {
        error = jsv_simulation_build(&syntax, arena, &regex->allocator, &regex->simulation);
        if (error && error != -E2BIG) {
            return error;
        }
        if (regex->simulation && engine == JSV_REGEX_SIMULATION) {
            return 0;
        }
    }
    bool is_beyond = error == -E2BIG;
    error = compile_match(regex, engine == JSV_REGEX_INTERPRETER, &syntax, arena, reterr_fault);
    if (error == -E2BIG && is_beyond) {
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
    return jsv_regex_compile_for(JSV_REGEX_ROW, pattern, allocator, ret_regex, reterr_fault);
}

void jsv_regex_free(struct jsv_regex *regex)
{
    if (regex) {
        struct jsv_allocator allocator = regex->allocator;
        jsv_row_free(regex->row, &allocator);
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
    return regex->row     ? JSV_REGEX_ROW
           : regex->table ? JSV_REGEX_TABLE
           : regex->match ? JSV_REGEX_MACHINE_CODE
                          : JSV_REGEX_SIMULATION;
}

int jsv_regex_search(
    const struct jsv_regex *regex, struct jsv_str subject, struct jsv_regex_scratch *scratch)
{
    if (regex->row) {
        return jsv_row_search(regex->row, subject);
    }
    if (regex->table) {
        return jsv_dfa_search(regex->table, subject);
    }
    int r = regex->match ? jsv_match_search(regex->match, subject, scratch) : -ELOOP;
    return r == -ELOOP && regex->simulation
               ? jsv_simulation_search(regex->simulation, subject, scratch)
               : r;
}
