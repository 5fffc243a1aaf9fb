#include "net/http_chars.h"

#include <string.h>

#include "base/ascii.h"

/* Each byte of a word is 1. */
#define ONES UINT64_C(0x0101010101010101)

/* Short names for the table below only. */
#define T NET_HTTP_CHAR_TOKEN
#define V NET_HTTP_CHAR_VALUE
#define U NET_HTTP_CHAR_TARGET
#define H NET_HTTP_CHAR_HOST

/* Bytes that are not listed, the control characters, are part of nothing. */
const unsigned char net_http_chars[256] = {
    ['\t'] = V,
    [' '] = V,
    ['0' ... '9'] = T | V | U | H,
    ['A' ... 'Z'] = T | V | U | H,
    ['a' ... 'z'] = T | V | U | H,
    ['-'] = T | V | U | H,
    ['.'] = T | V | U | H,
    ['_'] = T | V | U | H,
    ['~'] = T | V | U,
    ['!'] = T | V | U,
    ['$'] = T | V | U,
    ['%'] = T | V | U,
    ['&'] = T | V | U,
    ['\''] = T | V | U,
    ['*'] = T | V | U,
    ['+'] = T | V | U,
    ['('] = V | U,
    [')'] = V | U,
    [','] = V | U,
    ['/'] = V | U,
    [':'] = V | U,
    [';'] = V | U,
    ['='] = V | U,
    ['?'] = V | U,
    ['@'] = V | U,
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

static uint64_t word_at(const char *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word;
}

/* jsv_to_lower() of eight bytes: those from A to Z, which have no high bit, get the bit 0x20. */
static uint64_t to_lower(uint64_t word)
{
    uint64_t low = word & 0x7f * ONES;
    uint64_t from_a = low + (0x80 - 'A') * ONES;
    uint64_t behind_z = low + (0x7f - 'Z') * ONES;
    uint64_t upper = (from_a ^ behind_z) & ~word & 0x80 * ONES;
    return word | upper >> 2;
}

/* The high bit of each byte of the word that is 0, and perhaps of some above it. */
static uint64_t zero_bytes(uint64_t word)
{
    return (word - ONES) & ~word & ONES << 7;
}

/* Whether some byte of the word may be a control character. */
static bool has_control(uint64_t word)
{
    return (zero_bytes(word & 0xe0 * ONES) | zero_bytes(word ^ 0x7f * ONES)) != 0;
}

bool net_http_is_value(struct jsv_str text)
{
    while (text.size >= sizeof(uint64_t)) {
        if (has_control(word_at(text.data))) {
            break; /* perhaps a tab */
        }
        text = net_http_skip(text, sizeof(uint64_t));
    }
    return net_http_span(text, NET_HTTP_CHAR_VALUE) == text.size;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct jsv_str net_http_trim(struct jsv_str text)
{
    while (text.size > 0 && is_blank(text.data[0])) {
        text = net_http_skip(text, 1);
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

bool net_http_equal(struct jsv_str a, struct jsv_str b)
{
    return a.size == b.size && net_http_begins(a, b);
}

bool net_http_begins(struct jsv_str text, struct jsv_str prefix)
{
    if (text.size < prefix.size) {
        return false;
    }
    size_t at = 0;
    for (; prefix.size - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        if (to_lower(word_at(text.data + at)) != to_lower(word_at(prefix.data + at))) {
            return false;
        }
    }
    for (; at < prefix.size; at++) {
        if (jsv_to_lower(text.data[at]) != jsv_to_lower(prefix.data[at])) {
            return false;
        }
    }
    return true;
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
