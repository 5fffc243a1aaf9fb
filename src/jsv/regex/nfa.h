/*
 * A pattern as a nondeterministic automaton. dfa.c makes a table of it,
 * simulate.c runs it.
 */
#pragma once

#include "jsv/regex/syntax.h"

enum jsv_nfa_kind {
    JSV_NFA_SET,   /* goes to next with a character of the set */
    JSV_NFA_SPLIT, /* goes to next and to other */
    JSV_NFA_START, /* goes to next at the start of the text */
    JSV_NFA_END,   /* goes to next at the end of the text */
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

/* Nodes of an automaton, with counted repetitions written out: 4 MiB. */
#define JSV_NFA_NODES_MAX 262144

/* A group, or the terms of its only branch after one of them. It must be regular. */
struct jsv_nfa_part {
    const struct jsv_regex_group *group;
    const struct jsv_regex_node *after; /* NULL: the whole group */
};

/* Build the automaton of a part of a pattern. @return 0; -E2BIG if it is too large; -ENOMEM. */
int jsv_nfa_build(
    const struct jsv_regex_syntax *syntax,
    struct jsv_nfa_part part,
    struct jsv_arena *arena,
    struct jsv_nfa *ret_nfa);

/* A set of nodes: the state of an automaton between two characters. */
struct jsv_nfa_state {
    const struct jsv_nfa_node *nodes; /* of the automaton */
    uint32_t *items;                  /* nodes that wait for a character or the end of the text */
    size_t count;
    bool matches;      /* the end of the pattern was reached */
    uint32_t *marks;   /* of each node: the round it was last added in */
    uint32_t round;    /* no mark is larger */
    uint32_t *pending; /* memory for 2 * nodes + 1 */
    uint64_t visits;   /* of nodes, in total */
};

/* Clear the set. */
static inline void jsv_nfa_state_begin(struct jsv_nfa_state *state)
{
    state->count = 0;
    state->matches = false;
    state->round++;
}

/* Add a node and all nodes reached from it without a character. */
void jsv_nfa_state_add(struct jsv_nfa_state *state, uint32_t node, bool at_start, bool at_end);

/* ---- the alphabet ---- */

/* A kind and its column in a table are a byte, and a set of kinds is a bitmap. */
#define JSV_ALPHABET_KINDS_MAX 254

/*
 * The kinds of characters that a pattern distinguishes. [a-z]+@ has three:
 * letters, the @, and all others; so its table has three columns, not a million.
 */
struct jsv_alphabet {
    unsigned kinds;
    size_t segment_count;
    uint32_t *starts;       /* first code point of each segment, ascending from 0 */
    uint8_t *kind_of;       /* of each segment */
    uint64_t (*members)[4]; /* the kinds in each set of the automaton */
};

/* Find the kinds of an automaton. @return 0; -E2BIG if there are too many; -ENOMEM. */
int jsv_alphabet_build(
    const struct jsv_nfa *nfa, struct jsv_arena *arena, struct jsv_alphabet *ret_alphabet);

static inline bool
jsv_alphabet_contains(const struct jsv_alphabet *alphabet, size_t set, unsigned kind)
{
    return alphabet->members[set][kind / 64] >> kind % 64 & 1;
}
