#include "net/http/guard.h"

#include <string.h>

#include "net/http/chars.h"
#include "net/http/head.h"

#define METADATA_PATH "/.well-known/oauth-protected-resource"

/* ---- Host and Origin ---- */

static bool is_local(struct jsv_str host)
{
    return net_http_equal(host, JSV_STR("localhost")) ||
           net_http_equal(host, JSV_STR("127.0.0.1")) || net_http_equal(host, JSV_STR("[::1]"));
}

static bool is_listed(struct jsv_str text, const struct jsv_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (net_http_equal(text, list[i])) {
            return true;
        }
    }
    return false;
}

/* @param text With its port, if there is one. */
static bool
is_allowed_host(const struct net_http_guard *guard, struct jsv_str text, struct jsv_str host)
{
    return is_local(host) || is_listed(text, guard->hosts, guard->host_count) ||
           is_listed(host, guard->hosts, guard->host_count);
}

static bool is_allowed_authority(const struct net_http_guard *guard, struct jsv_str text)
{
    struct net_http_authority authority;
    return net_http_authority_parse(text, &authority) &&
           is_allowed_host(guard, text, authority.host);
}

bool net_http_guard_host(const struct net_http_guard *guard, const struct net_http_head *head)
{
    return head->host.size > 0 && is_allowed_host(guard, head->host, head->host_name);
}

/* The authority of an http or https origin; empty for others. */
static struct jsv_str without_scheme(struct jsv_str origin)
{
    static const struct jsv_str schemes[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < 2; i++) {
        if (net_http_begins(origin, schemes[i])) {
            return net_http_skip(origin, schemes[i].size);
        }
    }
    return (struct jsv_str){NULL, 0};
}

bool net_http_guard_origin(const struct net_http_guard *guard, const struct net_http_head *head)
{
    struct jsv_str origin;
    enum net_http_found found = net_http_head_get(head, NET_HTTP_NAME_ORIGIN, &origin);
    if (found != NET_HTTP_FOUND) {
        return found == NET_HTTP_ABSENT;
    }
    return is_listed(origin, guard->origins, guard->origin_count) ||
           is_allowed_authority(guard, without_scheme(origin));
}

bool net_http_guard_is_listed_origin(
    const struct net_http_guard *guard, const struct net_http_head *head)
{
    struct jsv_str origin;
    return net_http_head_get(head, NET_HTTP_NAME_ORIGIN, &origin) == NET_HTTP_FOUND &&
           is_listed(origin, guard->origins, guard->origin_count);
}

bool net_http_is_preflight(const struct net_http_head *head)
{
    struct jsv_str method;
    return head->method == NET_HTTP_OPTIONS &&
           net_http_head_find(head, JSV_STR("Access-Control-Request-Method"), &method) ==
               NET_HTTP_FOUND;
}

/* ---- the token ---- */

/* The time depends on the size of the sent text only. volatile keeps the compiler from a short cut.
 */
static bool equals_secret(struct jsv_str sent, struct jsv_str secret)
{
    volatile unsigned difference = sent.size != secret.size;
    for (size_t i = 0; i < sent.size; i++) {
        difference |= (unsigned char)(sent.data[i] ^ secret.data[i % secret.size]);
    }
    return difference == 0;
}

enum net_http_auth
net_http_guard_auth(const struct net_http_guard *guard, const struct net_http_head *head)
{
    static const struct jsv_str scheme = {"Bearer ", 7};
    if (guard->token.size == 0) {
        return NET_HTTP_AUTH_OK;
    }
    struct jsv_str value;
    enum net_http_found found = net_http_head_get(head, NET_HTTP_NAME_AUTHORIZATION, &value);
    if (found == NET_HTTP_CONFLICT) {
        return NET_HTTP_AUTH_INVALID;
    }
    if (found == NET_HTTP_ABSENT || !net_http_begins(value, scheme)) {
        return NET_HTTP_AUTH_MISSING;
    }
    struct jsv_str sent = net_http_trim(net_http_skip(value, scheme.size));
    return equals_secret(sent, guard->token) ? NET_HTTP_AUTH_OK : NET_HTTP_AUTH_INVALID;
}

void net_http_guard_challenge(struct jsv_buf *out, enum net_http_auth auth, struct jsv_str origin)
{
    jsv_buf_append_str(out, JSV_STR("Bearer "));
    if (auth == NET_HTTP_AUTH_INVALID) {
        jsv_buf_append_str(out, JSV_STR("error=\"invalid_token\", "));
    }
    if (origin.size == 0) {
        jsv_buf_append_str(out, JSV_STR("realm=\"mcpgate\""));
        return;
    }
    jsv_buf_append_str(out, JSV_STR("resource_metadata=\""));
    jsv_buf_append_str(out, origin);
    jsv_buf_append_str(out, JSV_STR(METADATA_PATH "\""));
}

/* ---- media types ---- */

/* The "type/subtype" of "type/subtype; parameters". @param ret_parameters The rest. */
static struct jsv_str take_media_type(struct jsv_str text, struct jsv_str *ret_parameters)
{
    const char *mark = text.size > 0 ? memchr(text.data, ';', text.size) : NULL;
    size_t size = mark ? (size_t)(mark - text.data) : text.size;
    *ret_parameters = net_http_skip(text, size);
    return net_http_trim((struct jsv_str){text.data, size});
}

bool net_http_is_json(const struct net_http_head *head)
{
    static const struct jsv_str json = {"application/json", 16};
    struct jsv_str value;
    struct jsv_str parameters;
    return net_http_head_get(head, NET_HTTP_NAME_CONTENT_TYPE, &value) == NET_HTTP_FOUND &&
           (jsv_str_equal(value, json) ||
            net_http_equal(take_media_type(value, &parameters), json));
}

/* Whether the parameters end in a weight of zero: "q=0", "q=0.0", … The weight comes last. */
static bool is_unwanted(struct jsv_str parameters)
{
    size_t size = parameters.size;
    while (size > 0 && parameters.data[size - 1] != ';') {
        size--;
    }
    struct jsv_str last = net_http_trim(net_http_skip(parameters, size));
    if (!net_http_begins(last, JSV_STR("q=0"))) {
        return false;
    }
    for (size_t i = 3; i < last.size; i++) {
        if (last.data[i] != '.' && last.data[i] != '0') {
            return false;
        }
    }
    return true;
}

/* A kind of answer, and the ranges it is in, the most general first. */
struct offer {
    struct jsv_str ranges[3];
    unsigned specific; /* how specific the range was that decided; 0: none did */
    bool wanted;
};

static void weigh(struct offer *offer, struct jsv_str type, bool wanted)
{
    for (unsigned i = 0; i < 3; i++) {
        if (net_http_equal(type, offer->ranges[i]) && i + 1 >= offer->specific) {
            offer->specific = i + 1;
            offer->wanted = wanted;
        }
    }
}

static bool is_named(const struct offer *offer)
{
    return offer->wanted && offer->specific == 3;
}

static unsigned accepts_by_weight(const struct net_http_head *head)
{
    struct offer json = {
        .ranges = {JSV_STR("*/*"), JSV_STR("application/*"), JSV_STR("application/json")}};
    struct offer stream = {
        .ranges = {JSV_STR("*/*"), JSV_STR("text/*"), JSV_STR("text/event-stream")}};
    struct offer page = {.ranges = {JSV_STR("*/*"), JSV_STR("text/*"), JSV_STR("text/html")}};
    struct jsv_str name = net_http_name_text(NET_HTTP_NAME_ACCEPT);
    const struct net_http_field *field;
    size_t position = 0;
    while ((field = net_http_head_next(head, name, &position))) {
        struct jsv_str list = field->value;
        struct jsv_str range;
        while (net_http_list_next(&list, &range)) {
            struct jsv_str parameters;
            struct jsv_str type = take_media_type(range, &parameters);
            bool wanted = !is_unwanted(parameters);
            weigh(&json, type, wanted);
            weigh(&stream, type, wanted);
            weigh(&page, type, wanted);
        }
    }
    return (json.wanted ? NET_HTTP_ACCEPT_JSON : 0u) |
           (stream.wanted ? NET_HTTP_ACCEPT_STREAM : 0u) |
           (is_named(&page) && !is_named(&stream) ? NET_HTTP_ACCEPT_PAGE : 0u);
}

/* The values of most clients, which need not be weighed. */
static const struct {
    struct jsv_str text;
    unsigned accepts;
} usual[] = {
    {{"application/json, text/event-stream", 35}, NET_HTTP_ACCEPT_ANY},
    {{"application/json", 16}, NET_HTTP_ACCEPT_JSON},
    {{"text/event-stream", 17}, NET_HTTP_ACCEPT_STREAM},
    {{"*/*", 3}, NET_HTTP_ACCEPT_ANY},
};

unsigned net_http_accepts(const struct net_http_head *head)
{
    struct jsv_str value;
    enum net_http_found found = net_http_head_get(head, NET_HTTP_NAME_ACCEPT, &value);
    if (found == NET_HTTP_ABSENT) {
        return NET_HTTP_ACCEPT_ANY;
    }
    for (size_t i = 0; found == NET_HTTP_FOUND && i < sizeof(usual) / sizeof(usual[0]); i++) {
        if (jsv_str_equal(value, usual[i].text)) {
            return usual[i].accepts;
        }
    }
    return accepts_by_weight(head);
}
