/*
 * What a byte may be part of in HTTP (RFC 9110, RFC 9112, RFC 3986), and
 * comparing names, which ignore case. One table answers for all grammars, so
 * that no two readers of the same bytes can disagree about them.
 */
#pragma once

#include <jsv/jsv.h>

enum net_http_char {
    NET_HTTP_CHAR_TOKEN = 1,  /* methods and header names */
    NET_HTTP_CHAR_VALUE = 2,  /* header values: no control character but the tab */
    NET_HTTP_CHAR_TARGET = 4, /* path and query: what RFC 3986 allows, and no fragment */
    NET_HTTP_CHAR_HOST = 8,   /* names of hosts and IPv4 addresses */
    NET_HTTP_CHAR_PLAIN = 16, /* of a target, what begins neither an escape nor a query */
};

extern const unsigned char net_http_chars[256];

static inline bool net_http_char_is(char c, enum net_http_char kind)
{
    return (net_http_chars[(unsigned char)c] & (unsigned)kind) != 0;
}

/** How many bytes at the start of the text are of the kind. */
size_t net_http_span(struct jsv_str text, enum net_http_char kind);

/** Whether all bytes may stand in a header's value. */
bool net_http_is_value(struct jsv_str text);

/** Equal but for the case of ASCII letters. */
bool net_http_equal(struct jsv_str a, struct jsv_str b);

/** Whether text begins with prefix, ignoring case. */
bool net_http_begins(struct jsv_str text, struct jsv_str prefix);

/** The text without its first bytes. @param size At most text.size. */
static inline struct jsv_str net_http_skip(struct jsv_str text, size_t size)
{
    /* An empty text may have no data, and nothing may be added to NULL, not even 0. */
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
 * Take the next element off a list with commas. Commas inside quotes do not
 * count; empty elements are passed over.
 *
 * @param list Shortened to what comes behind the element.
 * @param ret_element Trimmed and not empty.
 * @return false when there is no element left.
 */
bool net_http_list_next(struct jsv_str *list, struct jsv_str *ret_element);
