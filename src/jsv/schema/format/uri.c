/*
 * URIs (RFC 3986) and IRIs (RFC 3987): taken apart first, then each part
 * against the characters it may hold. An IRI may hold characters beyond ASCII
 * wherever a URI may hold a letter; its query may hold private ones as well.
 */
#include "jsv/schema/registry/uri.h"

#include <string.h>

#include "jsv/base/utf8.h"
#include "jsv/schema/format/check.h"
#include "jsv/schema/format/take.h"
#include "jsv/schema/format/unicode.h"

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
    /* Invisible marks of writing direction would not survive being read off a screen (4.1). */
    if (jsv_is_bidi_mark(point) || !(((allowed & WIDE) && jsv_is_ucschar(point)) ||
                                     ((allowed & PRIVATE) && jsv_is_iprivate(point)))) {
        return false;
    }
    *text = jsv_skip(*text, size);
    return true;
}

/* Whether a part holds allowed characters and percent-encoding only. */
static bool holds(struct jsv_str part, unsigned allowed)
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

/* "v1.anything", for addresses yet to come. */
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
           !memchr(text.data, '%', text.size) && holds(text, USER_INFO);
}

/* Cut the host off, up to its port. */
static bool take_host(struct jsv_str *text, unsigned wide)
{
    char end = jsv_take_char(text, '[') ? ']' : ':';
    const char *at = text->size > 0 ? memchr(text->data, end, text->size) : NULL;
    struct jsv_str host = {text->data, at ? (size_t)(at - text->data) : text->size};
    *text = jsv_skip(*text, host.size);
    if (end == ':') {
        return holds(host, REG_NAME | wide);
    }
    return jsv_take_char(text, ']') && (jsv_format_ipv6(host) || is_future_address(host));
}

static bool is_authority(struct jsv_str text, unsigned wide)
{
    const char *at = text.size > 0 ? memchr(text.data, '@', text.size) : NULL;
    if (at) {
        struct jsv_str user = {text.data, (size_t)(at - text.data)};
        if (!holds(user, USER_INFO | wide)) {
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

/* ---- the whole ---- */

/* A colon in a relative path's first segment would make a scheme of what stands before it. */
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
    return holds(parts->path, PATH | wide) &&
           holds(parts->query, QUERY | wide | (wide ? PRIVATE : 0)) &&
           holds(parts->fragment, QUERY | wide);
}

bool jsv_format_uri_reference(struct jsv_str text)
{
    struct jsv_uri_parts parts = jsv_uri_take_apart(text);
    return is_reference(&parts, 0);
}

bool jsv_format_uri(struct jsv_str text)
{
    struct jsv_uri_parts parts = jsv_uri_take_apart(text);
    return parts.scheme.data && is_reference(&parts, 0);
}

bool jsv_format_iri_reference(struct jsv_str text)
{
    struct jsv_uri_parts parts = jsv_uri_take_apart(text);
    return is_reference(&parts, WIDE);
}

bool jsv_format_iri(struct jsv_str text)
{
    struct jsv_uri_parts parts = jsv_uri_take_apart(text);
    return parts.scheme.data && is_reference(&parts, WIDE);
}
