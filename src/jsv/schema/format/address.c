/*
 * IP addresses. Three RFCs spell them, and not quite alike:
 *
 *                          leading zeros in 192.0.2.1     "::" stands for at least
 *   ipv4    RFC 2673       yes, three digits at most
 *   ipv6    RFC 4291       no (RFC 3986's dec-octet)      one group
 *   mail    RFC 5321       yes, three digits at most      two groups
 */
#include "jsv/schema/format/check.h"
#include "jsv/schema/format/take.h"

struct spelling {
    bool leading_zeros;
    unsigned elided_min;
};

static bool take_octet(struct jsv_str *text, bool leading_zeros)
{
    struct jsv_str octet = *text;
    octet.size = jsv_take_digits(text);
    if (octet.size == 0 || octet.size > 3 ||
        (octet.size > 1 && octet.data[0] == '0' && !leading_zeros)) {
        return false;
    }
    unsigned value = 0;
    for (size_t i = 0; i < octet.size; i++) {
        value = value * 10 + (unsigned)(octet.data[i] - '0');
    }
    return value <= 255;
}

static bool is_dotted_quad(struct jsv_str text, bool leading_zeros)
{
    for (unsigned i = 0; i < 4; i++) {
        if ((i > 0 && !jsv_take_char(&text, '.')) || !take_octet(&text, leading_zeros)) {
            return false;
        }
    }
    return text.size == 0;
}

/* One to four hexadecimal digits. */
static bool take_group(struct jsv_str *text)
{
    size_t size = 0;
    while (size < text->size && size < 4 && jsv_hex_value(text->data[size]) >= 0) {
        size++;
    }
    *text = jsv_skip(*text, size);
    return size > 0;
}

static bool take_double_colon(struct jsv_str *text)
{
    if (text->size < 2 || text->data[0] != ':' || text->data[1] != ':') {
        return false;
    }
    *text = jsv_skip(*text, 2);
    return true;
}

/*
 * Eight groups with a colon between each two; a dotted quad may stand for the
 * last two groups, "::" once for some groups of zeros.
 */
static bool is_ipv6(struct jsv_str text, struct spelling spelling)
{
    const unsigned all = 8;
    unsigned groups = 0;
    bool elided = take_double_colon(&text);
    while (text.size > 0) {
        if (is_dotted_quad(text, spelling.leading_zeros)) {
            groups += 2;
            break;
        }
        if (!take_group(&text) || ++groups > all) {
            return false;
        }
        if (text.size == 0) {
            break;
        }
        if (take_double_colon(&text)) {
            if (elided) {
                return false;
            }
            elided = true;
        } else if (!jsv_take_char(&text, ':') || text.size == 0) {
            return false;
        }
    }
    return elided ? groups + spelling.elided_min <= all : groups == all;
}

bool jsv_format_ipv4(struct jsv_str text)
{
    return is_dotted_quad(text, true);
}

bool jsv_format_ipv6(struct jsv_str text)
{
    return is_ipv6(text, (struct spelling){.leading_zeros = false, .elided_min = 1});
}

bool jsv_is_mail_address_literal(struct jsv_str text)
{
    struct jsv_str rest = text;
    if (jsv_take_letter(&rest, 'i') && jsv_take_letter(&rest, 'p') && jsv_take_letter(&rest, 'v') &&
        jsv_take_char(&rest, '6') && jsv_take_char(&rest, ':')) {
        return is_ipv6(rest, (struct spelling){.leading_zeros = true, .elided_min = 2});
    }
    return is_dotted_quad(text, true);
}
