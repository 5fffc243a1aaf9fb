/*
 * The names of headers that are asked for, as numbers. A name is recognised
 * once, when its line is read; from then on the header is a place in a table.
 */
#pragma once

#include <jsv/jsv.h>

enum net_http_name {
    NET_HTTP_NAME_OTHER,
#define NAME(constant, first, text) NET_HTTP_NAME_##constant,
#include "net/http/names.def"
#undef NAME
    NET_HTTP_NAME_COUNT,
};

/** Which name a text is, ignoring case; NET_HTTP_NAME_OTHER when it is none of ours. */
enum net_http_name net_http_name_of(struct jsv_str text);

/** The name in small letters. @param name Not NET_HTTP_NAME_OTHER. */
struct jsv_str net_http_name_text(enum net_http_name name);
