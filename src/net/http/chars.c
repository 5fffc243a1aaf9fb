#include "net/http/chars.h"

#include <string.h>

#include "jsv/base/ascii.h"

/* Short names for the table below only. */
#define T NET_HTTP_CHAR_TOKEN
#define V NET_HTTP_CHAR_VALUE
#define U NET_HTTP_CHAR_TARGET
#define H NET_HTTP_CHAR_HOST
#define P (NET_HTTP_CHAR_TARGET | NET_HTTP_CHAR_PLAIN)

/* Control characters are not listed: they are not allowed anywhere. */
const unsigned char net_http_chars[256] = {
    ['\t'] = V,
    [' '] = V,
    ['0' ... '9'] = T | V | P | H,
    ['A' ... 'Z'] = T | V | P | H,
    ['a' ... 'z'] = T | V | P | H,
    ['-'] = T | V | P | H,
    ['.'] = T | V | P | H,
    ['_'] = T | V | P | H,
    ['~'] = T | V | P,
    ['!'] = T | V | P,
    ['$'] = T | V | P,
    ['%'] = T | V | U,
    ['&'] = T | V | P,
    ['\''] = T | V | P,
    ['*'] = T | V | P,
    ['+'] = T | V | P,
    ['('] = V | P,
    [')'] = V | P,
    [','] = V | P,
    ['/'] = V | P,
    [':'] = V | P,
    [';'] = V | P,
    ['='] = V | P,
    ['?'] = V | U,
    ['@'] = V | P,
    ['#'] = T | V,
    ['^'] = T | V,
    ['`'] = T | V,
    ['|'] = T | V,
    ['"'] = V,
    ['<'] = V,
    ['>'] = V,
    ['['] = V,
    ['\\'] = V,
    [']'] = V,
    ['{'] = V,
    ['}'] = V,
    [0x80 ... 0xff] = V,
};

size_t net_http_span(struct jsv_str text, enum net_http_char kind)
{
    const char *data = text.data;
    size_t size = 0;
    while (size < text.size && net_http_char_is(data[size], kind)) {
        size++;
    }
    return size;
}

/* Sixteen bytes that are checked together. */
typedef unsigned char block __attribute__((vector_size(16)));

static block block_at(const char *data)
{
    block bytes;
    memcpy(&bytes, data, sizeof(bytes));
    return bytes;
}

/* Not 0 where a byte is a control character. */
static block controls(block bytes)
{
    return (block)(bytes < 0x20) | (block)(bytes == 0x7f);
}

/* @param text At least as long as a block. */
static bool has_no_controls(struct jsv_str text)
{
    /* The last block ends where the text does, so some bytes may be checked twice. */
    size_t last = text.size - sizeof(block);
    block found = controls(block_at(text.data + last));
    for (size_t at = 0; at < last; at += sizeof(block)) {
        found |= controls(block_at(text.data + at));
    }
    uint64_t halves[2];
    memcpy(halves, &found, sizeof(found));
    return (halves[0] | halves[1]) == 0;
}

bool net_http_is_value(struct jsv_str text)
{
    return (text.size >= sizeof(block) && has_no_controls(text)) ||
           net_http_span(text, NET_HTTP_CHAR_VALUE) == text.size;
}

static bool is_same(const char *a, const char *b, size_t size)
{
    size_t at = 0;
    while (at < size && jsv_to_lower(a[at]) == jsv_to_lower(b[at])) {
        at++;
    }
    return at == size;
}

bool net_http_equal(struct jsv_str a, struct jsv_str b)
{
    return a.size == b.size && is_same(a.data, b.data, b.size);
}

bool net_http_begins(struct jsv_str text, struct jsv_str prefix)
{
    return text.size >= prefix.size && is_same(text.data, prefix.data, prefix.size);
}

/* Bytes before the first comma outside quotes. */
static size_t element_size(struct jsv_str list)
{
    bool quoted = false;
    for (size_t i = 0; i < list.size; i++) {
        char c = list.data[i];
        if (c == '"') {
            quoted = !quoted;
        } else if (quoted && c == '\\') {
            i++;
        } else if (!quoted && c == ',') {
            return i;
        }
    }
    return list.size;
}

bool net_http_list_next(struct jsv_str *list, struct jsv_str *ret_element)
{
    while (list->size > 0) {
        size_t size = element_size(*list);
        struct jsv_str element = net_http_trim((struct jsv_str){list->data, size});
        *list = net_http_skip(*list, size < list->size ? size + 1 : size);
        if (element.size > 0) {
            *ret_element = element;
            return true;
        }
    }
    return false;
}

/* ---- authorities ---- */

/* Digits of 65535. */
#define PORT_DIGITS_MAX 5

static bool is_address_char(char c)
{
    return jsv_hex_value(c) >= 0 || c == ':' || c == '.';
}

/* Bytes of an IPv6 address with its brackets; 0 when there is none. Its meaning is not checked. */
static size_t bracketed_size(struct jsv_str text)
{
    size_t size = 1;
    while (size < text.size && is_address_char(text.data[size])) {
        size++;
    }
    return size > 1 && size < text.size && text.data[size] == ']' ? size + 1 : 0;
}

static bool is_port(struct jsv_str text)
{
    size_t digits = 0;
    while (digits < text.size && jsv_is_digit(text.data[digits])) {
        digits++;
    }
    return digits > 0 && digits <= PORT_DIGITS_MAX && digits == text.size;
}

bool net_http_authority_parse(struct jsv_str text, struct net_http_authority *ret_authority)
{
    bool bracketed = text.size > 0 && text.data[0] == '[';
    size_t size = bracketed ? bracketed_size(text) : net_http_span(text, NET_HTTP_CHAR_HOST);
    if (size == 0) {
        return false;
    }
    struct net_http_authority authority = {.host = {text.data, size}};
    struct jsv_str rest = net_http_skip(text, size);
    if (rest.size > 0) {
        authority.port = net_http_skip(rest, 1);
        if (rest.data[0] != ':' || !is_port(authority.port)) {
            return false;
        }
    }
    *ret_authority = authority;
    return true;
}
