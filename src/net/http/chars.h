/*
 * The small grammars of HTTP (RFC 9110, RFC 9112, RFC 3986): what a byte may be
 * part of, lists, authorities, and names, which ignore case. One table holds
 * all kinds of bytes, so that two readers of the same bytes cannot disagree.
 */
#pragma once

#include <jsv/jsv.h>

enum net_http_char {
    NET_HTTP_CHAR_TOKEN = 1,  /* methods and header names */
    NET_HTTP_CHAR_VALUE = 2,  /* header values: no control character but the tab */
    NET_HTTP_CHAR_TARGET = 4, /* path and query: what RFC 3986 allows, and no fragment */
    NET_HTTP_CHAR_HOST = 8,   /* names of hosts and IPv4 addresses */
    NET_HTTP_CHAR_PLAIN = 16, /* of a target, but neither "%" nor "?" */
};

extern const unsigned char net_http_chars[256];

static inline bool net_http_char_is(char c, enum net_http_char kind)
{
    return (net_http_chars[(unsigned char)c] & (unsigned)kind) != 0;
}

/** How many bytes at the start of the text are of the kind. */
size_t net_http_span(struct jsv_str text, enum net_http_char kind);

/** Whether all bytes are allowed in a header's value. */
bool net_http_is_value(struct jsv_str text);

/** Compare, ignoring the case of ASCII letters. */
bool net_http_equal(struct jsv_str a, struct jsv_str b);

/** Whether text begins with prefix, ignoring case. */
bool net_http_begins(struct jsv_str text, struct jsv_str prefix);

/** The text without its first bytes. @param size At most text.size. */
static inline struct jsv_str net_http_skip(struct jsv_str text, size_t size)
{
    /* data of an empty text may be NULL, and adding even 0 to that is undefined. */
    return size > 0 ? (struct jsv_str){text.data + size, text.size - size} : text;
}

static inline bool net_http_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/** Without spaces and tabs at both ends. */
static inline struct jsv_str net_http_trim(struct jsv_str text)
{
    size_t begin = 0;
    size_t end = text.size;
    while (begin < end && net_http_is_blank(text.data[begin])) {
        begin++;
    }
    while (end > begin && net_http_is_blank(text.data[end - 1])) {
        end--;
    }
    text.size = end;
    return net_http_skip(text, begin);
}

/**
 * Take the next element off a comma-separated list. Commas inside quotes do not
 * separate; empty elements are skipped.
 *
 * @param list        Shortened to the rest behind the element.
 * @param ret_element Trimmed and not empty.
 * @return false when no element is left.
 */
bool net_http_list_next(struct jsv_str *list, struct jsv_str *ret_element);

/*
 * The host and port of Host, Origin or an absolute target. Hosts are names of
 * letters, digits, "-", "." and "_", or an IPv6 address in brackets. User names,
 * escapes and the rest of RFC 3986 are refused, because no honest client sends
 * them and programs disagree about what they mean.
 */
struct net_http_authority {
    struct jsv_str host; /* with the brackets of an IPv6 address */
    struct jsv_str port; /* empty: the default of the scheme */
};

/** @return false when the text is not an authority. */
bool net_http_authority_parse(struct jsv_str text, struct net_http_authority *ret_authority);
