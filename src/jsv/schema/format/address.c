/*
 * IP addresses, host names and mail addresses.
 */
#include <string.h>

#include "jsv/schema/format/format.h"
#include "jsv/schema/format/idna.h"
#include "jsv/schema/format/take.h"

/* ---- IP addresses ---- */

/*
 * Three RFCs with different rules:
 *
 *                          leading zeros in 192.0.2.1     "::" replaces at least
 *   ipv4    RFC 2673       yes, at most three digits
 *   ipv6    RFC 4291       no (RFC 3986's dec-octet)      one group
 *   mail    RFC 5321       yes, at most three digits      two groups
 */
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
 * Eight groups separated by colons. A dotted quad may replace the last two
 * groups, and "::" once some groups of zeros.
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

int jsv_format_ipv4(struct jsv_str text)
{
    return is_dotted_quad(text, true);
}

int jsv_format_ipv6(struct jsv_str text)
{
    return is_ipv6(text, (struct spelling){.leading_zeros = false, .elided_min = 1});
}

static bool is_mail_address_literal(struct jsv_str text)
{
    struct jsv_str rest = text;
    if (jsv_take_letter(&rest, 'i') && jsv_take_letter(&rest, 'p') && jsv_take_letter(&rest, 'v') &&
        jsv_take_char(&rest, '6') && jsv_take_char(&rest, ':')) {
        return is_ipv6(rest, (struct spelling){.leading_zeros = true, .elided_min = 2});
    }
    return is_dotted_quad(text, true);
}

/* ---- host names ---- */

/*
 * Labels separated by dots, each of at most 63 octets, all of at most 253 (RFC
 * 1035 allows 255 with a length octet for each label and one at the end). The
 * sizes are those in ASCII.
 */
#define NAME_MAX_SIZE 253

enum rules {
    /* A label that starts with "xn--" must be an A-label. */
    RULE_A_LABELS = 1 << 0,
    RULE_U_LABELS = 1 << 1,
    /* Four numbers are an address and not a name (RFC 1123, section 2.1). */
    RULE_NO_ADDRESS = 1 << 2,
    /* Chinese and Japanese full stops also separate labels (RFC 3490, section 3.1). */
    RULE_WIDE_DOTS = 1 << 3,
    RULE_NORMALISE = 1 << 4,
};

struct name {
    size_t ascii_size; /* with a dot after each label */
    size_t labels;
    size_t numeric_labels;
    bool bidi;             /* a label has characters written from right to left */
    bool breaks_bidi_rule; /* a label breaks the Bidi rule */
};

/* The size of the dot at the start of the text; 0: none. */
static size_t dot_size(struct jsv_str text, unsigned rules)
{
    if (jsv_is_ascii(text.data[0])) {
        return text.data[0] == '.';
    }
    static const char wide[][4] = {"\u3002", "\uFF0E", "\uFF61"};
    for (size_t i = 0; i < sizeof(wide) / sizeof(*wide) && (rules & RULE_WIDE_DOTS); i++) {
        if (text.size >= 3 && memcmp(text.data, wide[i], 3) == 0) {
            return 3;
        }
    }
    return 0;
}

/* Take a label and the dot after it. *ret_more: whether there was a dot. */
static struct jsv_str take_label(struct jsv_str *text, unsigned rules, bool *ret_more)
{
    struct jsv_str label = {text->data, 0};
    struct jsv_str rest = *text;
    size_t dot = 0;
    while (rest.size > 0 && (dot = dot_size(rest, rules)) == 0) {
        rest = jsv_skip(rest, 1);
        label.size++;
    }
    *text = jsv_skip(rest, dot);
    *ret_more = dot > 0;
    return label;
}

static bool is_ascii(struct jsv_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!jsv_is_ascii(text.data[i])) {
            return false;
        }
    }
    return true;
}

/* Letters, digits and hyphens, no hyphen at either end (RFC 952, RFC 1123). */
static bool is_ldh_label(struct jsv_str text)
{
    if (text.size == 0 || text.size > JSV_LABEL_MAX || text.data[0] == '-' ||
        text.data[text.size - 1] == '-') {
        return false;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (!jsv_is_alnum(text.data[i]) && text.data[i] != '-') {
            return false;
        }
    }
    return true;
}

static bool is_numeric(struct jsv_str text)
{
    return jsv_take_digits(&text) > 0 && text.size == 0;
}

static int add_idn_label(struct name *name, struct jsv_str text, unsigned rules)
{
    struct jsv_label label;
    int r = jsv_label_from_idn(text, rules & RULE_NORMALISE, &label);
    if (r <= 0) {
        return r;
    }
    name->ascii_size += label.ascii_size;
    name->bidi = name->bidi || jsv_label_is_bidi(&label);
    name->breaks_bidi_rule = name->breaks_bidi_rule || !jsv_label_meets_bidi_rule(&label);
    return 1;
}

/* In ASCII only the first condition of the Bidi rule can be broken. */
static int add_ascii_label(struct name *name, struct jsv_str text, unsigned rules)
{
    if (!is_ldh_label(text)) {
        return 0;
    }
    if ((rules & RULE_A_LABELS) && jsv_label_has_prefix(text)) {
        return add_idn_label(name, text, rules);
    }
    name->ascii_size += text.size;
    name->numeric_labels += is_numeric(text);
    name->breaks_bidi_rule = name->breaks_bidi_rule || jsv_is_digit(text.data[0]);
    return 1;
}

static int add_label(struct name *name, struct jsv_str text, unsigned rules)
{
    name->labels++;
    name->ascii_size++;
    int r = 0;
    if (is_ascii(text)) {
        r = add_ascii_label(name, text, rules);
    } else if (rules & RULE_U_LABELS) {
        r = add_idn_label(name, text, rules);
    }
    return r <= 0 ? r : name->ascii_size <= NAME_MAX_SIZE + 1;
}

static int is_name(struct jsv_str text, unsigned rules)
{
    struct name name = {0};
    bool more = true;
    while (more) {
        struct jsv_str label = take_label(&text, rules, &more);
        int r = add_label(&name, label, rules);
        if (r <= 0) {
            return r;
        }
    }
    if ((rules & RULE_NO_ADDRESS) && name.labels == 4 && name.numeric_labels == 4) {
        return 0;
    }
    return !name.bidi || !name.breaks_bidi_rule;
}

int jsv_format_hostname_ascii(struct jsv_str text)
{
    return is_name(text, RULE_NO_ADDRESS) > 0;
}

int jsv_format_hostname(struct jsv_str text)
{
    return is_name(text, RULE_NO_ADDRESS | RULE_A_LABELS);
}

int jsv_format_idn_hostname(struct jsv_str text)
{
    return is_name(text, RULE_NO_ADDRESS | RULE_A_LABELS | RULE_U_LABELS | RULE_WIDE_DOTS);
}

static bool is_mail_domain(struct jsv_str text)
{
    return is_name(text, 0) > 0;
}

static int is_idn_mail_domain(struct jsv_str text)
{
    return is_name(text, RULE_U_LABELS | RULE_NORMALISE);
}

/* ---- mail addresses ---- */

/*
 * The Mailbox of RFC 5321 and, with characters beyond ASCII, of RFC 6531: a
 * local part, "@", and a domain or an address in brackets. The local part is
 * words separated by dots, or quoted text. IPv6 is the only registered tag of
 * an address in brackets.
 */
/* Octets before the "@" (RFC 5321, section 4.5.3.1.1). */
#define LOCAL_MAX_SIZE 64

static bool is_word_char(char c, bool wide)
{
    return jsv_is_ascii(c) ? jsv_is_alnum(c) || (c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c))
                           : wide;
}

static bool take_word(struct jsv_str *text, bool wide)
{
    size_t size = 0;
    while (size < text->size && is_word_char(text->data[size], wide)) {
        size++;
    }
    *text = jsv_skip(*text, size);
    return size > 0;
}

static bool take_words(struct jsv_str *text, bool wide)
{
    do {
        if (!take_word(text, wide)) {
            return false;
        }
    } while (jsv_take_char(text, '.'));
    return true;
}

static bool is_printable(char c)
{
    return c >= ' ' && c <= '~';
}

/* The text after an opening quote, including the closing one. */
static bool take_quoted(struct jsv_str *text, bool wide)
{
    while (!jsv_take_char(text, '"')) {
        bool escaped = jsv_take_char(text, '\\');
        bool fits = text->size > 0 && (is_printable(text->data[0]) ||
                                       (wide && !escaped && !jsv_is_ascii(text->data[0])));
        if (!fits) {
            return false;
        }
        *text = jsv_skip(*text, 1);
    }
    return true;
}

/* Everything including the "@". */
static bool take_local_part(struct jsv_str *text, bool wide)
{
    size_t before = text->size;
    bool taken = jsv_take_char(text, '"') ? take_quoted(text, wide) : take_words(text, wide);
    return taken && before - text->size <= LOCAL_MAX_SIZE && jsv_take_char(text, '@');
}

static bool is_bracketed(struct jsv_str text)
{
    return text.size >= 2 && text.data[0] == '[' && text.data[text.size - 1] == ']';
}

static bool is_address_literal(struct jsv_str text)
{
    return is_mail_address_literal((struct jsv_str){text.data + 1, text.size - 2});
}

int jsv_format_email(struct jsv_str text)
{
    if (!take_local_part(&text, false)) {
        return false;
    }
    return is_bracketed(text) ? is_address_literal(text) : is_mail_domain(text);
}

int jsv_format_idn_email(struct jsv_str text)
{
    if (!take_local_part(&text, true)) {
        return 0;
    }
    return is_bracketed(text) ? is_address_literal(text) : is_idn_mail_domain(text);
}
