#include "net/http/authority.h"

#include "jsv/base/ascii.h"
#include "net/http/chars.h"

/* Digits of 65535. */
#define PORT_DIGITS_MAX 5

static bool is_address_char(char c)
{
    return jsv_hex_value(c) >= 0 || c == ':' || c == '.';
}

/* Bytes of an IPv6 address with its brackets; 0 when there is none. What it means nobody asks. */
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
