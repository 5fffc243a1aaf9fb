/*
 * URIs (RFC 3986), IRIs (RFC 3987) and URI templates (RFC 6570). A URI is split
 * into its parts first, then each part is checked for allowed characters. An
 * IRI allows characters beyond ASCII wherever a URI allows a letter; its query
 * also allows private ones.
 */
#include "jsv/schema/registry/uri.h"

#include <string.h>

#include "jsv/base/utf8.h"
#include "jsv/schema/format/format.h"
#include "jsv/schema/format/take.h"

/* ---- characters beyond ASCII (RFC 3987, section 2.2) ---- */

/* Allowed where a letter is: no controls, private use or non-characters. */
static bool is_ucschar(uint32_t point)
{
    if (point < 0x10000) {
        return (point >= 0xA0 && point <= 0xD7FF) || (point >= 0xF900 && point <= 0xFDCF) ||
               (point >= 0xFDF0 && point <= 0xFFEF);
    }
    /* The last two of each plane are non-characters, the last two planes are private. */
    return point <= 0xEFFFD && (point & 0xFFFF) <= 0xFFFD &&
           !(point >= 0xE0000 && point <= 0xE0FFF);
}

static bool is_iprivate(uint32_t point)
{
    return (point >= 0xE000 && point <= 0xF8FF) ||
           (point >= 0xF0000 && point <= 0x10FFFD && (point & 0xFFFF) <= 0xFFFD);
}

/* LRM, RLM, LRE, RLE, PDF, LRO, RLO: marks of writing direction. */
static bool is_bidi_mark(uint32_t point)
{
    return point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E);
}

/* ---- URIs and IRIs ---- */

enum characters {
    UNRESERVED = 1 << 0,
    SUB_DELIMITER = 1 << 1,
    COLON = 1 << 2,
    AT = 1 << 3,
    SLASH = 1 << 4,
    QUESTION = 1 << 5,
    WIDE = 1 << 6,    /* beyond ASCII */
    PRIVATE = 1 << 7, /* beyond ASCII and private */

    REG_NAME = UNRESERVED | SUB_DELIMITER,
    USER_INFO = REG_NAME | COLON,
    SEGMENT = USER_INFO | AT,
    PATH = SEGMENT | SLASH,
    QUERY = PATH | QUESTION,
};

static const unsigned char kinds[0x80] = {
    ['0' ... '9'] = UNRESERVED,
    ['A' ... 'Z'] = UNRESERVED,
    ['a' ... 'z'] = UNRESERVED,
    ['-'] = UNRESERVED,
    ['.'] = UNRESERVED,
    ['_'] = UNRESERVED,
    ['~'] = UNRESERVED,
    ['!'] = SUB_DELIMITER,
    ['$'] = SUB_DELIMITER,
    ['&' ... ','] = SUB_DELIMITER, /* & ' ( ) * + , */
    [';'] = SUB_DELIMITER,
    ['='] = SUB_DELIMITER,
    [':'] = COLON,
    ['@'] = AT,
    ['/'] = SLASH,
    ['?'] = QUESTION,
};

static bool take_wide(struct jsv_str *text, unsigned allowed)
{
    uint32_t point;
    size_t size = jsv_utf8_decode(*text, &point);
    /* A reader cannot see marks of writing direction, so they are not allowed (4.1). */
    if (is_bidi_mark(point) ||
        !(((allowed & WIDE) && is_ucschar(point)) || ((allowed & PRIVATE) && is_iprivate(point)))) {
        return false;
    }
    *text = jsv_skip(*text, size);
    return true;
}

/* Whether a part has only allowed characters and percent-encoding. */
static bool has_only(struct jsv_str part, unsigned allowed)
{
    while (part.size > 0) {
        char c = part.data[0];
        if (!jsv_is_ascii(c)) {
            if (!take_wide(&part, allowed)) {
                return false;
            }
        } else if (kinds[(unsigned char)c] & allowed) {
            part = jsv_skip(part, 1);
        } else if (!jsv_take_encoded(&part)) {
            return false;
        }
    }
    return true;
}

/* ---- authority ---- */

/* "v1.anything", for future kinds of address. */
static bool is_future_address(struct jsv_str text)
{
    if (!jsv_take_letter(&text, 'v')) {
        return false;
    }
    size_t size = 0;
    while (size < text.size && jsv_hex_value(text.data[size]) >= 0) {
        size++;
    }
    text = jsv_skip(text, size);
    return size > 0 && jsv_take_char(&text, '.') && text.size > 0 &&
           !memchr(text.data, '%', text.size) && has_only(text, USER_INFO);
}

/* Take the host, up to its port. */
static bool take_host(struct jsv_str *text, unsigned wide)
{
    char end = jsv_take_char(text, '[') ? ']' : ':';
    const char *at = text->size > 0 ? memchr(text->data, end, text->size) : NULL;
    struct jsv_str host = {text->data, at ? (size_t)(at - text->data) : text->size};
    *text = jsv_skip(*text, host.size);
    if (end == ':') {
        return has_only(host, REG_NAME | wide);
    }
    return jsv_take_char(text, ']') && (jsv_format_ipv6(host) || is_future_address(host));
}

static bool is_authority(struct jsv_str text, unsigned wide)
{
    const char *at = text.size > 0 ? memchr(text.data, '@', text.size) : NULL;
    if (at) {
        struct jsv_str user = {text.data, (size_t)(at - text.data)};
        if (!has_only(user, USER_INFO | wide)) {
            return false;
        }
        text = jsv_skip(text, user.size + 1);
    }
    if (!take_host(&text, wide)) {
        return false;
    }
    if (jsv_take_char(&text, ':')) {
        jsv_take_digits(&text);
    }
    return text.size == 0;
}

/* A colon in the first segment of a relative path would make that a scheme. */
static bool has_early_colon(struct jsv_str path)
{
    const char *colon = path.size > 0 ? memchr(path.data, ':', path.size) : NULL;
    const char *slash = path.size > 0 ? memchr(path.data, '/', path.size) : NULL;
    return colon && (!slash || colon < slash);
}

static bool is_reference(const struct jsv_uri_parts *parts, unsigned wide)
{
    if (parts->authority.data) {
        if (!is_authority(parts->authority, wide)) {
            return false;
        }
    } else if (!parts->scheme.data && has_early_colon(parts->path)) {
        return false;
    }
    return has_only(parts->path, PATH | wide) &&
           has_only(parts->query, QUERY | wide | (wide ? PRIVATE : 0)) &&
           has_only(parts->fragment, QUERY | wide);
}

int jsv_format_uri_reference(struct jsv_str text)
{
    struct jsv_uri_parts parts = jsv_uri_take_apart(text);
    return is_reference(&parts, 0);
}

int jsv_format_uri(struct jsv_str text)
{
    return jsv_uri_take_apart(text).scheme.data && jsv_format_uri_reference(text);
}

int jsv_format_iri_reference(struct jsv_str text)
{
    struct jsv_uri_parts parts = jsv_uri_take_apart(text);
    return is_reference(&parts, WIDE);
}

int jsv_format_iri(struct jsv_str text)
{
    return jsv_uri_take_apart(text).scheme.data && jsv_format_iri_reference(text);
}

/* ---- URI templates (RFC 6570, all levels) ---- */

/*
 * Text with expressions in braces; an expression is an optional operator and
 * variables separated by commas: /find{?what,where*}{&page:3}
 *
 * Operators reserved for later are part of the grammar. The apostrophe is
 * allowed in text, as in erratum 6937.
 */

/* A character of the text outside braces, or its percent-encoding. */
static bool take_literal(struct jsv_str *text)
{
    char c = text->data[0];
    if (c == '%') {
        return jsv_take_encoded(text);
    }
    uint32_t point;
    size_t size = jsv_utf8_decode(*text, &point);
    bool literal = jsv_is_ascii(c) ? c > ' ' && c < '\x7F' && !strchr("\"<>\\^`{|}", c)
                                   : is_ucschar(point) || is_iprivate(point);
    if (!literal) {
        return false;
    }
    *text = jsv_skip(*text, size);
    return true;
}

static bool take_name_char(struct jsv_str *text)
{
    if (text->size > 0 && (jsv_is_alnum(text->data[0]) || text->data[0] == '_')) {
        *text = jsv_skip(*text, 1);
        return true;
    }
    return jsv_take_encoded(text);
}

/* Name characters, with single dots between them. */
static bool take_name(struct jsv_str *text)
{
    do {
        if (!take_name_char(text)) {
            return false;
        }
        while (take_name_char(text)) {
        }
    } while (jsv_take_char(text, '.'));
    return true;
}

/* A name, with "*" (explode) or a prefix length of 1 to 9999. */
static bool take_variable(struct jsv_str *text)
{
    if (!take_name(text)) {
        return false;
    }
    if (jsv_take_char(text, '*') || !jsv_take_char(text, ':')) {
        return true;
    }
    bool leading_zero = text->size > 0 && text->data[0] == '0';
    size_t digits = jsv_take_digits(text);
    return digits >= 1 && digits <= 4 && !leading_zero;
}

/* The text after an opening brace, including the closing one. */
static bool take_expression(struct jsv_str *text)
{
    if (text->size > 0 && text->data[0] != '\0' && strchr("+#./;?&=,!@|", text->data[0])) {
        *text = jsv_skip(*text, 1);
    }
    do {
        if (!take_variable(text)) {
            return false;
        }
    } while (jsv_take_char(text, ','));
    return jsv_take_char(text, '}');
}

int jsv_format_uri_template(struct jsv_str text)
{
    while (text.size > 0) {
        if (!(jsv_take_char(&text, '{') ? take_expression(&text) : take_literal(&text))) {
            return false;
        }
    }
    return true;
}
