/*
 * A pattern as a nondeterministic automaton, the step between tree and table.
 */
#pragma once

#include "regex/syntax.h"

enum jsv_nfa_kind {
    JSV_NFA_SET,   /* goes on to next with a character of the set */
    JSV_NFA_SPLIT, /* goes on to next and to other */
    JSV_NFA_START, /* goes on to next at the start of the text */
    JSV_NFA_END,   /* goes on to next at the end of the text */
    JSV_NFA_MATCH,
};

struct jsv_nfa_node {
    enum jsv_nfa_kind kind;
    uint16_t next;
    uint16_t other;
    uint16_t set;
};

struct jsv_nfa {
    struct jsv_nfa_node *nodes;
    const struct jsv_charset **sets;
    size_t node_count;
    size_t set_count;
    uint16_t entry;
};

/* Counted repetitions are written out, so this bounds them; larger ones are PCRE2's. */
#define JSV_NFA_NODES_MAX 16384

/* Build the automaton of a regular pattern. @return 0; -E2BIG when it is too large; -ENOMEM. */
int jsv_nfa_build(
    const struct jsv_regex_syntax *syntax, struct jsv_arena *arena, struct jsv_nfa *ret_nfa);
