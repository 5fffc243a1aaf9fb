/*
 * Names of groups. A name is an identifier of ECMAScript, which may hold
 * letters of any script; which code points those are, PCRE2 is asked.
 */
#include <errno.h>
#include <string.h>

#include "jsv/base/utf8.h"
#include "jsv/regex/match.h"
#include "jsv/regex/parser.h"

/* One character of a name, perhaps escaped. */
static int read_character(struct jsv_regex_parser *parser, uint32_t *ret_character)
{
    if (!jsv_regex_accept(parser, '\\')) {
        *ret_character = jsv_regex_read_literal(parser);
        return 0;
    }
    if (!jsv_regex_accept(parser, 'u')) {
        return jsv_regex_fail(
            parser, -EINVAL, parser->offset - 1, "in the name of a group only \\u is an escape");
    }
    return jsv_regex_read_unicode(parser, ret_character);
}

/* Read up to the > that is known to come. The name cannot be longer than its spelling. */
static int read_characters(struct jsv_regex_parser *parser, char *out, size_t *ret_size)
{
    size_t size = 0;
    while (!jsv_regex_accept(parser, '>')) {
        size_t start = parser->offset;
        uint32_t character = 0;
        int error = read_character(parser, &character);
        if (error) {
            return error;
        }
        if (jsv_is_surrogate(character)) {
            return jsv_regex_fail(
                parser, -EINVAL, start, "half a surrogate pair in the name of a group");
        }
        size += jsv_utf8_encode(character, out + size);
    }
    *ret_size = size;
    return 0;
}

int jsv_regex_read_name(struct jsv_regex_parser *parser, struct jsv_str *ret_name)
{
    size_t start = parser->offset;
    const char *text = parser->text.data + start;
    const char *end = memchr(text, '>', parser->text.size - start);
    if (!end) {
        return jsv_regex_fail(parser, -EINVAL, start, "the name of a group must end in >");
    }
    /* Room for a whole sequence at any place. */
    char *name = jsv_arena_alloc(parser->arena, (size_t)(end - text) + JSV_UTF8_SIZE_MAX);
    if (!name) {
        return -ENOMEM;
    }
    size_t size = 0;
    int error = read_characters(parser, name, &size);
    if (error) {
        return error;
    }
    *ret_name = (struct jsv_str){name, size};
    int valid = jsv_match_is_identifier(*ret_name, &parser->arena->allocator);
    if (valid == 0) {
        return jsv_regex_fail(parser, -EINVAL, start, "the name of a group must be an identifier");
    }
    return valid < 0 ? valid : 0;
}
