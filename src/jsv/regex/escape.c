/*
 * Escapes, names of groups, and classes in brackets.
 *
 * Unicode mode has a short list of escapes. In the legacy grammar a backslash
 * before any other character means that character. We accept that for
 * punctuation and digits (\-, \_, \8, octal \101), as old patterns have them,
 * but not for letters: \A, \Z, \h, \Q and the like have a meaning in other
 * engines, so a pattern that uses them would silently mean something else.
 */
#include <errno.h>
#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/utf8.h"
#include "jsv/regex/match.h"
#include "jsv/regex/parser.h"

/* Read exactly that many hex digits, or nothing. */
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

/* Read "hex digits}" of \u{…}. */
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

/* Read \uDC00 to \uDFFF if it completes a pair. */
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

static int read_unicode(struct jsv_regex_parser *parser, uint32_t *ret_character)
{
    size_t start = parser->offset - 2;
    if (jsv_regex_accept(parser, '{')) {
        if (!read_braced_hex(parser, ret_character)) {
            return jsv_regex_invalid(parser, start, "\\u{...} must hold hex digits up to 10FFFF");
        }
        return 0;
    }
    uint32_t unit;
    if (!read_hex(parser, 4, &unit)) {
        return jsv_regex_invalid(parser, start, "\\u must be followed by four hex digits or {...}");
    }
    bool high = unit >= 0xD800 && unit <= 0xDBFF;
    *ret_character = high ? read_low_surrogate(parser, unit) : unit;
    return 0;
}

/* ---- names of groups ---- */

/* A name is an ECMAScript identifier, with letters of any script; PCRE2 has the list. */

/* A character of a name, which may be escaped. */
static int read_name_character(struct jsv_regex_parser *parser, uint32_t *ret_character)
{
    if (!jsv_regex_accept(parser, '\\')) {
        *ret_character = jsv_regex_read_literal(parser);
        return 0;
    }
    if (!jsv_regex_accept(parser, 'u')) {
        return jsv_regex_invalid(
            parser, parser->offset - 1, "the only escape in a group name is \\u");
    }
    return read_unicode(parser, ret_character);
}

/* Read up to the >, which exists. The name is not longer than its source text. */
static int read_name_characters(struct jsv_regex_parser *parser, char *out, size_t *ret_size)
{
    size_t size = 0;
    while (!jsv_regex_accept(parser, '>')) {
        size_t start = parser->offset;
        uint32_t character = 0;
        int error = read_name_character(parser, &character);
        if (error) {
            return error;
        }
        if (jsv_is_surrogate(character)) {
            return jsv_regex_invalid(parser, start, "half a surrogate pair in a group name");
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
        return jsv_regex_invalid(parser, start, "a group name must end with >");
    }
    /* Space for a whole sequence at any position. */
    char *name = jsv_arena_alloc(parser->arena, (size_t)(end - text) + JSV_UTF8_SIZE_MAX);
    if (!name) {
        return -ENOMEM;
    }
    size_t size = 0;
    int error = read_name_characters(parser, name, &size);
    if (error) {
        return error;
    }
    *ret_name = (struct jsv_str){name, size};
    int valid = jsv_match_is_identifier(*ret_name, &parser->arena->allocator);
    if (valid == 0) {
        return jsv_regex_invalid(parser, start, "a group name must be an identifier");
    }
    return valid < 0 ? valid : 0;
}

/* ---- escapes ---- */

static int read_hex_pair(struct jsv_regex_parser *parser, uint32_t *ret_character)
{
    if (!read_hex(parser, 2, ret_character)) {
        return jsv_regex_invalid(
            parser, parser->offset - 2, "\\x must be followed by two hex digits");
    }
    return 0;
}

static int read_control(struct jsv_regex_parser *parser, bool in_class, uint32_t *ret_character)
{
    char letter = jsv_regex_peek(parser, 0);
    bool legacy = in_class && !parser->strict && (jsv_is_digit(letter) || letter == '_');
    if (!jsv_is_alpha(letter) && !legacy) {
        return jsv_regex_invalid(parser, parser->offset - 2, "\\c must be followed by a letter");
    }
    parser->offset++;
    *ret_character = (uint32_t)letter % 32;
    return 0;
}

/* \101, \7, \0: octal digits up to the value 255. */
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

/* Read the number of an existing group, or nothing. @return 0: nothing. */
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

/* An escape that begins with a digit. */
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
        return jsv_regex_invalid(
            parser,
            parser->offset - 1,
            in_class || first == '0' ? "octal escapes are legacy syntax"
                                     : "reference to a group that does not exist");
    }
    ret_escape->character = first >= '8' ? jsv_regex_read_literal(parser) : read_octal(parser);
    return 0;
}

/* "Any" and "ASCII" are ranges, "Assigned" is the complement of a property. */
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
        error = jsv_regex_invalid(parser, offset, "unknown Unicode property");
    } else if (!property.known && !parser->strict) {
        error = jsv_regex_invalid(
            parser, offset, "unsupported: PCRE2 does not have this Unicode property");
    } else {
        error = jsv_charset_add_property(&builder, &property, negated);
    }
    return error ? error : jsv_charset_build(&builder, negated && !builder.properties, ret_set);
}

/* The name after \p or \P. */
static int read_property(struct jsv_regex_parser *parser, bool negated, struct jsv_charset *ret_set)
{
    size_t start = parser->offset - 2;
    const char *name = parser->text.data + parser->offset + 1;
    const char *end = NULL;
    if (jsv_regex_accept(parser, '{')) {
        end = memchr(name, '}', parser->text.size - parser->offset);
    }
    if (!end) {
        return jsv_regex_invalid(parser, start, "\\p must be followed by a property in braces");
    }
    parser->offset += (size_t)(end - name) + 1;
    return property_set(parser, (struct jsv_str){name, (size_t)(end - name)}, negated, ret_set);
}

/* Escapes of sets. @return 1 if the letter is one of them, else 0; or an error. */
static int read_set(struct jsv_regex_parser *parser, char letter, struct jsv_charset *ret_set)
{
    static const struct jsv_charset *const sets[] = {
        &jsv_charset_digit, &jsv_charset_word, &jsv_charset_space};
    static const char names[] = "dwsDWS";
    const char *name = memchr(names, letter, sizeof names - 1);
    int error = 0;
    if (letter == 'p' || letter == 'P') {
        error = read_property(parser, letter == 'P', ret_set);
    } else if (!name) {
        return 0;
    } else if (name < names + 3) {
        *ret_set = *sets[name - names];
    } else {
        error = jsv_charset_complement(parser->arena, sets[name - names - 3], ret_set);
    }
    return error ? error : 1;
}

/* Escapes of one character. @return 1 if the letter is one of them, else 0; or an error. */
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
        error = read_unicode(parser, ret_character);
    } else {
        return 0;
    }
    return error ? error : 1;
}

/* \b, \B and \k, which are not allowed in classes. @return 1, 0 or an error. */
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
            return jsv_regex_invalid(parser, parser->offset - 2, "\\k must be followed by <name>");
        }
        ret_escape->kind = JSV_REGEX_ESCAPE_REFERENCE;
        int error = jsv_regex_read_name(parser, &ret_escape->name);
        return error ? error : 1;
    default:
        return 0;
    }
}

/* An escape that begins with a letter. */
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
        return jsv_regex_invalid(parser, start, "ECMA-262 has no such escape");
    }
    return found < 0 ? found : 0;
}

/* Whether unicode mode allows to escape this character. */
static bool is_syntax(char byte, bool in_class)
{
    return (byte == '-' && in_class) || (byte != '\0' && strchr("^$\\.*+?()[]{}|/", byte));
}

int jsv_regex_read_escape(
    struct jsv_regex_parser *parser, bool in_class, struct jsv_regex_escape *ret_escape)
{
    *ret_escape = (struct jsv_regex_escape){.kind = JSV_REGEX_ESCAPE_CHARACTER};
    if (jsv_regex_at_end(parser)) {
        return jsv_regex_invalid(parser, parser->offset - 1, "the pattern ends in a backslash");
    }
    char first = jsv_regex_peek(parser, 0);
    if (jsv_is_digit(first)) {
        return read_number(parser, in_class, ret_escape);
    }
    if (jsv_is_alpha(first)) {
        return read_letter(parser, in_class, ret_escape);
    }
    if (parser->strict && !is_syntax(first, in_class)) {
        return jsv_regex_invalid(parser, parser->offset - 1, "this character must not be escaped");
    }
    ret_escape->character = jsv_regex_read_literal(parser);
    return 0;
}

/* ---- classes ---- */

/* Whether a "[" in a class begins a POSIX class, which is an error (lone_bracket() in parse.c). */
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
            return jsv_regex_invalid(parser, start, "the range is out of order");
        }
        return jsv_charset_add(builder, first->character, last->character);
    }
    if (parser->strict) {
        return jsv_regex_invalid(parser, start, "a range cannot begin or end with a set");
    }
    /* Legacy: [\w-.] is a word character, a dash or a dot. */
    int error = add_atom(builder, first);
    error = error ? error : jsv_charset_add(builder, '-', '-');
    return error ? error : add_atom(builder, last);
}

/* A dash makes a range unless it is the last character of the class. */
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
            return jsv_regex_invalid(parser, start, "the class is not closed");
        }
        int error = read_item(parser, &builder);
        if (error) {
            return error;
        }
    }
    return jsv_charset_build(&builder, negated, ret_set);
}
