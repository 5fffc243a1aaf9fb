/*
 * The state of parsing, shared by the files that do it: parse.c (what comes
 * next), term.c (terms in the tree, quantifiers), group.c (parentheses, and
 * references to them), escape.c (what follows a backslash), class.c (what
 * stands in brackets), name.c (names of groups). Nothing else includes this.
 *
 * All functions that return int return 0 or a negative errno value; with
 * -EINVAL and -E2BIG they have described the fault.
 */
#pragma once

#include "jsv/regex/syntax.h"

struct jsv_regex_parser {
    struct jsv_str text;
    size_t offset; /* of what is read next */
    bool strict;
    unsigned groups_total; /* capturing groups in the whole pattern */
    unsigned groups_open;  /* those that began so far */
    size_t posix_offset;   /* of the first [:name:] in a class; SIZE_MAX for none */
    struct jsv_arena *arena;
    struct jsv_regex_node *group;   /* the innermost open one */
    struct jsv_regex_node **groups; /* by index */
    struct jsv_regex_syntax syntax;
    struct jsv_regex_fault fault;
};

static inline bool jsv_regex_at_end(const struct jsv_regex_parser *parser)
{
    return parser->offset == parser->text.size;
}

/* The byte at some distance ahead; 0 behind the end, which is no character with a meaning. */
static inline char jsv_regex_peek(const struct jsv_regex_parser *parser, size_t ahead)
{
    size_t left = parser->text.size - parser->offset;
    return ahead < left ? parser->text.data[parser->offset + ahead] : '\0';
}

/* Step over a byte if it comes next. */
static inline bool jsv_regex_accept(struct jsv_regex_parser *parser, char byte)
{
    if (jsv_regex_at_end(parser) || jsv_regex_peek(parser, 0) != byte) {
        return false;
    }
    parser->offset++;
    return true;
}

/* Describe a fault. @return error. */
int jsv_regex_fail(struct jsv_regex_parser *parser, int error, size_t offset, const char *message);

/* Read one code point as it stands. There must be one. */
uint32_t jsv_regex_read_literal(struct jsv_regex_parser *parser);

enum jsv_regex_escape_kind {
    JSV_REGEX_ESCAPE_CHARACTER,
    JSV_REGEX_ESCAPE_SET,
    JSV_REGEX_ESCAPE_REFERENCE, /* index or name */
    JSV_REGEX_ESCAPE_BOUNDARY,
    JSV_REGEX_ESCAPE_NOT_BOUNDARY,
};

struct jsv_regex_escape {
    enum jsv_regex_escape_kind kind;
    uint32_t character;
    unsigned index;
    struct jsv_str name;
    struct jsv_charset set;
};

/* Read an escape; its backslash has been read. In a class there are no references and no \B. */
int jsv_regex_read_escape(
    struct jsv_regex_parser *parser, bool in_class, struct jsv_regex_escape *ret_escape);

/* Read the digits of a \u escape, of two if they are a surrogate pair; its \u has been read. */
int jsv_regex_read_unicode(struct jsv_regex_parser *parser, uint32_t *ret_character);

/* Read a class; its [ has been read. */
int jsv_regex_read_class(struct jsv_regex_parser *parser, struct jsv_charset *ret_set);

/* Read "name>" of (?<name> or \k<name>. The name is UTF-8 with escapes resolved. */
int jsv_regex_read_name(struct jsv_regex_parser *parser, struct jsv_str *ret_name);

/* ---- term.c ---- */

/* A further alternative in a group. */
int jsv_regex_add_branch(struct jsv_regex_parser *parser, struct jsv_regex_group *group);

/* A new node at the end of the open branch. */
int jsv_regex_add_node(
    struct jsv_regex_parser *parser,
    enum jsv_regex_kind kind,
    size_t offset,
    struct jsv_regex_node **ret_node);

/* All of a term has been read but its quantifier. */
int jsv_regex_finish_term(
    struct jsv_regex_parser *parser, struct jsv_regex_node *node, bool quantifiable);

/* Read {2}, {2,} or {2,3}, or nothing. */
bool jsv_regex_read_braces(struct jsv_regex_parser *parser, uint32_t *ret_min, uint32_t *ret_max);

/* ---- group.c ---- */

/* Count the parentheses that capture, outside of classes and not escaped. */
unsigned jsv_regex_count_groups(struct jsv_str text);

/* At an opening parenthesis, and at a closing one. */
int jsv_regex_open_group(struct jsv_regex_parser *parser);
int jsv_regex_close_group(struct jsv_regex_parser *parser);

/* The least and the most that one of its branches can match. */
struct jsv_regex_width jsv_regex_group_width(const struct jsv_regex_group *group);

/* Let every reference know its group, when all of the pattern has been read. */
int jsv_regex_resolve_references(struct jsv_regex_parser *parser);
