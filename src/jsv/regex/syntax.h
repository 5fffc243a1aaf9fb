/*
 * A pattern as a tree.
 *
 * A branch is a list of terms, a group is a list of branches, and the whole
 * pattern is a group. A term is an atom with its counts, so repetition and
 * sequence need no nodes, and the tree is as deep as the parentheses are nested:
 * at most JSV_REGEX_DEPTH_MAX, which limits every recursion.
 *
 * The arena passed to the parser owns the tree.
 */
#pragma once

#include "jsv/regex/charset.h"
#include "jsv/regex/regex.h"

/* "No limit" in counts and widths. */
#define JSV_REGEX_UNBOUNDED UINT32_MAX

enum jsv_regex_kind {
    JSV_REGEX_SET,          /* one character of a set */
    JSV_REGEX_GROUP,        /* (…), (?:…), (?<name>…) */
    JSV_REGEX_LOOK,         /* (?=…), (?!…), (?<=…), (?<!…) */
    JSV_REGEX_REFERENCE,    /* \1, \k<name> */
    JSV_REGEX_START,        /* ^ */
    JSV_REGEX_END,          /* $ */
    JSV_REGEX_BOUNDARY,     /* \b */
    JSV_REGEX_NOT_BOUNDARY, /* \B */
};

/* The number of characters a part can match. */
struct jsv_regex_width {
    uint32_t min;
    uint32_t max;
};

struct jsv_regex_node;

struct jsv_regex_branch {
    struct jsv_regex_node *first; /* NULL: empty */
    struct jsv_regex_node *last;
    struct jsv_regex_width width;
    struct jsv_regex_branch *next;
};

/* A group or a look-around. */
struct jsv_regex_group {
    struct jsv_regex_branch *first;
    struct jsv_regex_branch *last;
    unsigned depth;
    unsigned index;      /* of a capturing group, from 1; else 0 */
    struct jsv_str name; /* without escapes; empty: none */
    bool referenced;     /* by a reference after the group */
    bool behind;         /* look-around: (?<=…), (?<!…) */
    bool negative;       /* look-around: (?!…), (?<!…) */
    size_t end;          /* offset of the closing parenthesis */
    unsigned number;     /* of a referenced group in PCRE2's text; 0: not there */
    struct jsv_regex_node *next_behind;
};

struct jsv_regex_reference {
    struct jsv_regex_node *group; /* NULL: the reference always matches the empty string */
    unsigned index;               /* 0: by name */
    struct jsv_str name;
    struct jsv_regex_node *next;
};

struct jsv_regex_node {
    enum jsv_regex_kind kind;
    bool lazy;
    uint32_t min; /* counts; 1 and 1 without a quantifier */
    uint32_t max;
    size_t offset;                /* in the pattern */
    struct jsv_regex_width width; /* of the atom, matched once */
    struct jsv_regex_node *previous;
    struct jsv_regex_node *next;
    struct jsv_regex_node *parent; /* group or look-around; NULL for the pattern */
    uint32_t set_index;            /* of a set: its number in the pattern */
    union {
        struct jsv_charset set;
        struct jsv_regex_group group;
        struct jsv_regex_reference reference;
    };
};

struct jsv_regex_syntax {
    struct jsv_regex_node *root;         /* a group without parentheses */
    struct jsv_regex_node *references;   /* all of them, linked by reference.next */
    struct jsv_regex_node *look_behinds; /* all of them, linked by group.next_behind */
    uint32_t set_count;
    bool regular;    /* a finite automaton can match it; it has no properties */
    bool empty_loop; /* a term that can match the empty string is repeated */
};

/**
 * Parse a pattern.
 *
 * @param strict Unicode mode only, without the legacy grammar.
 * @return 0, -EINVAL, -E2BIG or -ENOMEM; the fault is set with -EINVAL and -E2BIG.
 */
int jsv_regex_parse(
    struct jsv_str pattern,
    bool strict,
    struct jsv_arena *arena,
    struct jsv_regex_syntax *ret_syntax,
    struct jsv_regex_fault *reterr_fault);

static inline bool jsv_regex_is_repeated(const struct jsv_regex_node *node)
{
    return node->min != 1 || node->max != 1;
}

/* A sum that is too large is unbounded. */
static inline uint32_t jsv_regex_add_counts(uint32_t a, uint32_t b)
{
    return a > JSV_REGEX_UNBOUNDED - b ? JSV_REGEX_UNBOUNDED : a + b;
}
