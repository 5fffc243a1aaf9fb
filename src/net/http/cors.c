#include "net/http/cors.h"

#include "net/http/chars.h"
#include "net/http/reader.h"
#include "net/http/writer.h"
#include "os/sys.h"

/* Headers that are allowed beside those every page may send. */
#define REQUEST_HEADERS                                                                            \
    "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, "                   \
    "Mcp-Protocol-Version, Mcp-Session-Id, traceparent, tracestate"
/* Headers of answers that a page may read beside the usual ones. */
#define ANSWER_HEADERS "Mcp-Session-Id, WWW-Authenticate, Retry-After"

/* Arguments of tools that are repeated in headers; their names are the tools' own. */
#define PARAMETER_PREFIX JSV_STR("mcp-param-")

/* How long a browser may remember the answer: a setting that changes is seen soon. */
#define MAX_AGE_S "600"

/* As long as the headers of a request may be. */
#define LIST_SIZE_MAX ((size_t)2 * NET_HTTP_HEAD_MAX + sizeof(REQUEST_HEADERS))

bool net_http_cors_is_preflight(const struct net_http_head *head)
{
    struct jsv_str method;
    return head->method == NET_HTTP_OPTIONS &&
           net_http_head_find(head, JSV_STR("Access-Control-Request-Method"), &method) ==
               NET_HTTP_FOUND;
}

void net_http_cors_write(struct jsv_buf *out, struct jsv_str origin)
{
    net_http_write_field(out, JSV_STR("Access-Control-Allow-Origin"), origin);
    net_http_write_field(out, JSV_STR("Access-Control-Expose-Headers"), JSV_STR(ANSWER_HEADERS));
    net_http_write_field(out, JSV_STR("Vary"), JSV_STR("Origin"));
}

static void append_allowed_headers(struct jsv_buf *out, const struct net_http_head *head)
{
    struct jsv_str list;
    struct jsv_str name;
    jsv_buf_append_str(out, JSV_STR(REQUEST_HEADERS));
    if (net_http_head_find(head, JSV_STR("Access-Control-Request-Headers"), &list) !=
        NET_HTTP_FOUND) {
        return;
    }
    while (net_http_list_next(&list, &name)) {
        if (net_http_begins(name, PARAMETER_PREFIX) &&
            net_http_span(name, NET_HTTP_CHAR_TOKEN) == name.size) {
            jsv_buf_append_str(out, JSV_STR(", "));
            jsv_buf_append_str(out, name);
        }
    }
}

void net_http_cors_write_preflight(
    struct jsv_buf *out, const struct net_http_head *head, enum net_http_route route)
{
    struct jsv_buf list;
    jsv_buf_init(&list, os_allocator(), LIST_SIZE_MAX);
    net_http_route_allow(&list, route);
    net_http_write_field(out, JSV_STR("Access-Control-Allow-Methods"), jsv_buf_str(&list));
    jsv_buf_reset(&list);
    append_allowed_headers(&list, head);
    net_http_write_field(out, JSV_STR("Access-Control-Allow-Headers"), jsv_buf_str(&list));
    net_http_write_field(out, JSV_STR("Access-Control-Max-Age"), JSV_STR(MAX_AGE_S));
    jsv_buf_done(&list);
}
