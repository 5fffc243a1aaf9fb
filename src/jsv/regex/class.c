/*
 * What stands in brackets.
 */
#include <errno.h>

#include "jsv/regex/parser.h"

/*
 * Whether a "[" in a class begins something like [:alpha:]. ECMA-262 has no
 * such classes; see lone_bracket() in parse.c for what comes of it.
 */
static bool begins_posix_class(const struct jsv_regex_parser *parser)
{
    size_t ahead = 2;
    if (jsv_regex_peek(parser, 1) != ':') {
        return false;
    }
    while (jsv_regex_peek(parser, ahead) >= 'a' && jsv_regex_peek(parser, ahead) <= 'z') {
        ahead++;
    }
    return ahead > 2 && jsv_regex_peek(parser, ahead) == ':' &&
           jsv_regex_peek(parser, ahead + 1) == ']';
}

/* One character or one set. */
static int read_atom(struct jsv_regex_parser *parser, struct jsv_regex_escape *ret_atom)
{
    if (jsv_regex_accept(parser, '\\')) {
        return jsv_regex_read_escape(parser, true, ret_atom);
    }
    if (jsv_regex_peek(parser, 0) == '[' && parser->posix_offset == SIZE_MAX &&
        begins_posix_class(parser)) {
        parser->posix_offset = parser->offset;
    }
    *ret_atom = (struct jsv_regex_escape){
        .kind = JSV_REGEX_ESCAPE_CHARACTER,
        .character = jsv_regex_read_literal(parser),
    };
    return 0;
}

static int add_atom(struct jsv_charset_builder *builder, const struct jsv_regex_escape *atom)
{
    if (atom->kind == JSV_REGEX_ESCAPE_SET) {
        return jsv_charset_add_set(builder, &atom->set);
    }
    return jsv_charset_add(builder, atom->character, atom->character);
}

static int add_range(
    struct jsv_regex_parser *parser,
    size_t start,
    struct jsv_charset_builder *builder,
    const struct jsv_regex_escape *first,
    const struct jsv_regex_escape *last)
{
    if (first->kind == JSV_REGEX_ESCAPE_CHARACTER && last->kind == JSV_REGEX_ESCAPE_CHARACTER) {
        if (first->character > last->character) {
            return jsv_regex_fail(parser, -EINVAL, start, "the range is out of order");
        }
        return jsv_charset_add(builder, first->character, last->character);
    }
    if (parser->strict) {
        return jsv_regex_fail(parser, -EINVAL, start, "a range cannot begin or end with a set");
    }
    /* Legacy: [\w-.] is a word character, a dash or a dot. */
    int error = add_atom(builder, first);
    error = error ? error : jsv_charset_add(builder, '-', '-');
    return error ? error : add_atom(builder, last);
}

/* A dash makes a range unless it is the last character of its class. */
static bool range_follows(const struct jsv_regex_parser *parser)
{
    return jsv_regex_peek(parser, 0) == '-' && parser->offset + 1 < parser->text.size &&
           jsv_regex_peek(parser, 1) != ']';
}

static int read_item(struct jsv_regex_parser *parser, struct jsv_charset_builder *builder)
{
    size_t start = parser->offset;
    struct jsv_regex_escape first;
    int error = read_atom(parser, &first);
    if (error) {
        return error;
    }
    if (!range_follows(parser)) {
        return add_atom(builder, &first);
    }
    parser->offset++;
    struct jsv_regex_escape last;
    error = read_atom(parser, &last);
    return error ? error : add_range(parser, start, builder, &first, &last);
}

int jsv_regex_read_class(struct jsv_regex_parser *parser, struct jsv_charset *ret_set)
{
    size_t start = parser->offset - 1;
    bool negated = jsv_regex_accept(parser, '^');
    struct jsv_charset_builder builder = jsv_charset_builder_on(parser->arena);
    while (!jsv_regex_accept(parser, ']')) {
        if (jsv_regex_at_end(parser)) {
            return jsv_regex_fail(parser, -EINVAL, start, "the class is not closed");
        }
        int error = read_item(parser, &builder);
        if (error) {
            return error;
        }
    }
    return jsv_charset_build(&builder, negated, ret_set);
}
