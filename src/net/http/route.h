/*
 * From a path to what is meant by it.
 *
 * Paths are compared as they are: "/mcp/", "//mcp" and "/%6dcp" are not
 * "/mcp". Only a parameter is decoded, once, into something that is one name:
 * no control characters, UTF-8, and, unless it is the id of a tool or a prompt,
 * no "/", no "." or "..".
 */
#pragma once

#include "net/http/head.h"

/** Bytes of a parameter, decoded: as long as a file's name may be. */
#define NET_HTTP_PARAMETER_MAX 255

enum net_http_route {
    NET_HTTP_ROUTE_NONE, /* 404 */
#define ROUTE(constant, path, methods, flags, help) NET_HTTP_ROUTE_##constant,
#include "net/http/routes.def"
#undef ROUTE
    NET_HTTP_ROUTE_COUNT,
};

struct net_http_match {
    enum net_http_route route;
    size_t parameter_size;
    char parameter[NET_HTTP_PARAMETER_MAX];
};

/** Find the route of a path, which is percent-encoded and has no query. */
void net_http_route_find(struct jsv_str path, struct net_http_match *ret_match);

/** The route's parameter; empty when it has none. */
struct jsv_str net_http_route_parameter(const struct net_http_match *match);

/** Whether a route has a method; if not, 405. */
bool net_http_route_allows(enum net_http_route route, enum net_http_method method);
/** Append the methods of a route, for Allow. */
void net_http_route_allow(struct jsv_buf *out, enum net_http_route route);

/** Whether it is served without a token. */
bool net_http_route_is_open(enum net_http_route route);
/** Whether it is served under any Host. */
bool net_http_route_any_host(enum net_http_route route);
