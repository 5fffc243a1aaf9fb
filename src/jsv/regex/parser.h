/*
 * Shared by parse.c (terms and groups) and escape.c (escapes and classes).
 *
 * Functions that return int return 0 or a negative errno value; with -EINVAL
 * and -E2BIG they have set parser->fault.
 */
#pragma once

#include "jsv/regex/syntax.h"

struct jsv_regex_parser {
    struct jsv_str text;
    size_t offset; /* of the next byte to read */
    bool strict;
    unsigned groups_total; /* capturing groups in the whole pattern */
    unsigned groups_open;  /* those opened so far */
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

/* A byte ahead; 0 after the end, which has no meaning in patterns. */
static inline char jsv_regex_peek(const struct jsv_regex_parser *parser, size_t ahead)
{
    size_t left = parser->text.size - parser->offset;
    return ahead < left ? parser->text.data[parser->offset + ahead] : '\0';
}

/* Read a byte if it is the next one. */
static inline bool jsv_regex_accept(struct jsv_regex_parser *parser, char byte)
{
    if (jsv_regex_at_end(parser) || jsv_regex_peek(parser, 0) != byte) {
        return false;
    }
    parser->offset++;
    return true;
}

/* Set the fault. @return -EINVAL. */
int jsv_regex_invalid(struct jsv_regex_parser *parser, size_t offset, const char *message);

/* Read a code point. There must be one. */
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

/* Read an escape after its backslash. In a class there are no references and no \B. */
int jsv_regex_read_escape(
    struct jsv_regex_parser *parser, bool in_class, struct jsv_regex_escape *ret_escape);

/* Read a class after its [. */
int jsv_regex_read_class(struct jsv_regex_parser *parser, struct jsv_charset *ret_set);

/* Read "name>" of (?<name> or \k<name>. The name is UTF-8 without escapes. */
int jsv_regex_read_name(struct jsv_regex_parser *parser, struct jsv_str *ret_name);
