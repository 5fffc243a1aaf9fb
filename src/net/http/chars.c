#include "net/http/chars.h"

#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/word.h"

/* Short names for the table below only. */
#define T NET_HTTP_CHAR_TOKEN
#define V NET_HTTP_CHAR_VALUE
#define U NET_HTTP_CHAR_TARGET
#define H NET_HTTP_CHAR_HOST
#define P (NET_HTTP_CHAR_TARGET | NET_HTTP_CHAR_PLAIN)

/* Bytes that are not listed, the control characters, are part of nothing. */
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

/* Sixteen bytes that are looked at together. */
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

/* Whether a text, at least as long as a block, is free of them. */
static bool has_no_controls(struct jsv_str text)
{
    /* The last block ends where the text does; bytes before it may be looked at twice. */
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

/* Each byte of a word is 1. */
#define ONES UINT64_C(0x0101010101010101)

/* jsv_to_lower() of eight bytes: those from A to Z, which have no high bit, get the bit 0x20. */
static uint64_t to_lower(uint64_t word)
{
    uint64_t low = word & 0x7f * ONES;
    uint64_t from_a = low + (0x80 - 'A') * ONES;
    uint64_t behind_z = low + (0x7f - 'Z') * ONES;
    uint64_t upper = (from_a ^ behind_z) & ~word & 0x80 * ONES;
    return word | upper >> 2;
}

static bool is_same_word(uint64_t a, uint64_t b)
{
    return a == b || to_lower(a) == to_lower(b);
}

/* Whether as many bytes are equal but for the case of letters. */
static bool is_same(const char *a, const char *b, size_t size)
{
    size_t at = 0;
    if (size < sizeof(uint64_t)) {
        while (at < size && jsv_to_lower(a[at]) == jsv_to_lower(b[at])) {
            at++;
        }
        return at == size;
    }
    /* The last word ends where the text does; bytes before it may be compared twice. */
    size_t last = size - sizeof(uint64_t);
    while (is_same_word(jsv_load_word(a + at), jsv_load_word(b + at))) {
        if (at == last) {
            return true;
        }
        at = last - at > sizeof(uint64_t) ? at + sizeof(uint64_t) : last;
    }
    return false;
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
