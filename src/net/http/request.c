/*
 * The checks of a request, in the order that the protocol demands: Host and
 * Origin, path, method, token, form. Only then is its body handed to the
 * pipeline.
 */
#include <assert.h>

#include "core/worker.h"
#include "log/log.h"
#include "net/http/conn.h"
#include "net/http/writer.h"
#include "net/page.h"
#include "os/list.h"
#include "os/sys.h"

static bool has_body(const struct net_http_head *head)
{
    return head->chunked || head->content_length > 0;
}

/* ---- the head ---- */

static bool is_host_allowed(const struct net_http *http)
{
    const struct net_http_head *head = &http->reader.head;
    const struct net_http_guard *guard = &http->settings->guard;
    return net_http_route_any_host(http->match.route) ||
           (net_http_guard_host(guard, head) && net_http_guard_origin(guard, head));
}

static enum net_http_auth auth_of(const struct net_http *http)
{
    if (net_http_route_is_open(http->match.route)) {
        return NET_HTTP_AUTH_OK;
    }
    return net_http_guard_auth(&http->settings->guard, &http->reader.head);
}

#define NO_SUCH_PATH "no such path; MCP is at /mcp, the page for people at /"

/* @return whether the form of a POST is supported; else it is answered. */
static bool check_form(struct net_http *http)
{
    const struct net_http_head *head = &http->reader.head;
    if (head->method != NET_HTTP_POST) {
        http->accepts = NET_HTTP_ACCEPT_JSON;
        return true;
    }
    if (!net_http_is_json(head)) {
        net_http_respond_refusal(http, 415, "send the body as Content-Type: application/json");
        return false;
    }
    /* Only /mcp has streams, so elsewhere JSON is sent whatever the client accepts. */
    bool has_streams = http->match.route == NET_HTTP_ROUTE_MCP;
    http->accepts =
        (net_http_accepts(head) & NET_HTTP_ACCEPT_ANY) | (has_streams ? 0u : NET_HTTP_ACCEPT_JSON);
    if (http->accepts == 0) {
        net_http_respond_refusal(http, 406, "send Accept: application/json, text/event-stream");
        return false;
    }
    return true;
}

/* A person who opens the endpoint in a browser wants to see the page. */
static bool is_browser_at_mcp(const struct net_http *http)
{
    const struct net_http_head *head = &http->reader.head;
    return http->match.route == NET_HTTP_ROUTE_MCP && head->method == NET_HTTP_GET &&
           net_http_accepts(head) & NET_HTTP_ACCEPT_PAGE;
}

/* @return whether the request passes; else it is answered. */
static bool check_head(struct net_http *http)
{
    const struct net_http_head *head = &http->reader.head;
    net_http_route_find(head->path, &http->match);
    if (http->peer.is_spare && !net_http_route_any_host(http->match.route)) {
        net_http_respond_refusal(http, 503, "too many connections; retry later");
        return false;
    }
    if (!is_host_allowed(http)) {
        net_http_respond_refusal(
            http,
            403,
            "this Host or Origin is not allowed; the operator can add it with --allowed-hosts or "
            "--allowed-origins");
        return false;
    }
    http->is_cross_origin = net_http_guard_is_listed_origin(&http->settings->guard, head);
    if (http->match.route == NET_HTTP_ROUTE_NONE) {
        net_http_respond_refusal(http, 404, NO_SUCH_PATH);
        return false;
    }
    if (http->is_cross_origin && net_http_is_preflight(head)) {
        net_http_respond_preflight(http);
        return false;
    }
    if (!net_http_route_allows(http->match.route, head->method)) {
        net_http_respond_not_allowed(http);
        return false;
    }
    if (is_browser_at_mcp(http)) {
        net_http_respond_redirect(http, JSV_STR("/"));
        return false;
    }
    enum net_http_auth auth = auth_of(http);
    if (auth != NET_HTTP_AUTH_OK) {
        net_http_respond_unauthorized(http, auth);
        return false;
    }
    return check_form(http);
}

/* Whether a client that waits for "100 Continue" gets it. A body that is too large is refused. */
static bool expects_continue(const struct net_http *http)
{
    const struct net_http_head *head = &http->reader.head;
    return head->expect_continue && has_body(head) &&
           head->content_length <= http->reader.data.size_max;
}

void net_http_on_head(struct net_http *http)
{
    if (check_head(http) && expects_continue(http)) {
        net_http_write_continue(&http->peer.output);
    }
}

/* ---- the request ---- */

static enum rpc_header
find_header(const struct rpc_http *view, struct jsv_str name, struct jsv_str *ret_value)
{
    static const enum rpc_header results[] = {
        [NET_HTTP_ABSENT] = RPC_HEADER_ABSENT,
        [NET_HTTP_FOUND] = RPC_HEADER_FOUND,
        [NET_HTTP_CONFLICT] = RPC_HEADER_CONFLICT,
    };
    const struct net_http *http = os_container_of(view, const struct net_http, view);
    return results[net_http_head_find(&http->reader.head, name, ret_value)];
}

static void set_view(struct net_http *http, enum rpc_endpoint endpoint)
{
    http->view = (struct rpc_http){
        .endpoint = endpoint,
        .parameter = net_http_route_parameter(&http->match),
        .is_query = http->reader.head.method != NET_HTTP_POST,
        .header = find_header,
    };
    http->peer.conn.http = &http->view;
}

static void hand_in(struct net_http *http, enum rpc_endpoint endpoint)
{
    bool is_whole = http->reader.phase == NET_HTTP_PHASE_COMPLETE;
    const struct rpc_frame frame = {
        .text = is_whole ? http->reader.body : JSV_STR(""),
        .oversize = !is_whole,
        .chunk = &http->body_owner,
    };
    set_view(http, endpoint);
    http->state = NET_HTTP_ASKED;
    core_handle(&http->peer.conn, &frame);
    bool is_waiting = http->state == NET_HTTP_ASKED || http->state == NET_HTTP_STREAM;
    if (is_waiting && http->body_owner.references == 1) {
        net_http_reader_forget_body(
            &http->reader); /* the request has replaced it by a shorter one */
    }
}

/* A message that is too large is refused by the pipeline, which also logs it. */
void net_http_on_too_large(struct net_http *http)
{
    if (http->reader.head.method == NET_HTTP_POST) {
        net_http_on_request(http);
    } else {
        net_http_respond_too_large(http);
    }
}

static void end_session(struct net_http *http)
{
    set_view(http, RPC_ENDPOINT_MCP);
    unsigned status = core_end_session(&http->peer.conn);
    if (status == 405) {
        net_http_respond_not_allowed(http);
    } else {
        net_http_respond(http, status, JSV_STR(""), (struct jsv_str){NULL, 0});
    }
}

static void open_stream(struct net_http *http)
{
    set_view(http, RPC_ENDPOINT_MCP);
    if (!(net_http_accepts(&http->reader.head) & NET_HTTP_ACCEPT_STREAM)) {
        net_http_respond_refusal(
            http, 406, "this is an event stream; send Accept: text/event-stream");
        return;
    }
    unsigned status = core_open_stream(&http->peer.conn);
    if (status == 200) {
        net_http_stream_begin(http, NULL);
    } else if (status == 405) {
        net_http_respond_method(
            http,
            "GET /mcp opens the stream of a session: send the header Mcp-Session-Id, or send "
            "messages by POST");
    } else {
        net_http_respond_refusal(http, status, "unknown session; send initialize again");
    }
}

static void on_mcp(struct net_http *http)
{
    switch (http->reader.head.method) {
    case NET_HTTP_POST:
        hand_in(http, RPC_ENDPOINT_MCP);
        break;
    case NET_HTTP_DELETE:
        end_session(http);
        break;
    case NET_HTTP_GET:
        open_stream(http);
        break;
    case NET_HTTP_HEAD:
    case NET_HTTP_OPTIONS:
    case NET_HTTP_OTHER:
        net_http_respond_not_allowed(http);
        break;
    }
}

static void on_metadata(struct net_http *http)
{
    if (http->settings->authorization_server_count > 0) {
        net_http_respond_metadata(http);
    } else {
        net_http_respond_refusal(http, 404, NO_SUCH_PATH);
    }
}

static void on_page(struct net_http *http)
{
    struct net_page_file file;
    if (net_page_find(http->reader.head.path, &file)) {
        net_http_respond_page(http, &file);
    } else {
        net_http_respond_refusal(http, 404, NO_SUCH_PATH);
    }
}

/* Room for the counters of many tools, or for all mismatches of all loops. */
#define REPORT_SIZE_MAX ((size_t)16 * 1024 * 1024)

static void respond_report(
    struct net_http *http, struct jsv_str type, int (*report)(struct log *log, struct jsv_buf *out))
{
    struct log *log = core_worker_log(http->peer.conn.worker);
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), REPORT_SIZE_MAX);
    core_conn_count_time(&http->peer.conn);
    if (!log) {
        net_http_respond_refusal(
            http, 404, "no figures are available, because the server keeps no log");
    } else if (report(log, &text) < 0) {
        net_http_respond_refusal(http, 500, "out of memory");
    } else {
        net_http_respond(http, 200, type, jsv_buf_str(&text));
    }
    core_conn_count_time(&http->peer.conn);
    jsv_buf_done(&text);
}

static const struct jsv_str text_type = {"text/plain; charset=utf-8", 25};

static void on_health(struct net_http *http)
{
    net_http_respond(http, 200, text_type, JSV_STR("ok\n"));
}

static void on_ready(struct net_http *http)
{
    struct jsv_str text = http->finishing ? JSV_STR("stopping\n") : JSV_STR("ready\n");
    net_http_respond(http, http->finishing ? 503 : 200, text_type, text);
}

static void on_metrics(struct net_http *http)
{
    respond_report(http, JSV_STR("text/plain; version=0.0.4; charset=utf-8"), log_metrics_write);
}

static void on_diagnostics(struct net_http *http)
{
    respond_report(http, JSV_STR("application/json"), log_diagnostics_write);
}

/* Each route has a function here, or is an endpoint of the pipeline. */
static void (*const handlers[NET_HTTP_ROUTE_COUNT])(struct net_http *http) = {
    [NET_HTTP_ROUTE_MCP] = on_mcp,
    [NET_HTTP_ROUTE_HEALTH] = on_health,
    [NET_HTTP_ROUTE_READY] = on_ready,
    [NET_HTTP_ROUTE_METRICS] = on_metrics,
    [NET_HTTP_ROUTE_DIAGNOSTICS] = on_diagnostics,
    [NET_HTTP_ROUTE_PAGE] = on_page,
    [NET_HTTP_ROUTE_PAGE_FILE] = on_page,
    [NET_HTTP_ROUTE_METADATA] = on_metadata,
    [NET_HTTP_ROUTE_METADATA_MCP] = on_metadata,
};

static const enum rpc_endpoint endpoints[NET_HTTP_ROUTE_COUNT] = {
    [NET_HTTP_ROUTE_RPC] = RPC_ENDPOINT_RPC,
    [NET_HTTP_ROUTE_TOOL] = RPC_ENDPOINT_TOOL,
    [NET_HTTP_ROUTE_DISCOVER] = RPC_ENDPOINT_DISCOVER,
    [NET_HTTP_ROUTE_PROMPT] = RPC_ENDPOINT_PROMPT,
    [NET_HTTP_ROUTE_INVOKE] = RPC_ENDPOINT_INVOKE,
    [NET_HTTP_ROUTE_TOOLS] = RPC_ENDPOINT_TOOLS,
    [NET_HTTP_ROUTE_SCHEMA] = RPC_ENDPOINT_SCHEMA,
    [NET_HTTP_ROUTE_OPENAPI] = RPC_ENDPOINT_OPENAPI,
};

void net_http_on_request(struct net_http *http)
{
    enum net_http_route route = http->match.route;
    assert(route != NET_HTTP_ROUTE_NONE);
    if (handlers[route]) {
        handlers[route](http);
    } else {
        hand_in(http, endpoints[route]);
    }
}
