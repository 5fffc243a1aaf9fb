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
    uint64_t word;
    while (text.size >= sizeof(word)) {
        memcpy(&word, text.data, sizeof(word));
        if (has_control(word)) {
            break; /* perhaps a tab */
        }
        text = net_http_skip(text, sizeof(word));
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
    for (size_t i = 0; i < prefix.size; i++) {
        char a = text.data[i];
        char b = prefix.data[i];
        if (a != b && jsv_to_lower(a) != jsv_to_lower(b)) {
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
