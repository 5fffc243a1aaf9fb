/*
 * URI templates (RFC 6570, all levels): text with expressions in braces, an
 * expression being an operator, if any, and variables with commas in between.
 *
 *     /find{?what,where*}{&page:3}
 *
 * Operators reserved for later are part of the grammar. The apostrophe is
 * allowed in text, as erratum 6937 has it.
 */
#include <string.h>

#include "jsv/base/utf8.h"
#include "jsv/schema/format/check.h"
#include "jsv/schema/format/take.h"
#include "jsv/schema/format/unicode.h"

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
                                   : jsv_is_ucschar(point) || jsv_is_iprivate(point);
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

/* Name characters; a dot may stand between two of them. */
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

/* A name, and whether to explode its value or to take a prefix of 1 to 9999 characters. */
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

/* What follows an opening brace, up to and with the closing one. */
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

bool jsv_format_uri_template(struct jsv_str text)
{
    while (text.size > 0) {
        if (!(jsv_take_char(&text, '{') ? take_expression(&text) : take_literal(&text))) {
            return false;
        }
    }
    return true;
}
