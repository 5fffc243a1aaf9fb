/*
 * What follows a backslash.
 *
 * Unicode mode knows a short list of escapes and refuses all others. The
 * legacy grammar takes a backslash before anything for that thing itself. We
 * follow it for punctuation and digits (\-, \_, \8, octal \101), which is what
 * old patterns contain. A letter is different: \A, \Z, \h, \Q and the like mean
 * something in other engines, so whoever writes them does not want the letter.
 * To take it for one would be to answer another question in silence, so
 * letters without a meaning are refused.
 */
#include <errno.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/regex/parser.h"

/* Read exactly so many hex digits, or nothing. */
static bool read_hex(struct jsv_regex_parser *parser, size_t digits, uint32_t *ret_value)
{
    uint32_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = jsv_hex_value(jsv_regex_peek(parser, i));
        if (digit < 0) {
            return false;
        }
        value = value << 4 | (uint32_t)digit;
    }
    parser->offset += digits;
    *ret_value = value;
    return true;
}

/* Read "hex digits}" of \u{…}, or fail. */
static bool read_braced_hex(struct jsv_regex_parser *parser, uint32_t *ret_value)
{
    uint32_t value = 0;
    uint32_t digit;
    size_t start = parser->offset;
    while (read_hex(parser, 1, &digit)) {
        value = value << 4 | digit;
        if (value > JSV_CODE_POINT_MAX) {
            return false;
        }
    }
    if (parser->offset == start || !jsv_regex_accept(parser, '}')) {
        return false;
    }
    *ret_value = value;
    return true;
}

/* A \uDC00 to \uDFFF that completes a pair is read; anything else is left alone. */
static uint32_t read_low_surrogate(struct jsv_regex_parser *parser, uint32_t high)
{
    size_t start = parser->offset;
    uint32_t low;
    if (jsv_regex_accept(parser, '\\') && jsv_regex_accept(parser, 'u') &&
        read_hex(parser, 4, &low) && low >= 0xDC00 && low <= 0xDFFF) {
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    }
    parser->offset = start;
    return high;
}

int jsv_regex_read_unicode(struct jsv_regex_parser *parser, uint32_t *ret_character)
{
    size_t start = parser->offset - 2;
    if (jsv_regex_accept(parser, '{')) {
        if (!read_braced_hex(parser, ret_character)) {
            return jsv_regex_fail(
                parser, -EINVAL, start, "\\u{...} must hold hex digits up to 10FFFF");
        }
        return 0;
    }
    uint32_t unit;
    if (!read_hex(parser, 4, &unit)) {
        return jsv_regex_fail(
            parser, -EINVAL, start, "\\u must be followed by four hex digits or {...}");
    }
    bool high = unit >= 0xD800 && unit <= 0xDBFF;
    *ret_character = high ? read_low_surrogate(parser, unit) : unit;
    return 0;
}

static int read_hex_pair(struct jsv_regex_parser *parser, uint32_t *ret_character)
{
    if (!read_hex(parser, 2, ret_character)) {
        return jsv_regex_fail(
            parser, -EINVAL, parser->offset - 2, "\\x must be followed by two hex digits");
    }
    return 0;
}

static int read_control(struct jsv_regex_parser *parser, bool in_class, uint32_t *ret_character)
{
    char letter = jsv_regex_peek(parser, 0);
    bool legacy = in_class && !parser->strict && (jsv_is_digit(letter) || letter == '_');
    if (!jsv_is_alpha(letter) && !legacy) {
        return jsv_regex_fail(
            parser, -EINVAL, parser->offset - 2, "\\c must be followed by a letter");
    }
    parser->offset++;
    *ret_character = (uint32_t)letter % 32;
    return 0;
}

/* \101, \7, \0: as many octal digits as make no more than 255. */
static uint32_t read_octal(struct jsv_regex_parser *parser)
{
    uint32_t value = 0;
    char digit = jsv_regex_peek(parser, 0);
    for (int i = 0; i < 3 && digit >= '0' && digit <= '7'; i++) {
        uint32_t next = value * 8 + (uint32_t)(digit - '0');
        if (next > 255) {
            break;
        }
        value = next;
        parser->offset++;
        digit = jsv_regex_peek(parser, 0);
    }
    return value;
}

/* A number that names an existing group, or 0 and nothing read. */
static unsigned read_group_number(struct jsv_regex_parser *parser)
{
    unsigned number = 0;
    size_t digits = 0;
    while (jsv_is_digit(jsv_regex_peek(parser, digits))) {
        number = number * 10 + (unsigned)(jsv_regex_peek(parser, digits) - '0');
        digits++;
        if (number > parser->groups_total) {
            return 0;
        }
    }
    parser->offset += digits;
    return number;
}

/* What follows a backslash when it is a digit. */
static int
read_number(struct jsv_regex_parser *parser, bool in_class, struct jsv_regex_escape *ret_escape)
{
    char first = jsv_regex_peek(parser, 0);
    if (first != '0' && !in_class) {
        ret_escape->index = read_group_number(parser);
        if (ret_escape->index > 0) {
            ret_escape->kind = JSV_REGEX_ESCAPE_REFERENCE;
            return 0;
        }
    }
    bool null = first == '0' && !jsv_is_digit(jsv_regex_peek(parser, 1));
    if (parser->strict && !null) {
        return jsv_regex_fail(
            parser,
            -EINVAL,
            parser->offset - 1,
            in_class || first == '0' ? "octal escapes are legacy syntax"
                                     : "reference to a group that does not exist");
    }
    ret_escape->character = first >= '8' ? jsv_regex_read_literal(parser) : read_octal(parser);
    return 0;
}

/* "Any" and "ASCII" are ranges, "Assigned" is the opposite of a property, the rest are in a table.
 */
static int property_set(
    struct jsv_regex_parser *parser, struct jsv_str name, bool negated, struct jsv_charset *ret_set)
{
    struct jsv_charset_builder builder = jsv_charset_builder_on(parser->arena);
    size_t offset = (size_t)(name.data - parser->text.data);
    struct jsv_property property = {"", "Cn", true};
    int error;
    if (jsv_str_equal(name, JSV_STR("Any"))) {
        error = jsv_charset_add(&builder, 0, JSV_CODE_POINT_MAX);
    } else if (jsv_str_equal(name, JSV_STR("ASCII"))) {
        error = jsv_charset_add(&builder, 0, 0x7F);
    } else if (jsv_str_equal(name, JSV_STR("Assigned"))) {
        error = jsv_charset_add_property(&builder, &property, !negated);
    } else if (!jsv_property_find(name, &property)) {
        error = jsv_regex_fail(parser, -EINVAL, offset, "there is no such Unicode property");
    } else if (!property.known && !parser->strict) {
        error = jsv_regex_fail(
            parser, -EINVAL, offset, "unsupported: a Unicode property that PCRE2 does not know");
    } else {
        error = jsv_charset_add_property(&builder, &property, negated);
    }
    return error ? error : jsv_charset_build(&builder, negated && !builder.properties, ret_set);
}

/* What follows \p or \P. */
static int read_property(struct jsv_regex_parser *parser, bool negated, struct jsv_charset *ret_set)
{
    size_t start = parser->offset - 2;
    const char *name = parser->text.data + parser->offset + 1;
    const char *end = NULL;
    if (jsv_regex_accept(parser, '{')) {
        end = memchr(name, '}', parser->text.size - parser->offset);
    }
    if (!end) {
        return jsv_regex_fail(
            parser, -EINVAL, start, "\\p must be followed by a property in braces");
    }
    parser->offset += (size_t)(end - name) + 1;
    return property_set(parser, (struct jsv_str){name, (size_t)(end - name)}, negated, ret_set);
}

static int outside_of(
    struct jsv_regex_parser *parser, const struct jsv_charset *set, struct jsv_charset *ret_set)
{
    struct jsv_charset_builder builder = jsv_charset_builder_on(parser->arena);
    int error = jsv_charset_add_outside(&builder, set);
    return error ? error : jsv_charset_build(&builder, false, ret_set);
}

/* \d and its like. @return 1 when the letter is one of them, 0 when it is not. */
static int read_set(struct jsv_regex_parser *parser, char letter, struct jsv_charset *ret_set)
{
    int error = 0;
    switch (letter) {
    case 'd':
        *ret_set = jsv_charset_digit;
        break;
    case 'w':
        *ret_set = jsv_charset_word;
        break;
    case 's':
        *ret_set = jsv_charset_space;
        break;
    case 'D':
        error = outside_of(parser, &jsv_charset_digit, ret_set);
        break;
    case 'W':
        error = outside_of(parser, &jsv_charset_word, ret_set);
        break;
    case 'S':
        error = outside_of(parser, &jsv_charset_space, ret_set);
        break;
    case 'p':
    case 'P':
        error = read_property(parser, letter == 'P', ret_set);
        break;
    default:
        return 0;
    }
    return error ? error : 1;
}

/* Letters that stand for one character. @return 1 when the letter is one of them, 0 when not. */
static int
read_character(struct jsv_regex_parser *parser, bool in_class, char letter, uint32_t *ret_character)
{
    static const char names[] = "fnrtv";
    static const char values[] = "\f\n\r\t\v";
    const char *name = memchr(names, letter, sizeof names - 1);
    int error = 0;
    if (name) {
        *ret_character = (unsigned char)values[name - names];
    } else if (letter == 'b' && in_class) {
        *ret_character = '\b';
    } else if (letter == 'c') {
        error = read_control(parser, in_class, ret_character);
    } else if (letter == 'x') {
        error = read_hex_pair(parser, ret_character);
    } else if (letter == 'u') {
        error = jsv_regex_read_unicode(parser, ret_character);
    } else {
        return 0;
    }
    return error ? error : 1;
}

/* \b, \B and \k, which have a meaning outside of classes only. @return 1 when it is one of them. */
static int read_outside_class(
    struct jsv_regex_parser *parser, char letter, struct jsv_regex_escape *ret_escape)
{
    switch (letter) {
    case 'b':
        ret_escape->kind = JSV_REGEX_ESCAPE_BOUNDARY;
        return 1;
    case 'B':
        ret_escape->kind = JSV_REGEX_ESCAPE_NOT_BOUNDARY;
        return 1;
    case 'k':
        if (!jsv_regex_accept(parser, '<')) {
            return jsv_regex_fail(
                parser, -EINVAL, parser->offset - 2, "\\k must be followed by <name>");
        }
        ret_escape->kind = JSV_REGEX_ESCAPE_REFERENCE;
        int error = jsv_regex_read_name(parser, &ret_escape->name);
        return error ? error : 1;
    default:
        return 0;
    }
}

/* What follows a backslash when it is a letter. */
static int
read_letter(struct jsv_regex_parser *parser, bool in_class, struct jsv_regex_escape *ret_escape)
{
    size_t start = parser->offset - 1;
    char letter = jsv_regex_peek(parser, 0);
    parser->offset++;
    int found = read_set(parser, letter, &ret_escape->set);
    if (found != 0) {
        ret_escape->kind = JSV_REGEX_ESCAPE_SET;
    }
    if (found == 0) {
        found = read_character(parser, in_class, letter, &ret_escape->character);
    }
    if (found == 0 && !in_class) {
        found = read_outside_class(parser, letter, ret_escape);
    }
    if (found == 0) {
        return jsv_regex_fail(
            parser, -EINVAL, start, "a backslash before this letter has no meaning in ECMA-262");
    }
    return found < 0 ? found : 0;
}

/* Whether unicode mode lets a backslash take the meaning from this character. */
static bool is_syntax(char byte, bool in_class)
{
    return (byte == '-' && in_class) || (byte != '\0' && strchr("^$\\.*+?()[]{}|/", byte));
}

int jsv_regex_read_escape(
    struct jsv_regex_parser *parser, bool in_class, struct jsv_regex_escape *ret_escape)
{
    *ret_escape = (struct jsv_regex_escape){.kind = JSV_REGEX_ESCAPE_CHARACTER};
    if (jsv_regex_at_end(parser)) {
        return jsv_regex_fail(
            parser, -EINVAL, parser->offset - 1, "the pattern ends in a backslash");
    }
    char first = jsv_regex_peek(parser, 0);
    if (jsv_is_digit(first)) {
        return read_number(parser, in_class, ret_escape);
    }
    if (jsv_is_alpha(first)) {
        return read_letter(parser, in_class, ret_escape);
    }
    if (parser->strict && !is_syntax(first, in_class)) {
        return jsv_regex_fail(
            parser, -EINVAL, parser->offset - 1, "this character must not be escaped");
    }
    ret_escape->character = jsv_regex_read_literal(parser);
    return 0;
}
