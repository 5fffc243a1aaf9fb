#include "net/http/route.h"

#include <string.h>

#include "jsv/base/percent.h"
#include "jsv/base/utf8.h"
#include "net/http/chars.h"

enum {
    OPEN = 1,
    ANY_HOST = 2,
    ID = 4,
};

struct route {
    struct jsv_str path;
    unsigned methods;
    unsigned flags;
};

/* Short names for the table. */
#define GET    (NET_HTTP_GET | NET_HTTP_HEAD)
#define POST   NET_HTTP_POST
#define DELETE NET_HTTP_DELETE

static const struct route routes[NET_HTTP_ROUTE_COUNT] = {
#define ROUTE(constant, text, methods, flags, help)                                                \
    [NET_HTTP_ROUTE_##constant] = {{text, sizeof(text) - 1}, methods, flags},
#include "net/http/routes.def"
#undef ROUTE
};

static bool has_parameter(const struct route *route)
{
    return route->path.size > 1 && route->path.data[route->path.size - 1] == '/';
}

/* ---- parameters ---- */

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool is_file_name(struct jsv_str text)
{
    return !memchr(text.data, '/', text.size) && !memchr(text.data, '\\', text.size) &&
           !jsv_str_equal(text, JSV_STR(".")) && !jsv_str_equal(text, JSV_STR(".."));
}

/* Decode one segment: a "/" in it is one that was encoded. */
static bool read_parameter(struct jsv_str text, struct net_http_match *match)
{
    match->parameter_size = 0;
    while (text.size > 0) {
        char byte;
        size_t size = jsv_percent_byte(text, &byte);
        if (size == 0 || match->parameter_size == NET_HTTP_PARAMETER_MAX || text.data[0] == '/' ||
            is_control(byte)) {
            return false;
        }
        match->parameter[match->parameter_size++] = byte;
        text = net_http_skip(text, size);
    }
    struct jsv_str parameter = net_http_route_parameter(match);
    return parameter.size > 0 && jsv_utf8_valid_prefix(parameter) == parameter.size;
}

struct jsv_str net_http_route_parameter(const struct net_http_match *match)
{
    return (struct jsv_str){match->parameter, match->parameter_size};
}

/* ---- routes ---- */

static bool is_match(const struct route *route, struct jsv_str path, struct net_http_match *match)
{
    if (!has_parameter(route)) {
        return jsv_str_equal(path, route->path);
    }
    size_t size = route->path.size;
    return path.size > size && jsv_str_equal((struct jsv_str){path.data, size}, route->path) &&
           read_parameter(net_http_skip(path, size), match) &&
           ((route->flags & ID) || is_file_name(net_http_route_parameter(match)));
}

void net_http_route_find(struct jsv_str path, struct net_http_match *ret_match)
{
    ret_match->parameter_size = 0;
    for (unsigned i = NET_HTTP_ROUTE_NONE + 1; i < NET_HTTP_ROUTE_COUNT; i++) {
        if (is_match(&routes[i], path, ret_match)) {
            ret_match->route = (enum net_http_route)i;
            return;
        }
    }
    ret_match->route = NET_HTTP_ROUTE_NONE;
    ret_match->parameter_size = 0;
}

bool net_http_route_allows(enum net_http_route route, enum net_http_method method)
{
    return (routes[route].methods & (unsigned)method) != 0;
}

void net_http_route_allow(struct jsv_buf *out, enum net_http_route route)
{
    static const struct {
        enum net_http_method method;
        struct jsv_str name;
    } names[] = {
        {NET_HTTP_GET, {"GET", 3}},
        {NET_HTTP_HEAD, {"HEAD", 4}},
        {NET_HTTP_POST, {"POST", 4}},
        {NET_HTTP_DELETE, {"DELETE", 6}},
    };
    size_t written = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (net_http_route_allows(route, names[i].method)) {
            jsv_buf_append_str(out, written++ > 0 ? JSV_STR(", ") : JSV_STR(""));
            jsv_buf_append_str(out, names[i].name);
        }
    }
}

bool net_http_route_is_open(enum net_http_route route)
{
    return (routes[route].flags & OPEN) != 0;
}

bool net_http_route_any_host(enum net_http_route route)
{
    return (routes[route].flags & ANY_HOST) != 0;
}
