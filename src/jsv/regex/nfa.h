/*
 * A pattern as a nondeterministic automaton, the step between tree and table.
 */
#pragma once

#include "jsv/regex/syntax.h"

enum jsv_nfa_kind {
    JSV_NFA_SET,   /* goes on to next with a character of the set */
    JSV_NFA_SPLIT, /* goes on to next and to other */
    JSV_NFA_START, /* goes on to next at the start of the text */
    JSV_NFA_END,   /* goes on to next at the end of the text */
    JSV_NFA_MATCH,
};

struct jsv_nfa_node {
    enum jsv_nfa_kind kind;
    uint32_t next;
    uint32_t other;
    uint32_t set;
};

struct jsv_nfa {
    struct jsv_nfa_node *nodes;
    const struct jsv_charset **sets;
    size_t node_count;
    size_t set_count;
    uint32_t entry;
};

/* States. Counted repetitions are written out, so this bounds them: 4 MiB. */
#define JSV_NFA_NODES_MAX 262144

/* Build the automaton of a regular pattern. @return 0; -E2BIG when it is too large; -ENOMEM. */
int jsv_nfa_build(
    const struct jsv_regex_syntax *syntax, struct jsv_arena *arena, struct jsv_nfa *ret_nfa);

/* A group, or the terms of its only branch behind one of them. */
struct jsv_nfa_part {
    const struct jsv_regex_group *group;
    const struct jsv_regex_node *behind; /* NULL: all of the group */
};

/* The same for a part of a pattern, which must be regular. */
int jsv_nfa_build_part(
    const struct jsv_regex_syntax *syntax,
    const struct jsv_nfa_part *part,
    struct jsv_arena *arena,
    struct jsv_nfa *ret_nfa);
