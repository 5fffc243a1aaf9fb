/*
 * Host names: labels with dots in between, each at most 63 octets, all of it
 * at most 253 (RFC 1035 counts a length octet per label and one more at the
 * end, 255 in all). Lengths are those of the name in ASCII.
 */
#include <string.h>

#include "jsv/schema/format/check.h"
#include "jsv/schema/format/idna.h"
#include "jsv/schema/format/take.h"

#define NAME_MAX_SIZE 253

enum rules {
    /* What starts with "xn--" must be an A-label; without this it is a label as any other. */
    RULE_A_LABELS = 1 << 0,
    RULE_U_LABELS = 1 << 1,
    /* Four numbers are an address, no name (RFC 1123, section 2.1). */
    RULE_NO_ADDRESS = 1 << 2,
    /* The full stops of Chinese and Japanese separate labels as well (RFC 3490, section 3.1). */
    RULE_WIDE_DOTS = 1 << 3,
    RULE_NORMALISE = 1 << 4,
};

struct name {
    size_t ascii_size; /* with a dot behind each label */
    size_t labels;
    size_t numeric_labels;
    bool bidi;             /* a label holds characters written from right to left */
    bool breaks_bidi_rule; /* a label would not be allowed in such a name */
};

/* Bytes of the dot at the start of the text; 0 when there is none. */
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

/* Cut a label and the dot behind it off the text. *ret_more: whether there was a dot. */
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

/* Letters, digits and hyphens, none of these at either end (RFC 952, RFC 1123). */
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

/* Of the Bidi rule nothing but the first condition can be broken in ASCII. */
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

bool jsv_format_hostname_ascii(struct jsv_str text)
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

bool jsv_is_mail_domain(struct jsv_str text)
{
    return is_name(text, 0) > 0;
}

int jsv_is_idn_mail_domain(struct jsv_str text)
{
    return is_name(text, RULE_U_LABELS | RULE_NORMALISE);
}
