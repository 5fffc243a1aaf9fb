/*
 * From text to tree, term by term.
 *
 * The parser goes over the pattern once, from left to right, and keeps the
 * innermost open group; groups know their parents, so there is no recursion.
 * One thing must be known ahead: how many capturing groups there are, since
 * the legacy grammar takes \2 for a character when there is no second group.
 */
#include <errno.h>

#include "jsv/base/utf8.h"
#include "jsv/regex/parser.h"

int jsv_regex_fail(struct jsv_regex_parser *parser, int error, size_t offset, const char *message)
{
    parser->fault = (struct jsv_regex_fault){offset, message};
    return error;
}

uint32_t jsv_regex_read_literal(struct jsv_regex_parser *parser)
{
    struct jsv_str rest = {parser->text.data + parser->offset, parser->text.size - parser->offset};
    uint32_t character;
    parser->offset += jsv_utf8_decode(rest, &character);
    return character;
}

static int add_assertion(struct jsv_regex_parser *parser, enum jsv_regex_kind kind, size_t offset)
{
    struct jsv_regex_node *node;
    int error = jsv_regex_add_node(parser, kind, offset, &node);
    return error ? error : jsv_regex_finish_term(parser, node, false);
}

static int add_set(struct jsv_regex_parser *parser, const struct jsv_charset *set, size_t offset)
{
    struct jsv_regex_node *node;
    int error = jsv_regex_add_node(parser, JSV_REGEX_SET, offset, &node);
    if (error) {
        return error;
    }
    node->set = *set;
    node->set_index = parser->syntax.set_count++;
    node->width = (struct jsv_regex_width){1, 1};
    if (set->properties) {
        parser->syntax.regular = false;
    }
    return jsv_regex_finish_term(parser, node, true);
}

static int add_character(struct jsv_regex_parser *parser, uint32_t character, size_t offset)
{
    struct jsv_charset_builder builder = jsv_charset_builder_on(parser->arena);
    struct jsv_charset set;
    int error = jsv_charset_add(&builder, character, character);
    error = error ? error : jsv_charset_build(&builder, false, &set);
    return error ? error : add_set(parser, &set, offset);
}

static int add_literal(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset;
    return add_character(parser, jsv_regex_read_literal(parser), offset);
}

static int
add_reference(struct jsv_regex_parser *parser, const struct jsv_regex_escape *escape, size_t offset)
{
    struct jsv_regex_node *node;
    int error = jsv_regex_add_node(parser, JSV_REGEX_REFERENCE, offset, &node);
    if (error) {
        return error;
    }
    node->reference = (struct jsv_regex_reference){
        .index = escape->index,
        .name = escape->name,
        .next = parser->syntax.references,
    };
    node->width = (struct jsv_regex_width){0, JSV_REGEX_UNBOUNDED};
    parser->syntax.references = node;
    parser->syntax.regular = false;
    return jsv_regex_finish_term(parser, node, true);
}

static int add_boundary(struct jsv_regex_parser *parser, enum jsv_regex_kind kind, size_t offset)
{
    parser->syntax.regular = false;
    return add_assertion(parser, kind, offset);
}

static int add_escape(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset++;
    struct jsv_regex_escape escape;
    int error = jsv_regex_read_escape(parser, false, &escape);
    if (error) {
        return error;
    }
    switch (escape.kind) {
    case JSV_REGEX_ESCAPE_SET:
        return add_set(parser, &escape.set, offset);
    case JSV_REGEX_ESCAPE_REFERENCE:
        return add_reference(parser, &escape, offset);
    case JSV_REGEX_ESCAPE_BOUNDARY:
        return add_boundary(parser, JSV_REGEX_BOUNDARY, offset);
    case JSV_REGEX_ESCAPE_NOT_BOUNDARY:
        return add_boundary(parser, JSV_REGEX_NOT_BOUNDARY, offset);
    case JSV_REGEX_ESCAPE_CHARACTER:
    default:
        return add_character(parser, escape.character, offset);
    }
}

static int add_class(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset++;
    struct jsv_charset set;
    int error = jsv_regex_read_class(parser, &set);
    return error ? error : add_set(parser, &set, offset);
}

static int add_dot(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset++;
    struct jsv_charset_builder builder = jsv_charset_builder_on(parser->arena);
    struct jsv_charset set;
    int error = jsv_charset_add_outside(&builder, &jsv_charset_newline);
    error = error ? error : jsv_charset_build(&builder, false, &set);
    return error ? error : add_set(parser, &set, offset);
}

/* A {, } or ] where a term should begin: legacy grammar takes it for itself. */
static int lone_bracket(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset;
    char bracket = jsv_regex_peek(parser, 0);
    uint32_t min;
    uint32_t max;
    if (bracket == '{' && jsv_regex_read_braces(parser, &min, &max)) {
        return jsv_regex_fail(parser, -EINVAL, offset, "there is nothing to repeat");
    }
    if (parser->strict) {
        return jsv_regex_fail(
            parser, -EINVAL, offset, "a bracket that stands for itself must be escaped");
    }
    /* [[:alpha:]] would be one of [ : a l p h, followed by a ]: surely not what was meant. */
    if (bracket == ']' && parser->posix_offset != SIZE_MAX) {
        return jsv_regex_fail(
            parser, -EINVAL, parser->posix_offset, "ECMA-262 has no POSIX classes");
    }
    return add_literal(parser);
}

/* ---- the whole ---- */

static int read_next(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset;
    switch (jsv_regex_peek(parser, 0)) {
    case '|':
        parser->offset++;
        return jsv_regex_add_branch(parser, &parser->group->group);
    case '(':
        return jsv_regex_open_group(parser);
    case ')':
        return jsv_regex_close_group(parser);
    case '*':
    case '+':
    case '?':
        return jsv_regex_fail(parser, -EINVAL, offset, "there is nothing to repeat");
    case '{':
    case '}':
    case ']':
        return lone_bracket(parser);
    case '^':
        parser->offset++;
        return add_assertion(parser, JSV_REGEX_START, offset);
    case '$':
        parser->offset++;
        return add_assertion(parser, JSV_REGEX_END, offset);
    case '.':
        return add_dot(parser);
    case '[':
        return add_class(parser);
    case '\\':
        return add_escape(parser);
    default:
        return add_literal(parser);
    }
}

static int parse_all(struct jsv_regex_parser *parser)
{
    while (!jsv_regex_at_end(parser)) {
        int error = read_next(parser);
        if (error) {
            return error;
        }
    }
    if (parser->group->parent) {
        return jsv_regex_fail(
            parser, -EINVAL, parser->group->offset, "the parenthesis is not closed");
    }
    parser->group->width = jsv_regex_group_width(&parser->group->group);
    return jsv_regex_resolve_references(parser);
}

static int check_text(struct jsv_regex_parser *parser)
{
    if (parser->text.size > JSV_REGEX_PATTERN_SIZE_MAX) {
        return jsv_regex_fail(
            parser, -E2BIG, JSV_REGEX_PATTERN_SIZE_MAX, "the pattern is longer than 64 KiB");
    }
    size_t valid = jsv_utf8_valid_prefix(parser->text);
    if (valid < parser->text.size) {
        return jsv_regex_fail(parser, -EINVAL, valid, "the pattern is not valid UTF-8");
    }
    parser->groups_total = jsv_regex_count_groups(parser->text);
    if (parser->groups_total > JSV_REGEX_GROUPS_MAX) {
        return jsv_regex_fail(parser, -E2BIG, 0, "there are more than 1,000 capturing groups");
    }
    return 0;
}

static int begin(struct jsv_regex_parser *parser)
{
    int error = check_text(parser);
    if (error) {
        return error;
    }
    parser->groups =
        jsv_arena_array(parser->arena, parser->groups_total + 1, sizeof parser->groups[0]);
    if (!parser->groups) {
        return -ENOMEM;
    }
    error = jsv_regex_add_node(parser, JSV_REGEX_GROUP, 0, &parser->group);
    if (error) {
        return error;
    }
    parser->syntax.root = parser->group;
    return jsv_regex_add_branch(parser, &parser->group->group);
}

int jsv_regex_parse(
    struct jsv_str pattern,
    bool strict,
    struct jsv_arena *arena,
    struct jsv_regex_syntax *ret_syntax,
    struct jsv_regex_fault *reterr_fault)
{
    struct jsv_regex_parser parser = {
        .text = pattern,
        .strict = strict,
        .posix_offset = SIZE_MAX,
        .arena = arena,
        .syntax = {.regular = true},
    };
    int error = begin(&parser);
    error = error ? error : parse_all(&parser);
    if (!error) {
        *ret_syntax = parser.syntax;
    } else if (error != -ENOMEM) {
        *reterr_fault = parser.fault;
    }
    return error;
}
