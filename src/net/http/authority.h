/*
 * The host and port of a URI, as they stand in Host, in Origin and in an
 * absolute target. Names here are those that machines have: letters, digits,
 * "-", "." and "_"; an IPv6 address stands in brackets. User names, escapes and
 * the rest of what RFC 3986 would allow are refused, since nobody who means
 * well sends them and programs disagree about what they mean.
 */
#pragma once

#include <jsv/jsv.h>

struct net_http_authority {
    struct jsv_str host; /* with the brackets of an IPv6 address */
    struct jsv_str port; /* empty: the scheme's own */
};

/** Take apart a text. @return false when it is not an authority. */
bool net_http_authority_parse(struct jsv_str text, struct net_http_authority *ret_authority);
