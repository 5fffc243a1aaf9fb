/*
 * Mail addresses, the Mailbox of RFC 5321 and, with characters beyond ASCII,
 * of RFC 6531: who, "@", where. The first is a word, or words with dots in
 * between, or anything in quotes; the second a domain or an address in
 * brackets. Of the tags RFC 5321 allows in front of an address only IPv6 was
 * ever registered.
 */
#include <string.h>

#include "jsv/schema/format/check.h"
#include "jsv/schema/format/take.h"

/* Octets before the "@" at most (RFC 5321, section 4.5.3.1.1). */
#define LOCAL_MAX_SIZE 64

/* What may stand in an unquoted word. */
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

/* Up to and with the closing quote; behind a backslash a quote does not close. */
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

/* Everything up to and with the "@". */
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
    return jsv_is_mail_address_literal((struct jsv_str){text.data + 1, text.size - 2});
}

bool jsv_format_email(struct jsv_str text)
{
    if (!take_local_part(&text, false)) {
        return false;
    }
    return is_bracketed(text) ? is_address_literal(text) : jsv_is_mail_domain(text);
}

int jsv_format_idn_email(struct jsv_str text)
{
    if (!take_local_part(&text, true)) {
        return 0;
    }
    return is_bracketed(text) ? is_address_literal(text) : jsv_is_idn_mail_domain(text);
}
