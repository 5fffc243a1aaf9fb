/*
 * Finds the route of a path.
 *
 * Paths are compared byte by byte: "/mcp/", "//mcp" and "/%6dcp" are not "/mcp".
 * Only the parameter is decoded, once. It is UTF-8 without control characters,
 * and, unless it is the id of a tool or a prompt, not ".", not ".." and without
 * "/".
 */
#pragma once

#include "net/http/head.h"

/** Bytes of a decoded parameter: as long as a file name may be. */
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

/** @param path Percent-encoded, without the query. */
void net_http_route_find(struct jsv_str path, struct net_http_match *ret_match);

/** The route's parameter; empty when it has none. */
struct jsv_str net_http_route_parameter(const struct net_http_match *match);

/** Whether a route has a method; if not, 405. */
bool net_http_route_allows(enum net_http_route route, enum net_http_method method);
/** Append the methods of a route, for Allow. */
void net_http_route_allow(struct jsv_buf *out, enum net_http_route route);

/** Whether no token is needed. */
bool net_http_route_is_open(enum net_http_route route);
/** Whether any Host is allowed. */
bool net_http_route_any_host(enum net_http_route route);
