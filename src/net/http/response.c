/*
 * Responses and events. Every response tells its length, or how it ends, and
 * whether the connection stays open. It answers the request in the reader.
 */
#include <stdio.h>

#include "log/text.h"
#include "net/http/chars.h"
#include "net/http/conn.h"
#include "net/http/writer.h"
#include "net/page.h"
#include "os/list.h"
#include "os/sys.h"

#define JSON_TYPE "application/json"

/* Whether all of the request was read: else the next byte does not begin a request. */
static bool is_read(const struct net_http *http)
{
    const struct net_http_head *head = &http->reader.head;
    bool has_no_body = !head->chunked && head->content_length == 0;
    return http->reader.phase == NET_HTTP_PHASE_COMPLETE ||
           (http->reader.phase == NET_HTTP_PHASE_BODY && has_no_body);
}

/* Requests that came before the end of the input, but wait for a later round, are answered. */
static bool is_last(const struct net_http *http)
{
    bool is_all_used = http->ended && http->input_used == http->input.size;
    return http->finishing || http->peer.is_spare || is_all_used || !http->reader.head.keep_alive ||
           !is_read(http);
}

/* Of this second; each thread formats it once. */
static const struct net_http_date *date_now(void)
{
    static _Thread_local struct {
        int64_t seconds;
        struct net_http_date date;
    } last = {.seconds = INT64_MIN};
    int64_t now = os_wall_seconds();
    if (now != last.seconds) {
        last.seconds = now;
        net_http_date_format(now, &last.date);
    }
    return &last.date;
}

/* Headers of answers that a page of another origin may read beside the usual ones. */
#define EXPOSED_HEADERS "Mcp-Session-Id, WWW-Authenticate, Retry-After"

/* A page of a listed origin may read the answer. */
static void write_cors(struct net_http *http)
{
    struct jsv_buf *out = &http->peer.output;
    struct jsv_str origin;
    if (http->is_cross_origin &&
        net_http_head_get(&http->reader.head, NET_HTTP_NAME_ORIGIN, &origin) == NET_HTTP_FOUND) {
        net_http_write_field(out, JSV_STR("Access-Control-Allow-Origin"), origin);
        net_http_write_field(
            out, JSV_STR("Access-Control-Expose-Headers"), JSV_STR(EXPOSED_HEADERS));
        net_http_write_field(out, JSV_STR("Vary"), JSV_STR("Origin"));
    }
}

/* The head of a response, without its empty line. */
static void begin(struct net_http *http, unsigned status, struct jsv_str type, size_t size)
{
    bool close = is_last(http);
    bool has_body = status != 204 && status != 304;
    const struct net_http_answer answer = {
        .status = status,
        .framing = has_body ? NET_HTTP_FRAMING_LENGTH : NET_HTTP_FRAMING_NONE,
        .content_length = size,
        .content_type = type,
        .date = date_now(),
        .close = close,
        .keep_alive_said = !close && http->reader.head.minor == 0,
    };
    net_peer_borrow_output(&http->peer);
    net_http_write_head(&http->peer.output, &answer);
    write_cors(http);
    if (close) {
        http->state = NET_HTTP_LAST;
        http->lingers = !is_read(http) || http->input_used < http->input.size;
    }
}

static void end(struct net_http *http, struct jsv_str body)
{
    net_http_write_end(&http->peer.output);
    if (http->reader.head.method != NET_HTTP_HEAD) {
        jsv_buf_append_str(&http->peer.output, body);
    }
    net_http_request_over(http);
}

void net_http_respond(
    struct net_http *http, unsigned status, struct jsv_str type, struct jsv_str text)
{
    begin(http, status, type, text.size);
    end(http, text);
}

static void write_session(struct net_http *http, const char *session)
{
    if (session) {
        net_http_write_field(&http->peer.output, JSV_STR("Mcp-Session-Id"), jsv_str_from(session));
    }
}

static void write_retry(struct net_http *http, unsigned seconds)
{
    if (seconds > 0) {
        char digits[16];
        int size = snprintf(digits, sizeof(digits), "%u", seconds);
        struct jsv_str text = {digits, (size_t)size};
        net_http_write_field(&http->peer.output, JSV_STR("Retry-After"), text);
    }
}

static void respond_answer(struct net_http *http, const struct core_answer *answer)
{
    bool has_body = answer->text.data;
    begin(
        http, answer->http_status, has_body ? JSV_STR(JSON_TYPE) : JSV_STR(""), answer->text.size);
    write_session(http, answer->session);
    write_retry(http, answer->retry_after_s);
    end(http, answer->text);
}

/* Room for our longest message, twice. */
#define REFUSAL_SIZE 512

/* Overload passes; the client may retry after so many seconds. */
#define RETRY_AFTER_S 1

static unsigned retry_after_of(unsigned status)
{
    return status == 429 || status == 503 ? RETRY_AFTER_S : 0;
}

/* Clients of /v1/invoke expect response envelopes. */
static int envelope_text(char out[static REFUSAL_SIZE], unsigned status, const char *why)
{
    char now[LOG_TIMESTAMP_SIZE];
    char headers[64] = "";
    unsigned seconds = retry_after_of(status);
    log_timestamp(now);
    if (seconds > 0) {
        snprintf(headers, sizeof(headers), ",\"headers\":{\"Retry-After\":\"%u\"}", seconds);
    }
    return snprintf(
        out,
        REFUSAL_SIZE,
        "{\"id\":\"\",\"version\":\"1.0.0\",\"status\":{\"code\":\"%s\",\"http\":%u,"
        "\"message\":\"%s\"},\"timestamp\":\"%s\","
        "\"errors\":[{\"code\":\"REQUEST_REFUSED\",\"message\":\"%s\"}]%s}",
        seconds > 0 ? "retry" : "error",
        status,
        why,
        now,
        why,
        headers);
}

/* {"error":{"code":403,"message":…}}. Messages are our own and need no escapes. */
static struct jsv_str
refuse(const struct net_http *http, char out[static REFUSAL_SIZE], unsigned status, const char *why)
{
    core_refused(http->peer.conn.worker, CORE_TRANSPORT_HTTP, status, why);
    int size =
        http->match.route == NET_HTTP_ROUTE_INVOKE
            ? envelope_text(out, status, why)
            : snprintf(
                  out, REFUSAL_SIZE, "{\"error\":{\"code\":%u,\"message\":\"%s\"}}", status, why);
    return (struct jsv_str){out, (size_t)size};
}

void net_http_respond_refusal(struct net_http *http, unsigned status, const char *why)
{
    char text[REFUSAL_SIZE];
    struct jsv_str body = refuse(http, text, status, why);
    begin(http, status, JSV_STR(JSON_TYPE), body.size);
    write_retry(http, retry_after_of(status));
    end(http, body);
}

void net_http_respond_not_allowed(struct net_http *http)
{
    net_http_respond_method(http, "method not allowed; see the header Allow");
}

void net_http_respond_redirect(struct net_http *http, struct jsv_str path)
{
    begin(http, 302, JSV_STR(""), 0);
    net_http_write_field(&http->peer.output, JSV_STR("Location"), path);
    end(http, JSV_STR(""));
}

/* Headers that a page may send beside those every page may. */
#define REQUEST_HEADERS                                                                            \
    "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, "                   \
    "Mcp-Protocol-Version, Mcp-Session-Id, traceparent, tracestate"

/* Arguments of tools that are repeated in headers; their names are the tools' own. */
#define PARAMETER_PREFIX JSV_STR("mcp-param-")

/* How long a browser may remember the answer: a setting that changes is seen soon. */
#define PREFLIGHT_MAX_AGE_S "600"

/* As long as the headers of a request may be. */
#define HEADER_LIST_SIZE_MAX ((size_t)2 * NET_HTTP_HEAD_MAX + sizeof(REQUEST_HEADERS))

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

void net_http_respond_preflight(struct net_http *http)
{
    struct jsv_buf *out = &http->peer.output;
    struct jsv_buf list;
    begin(http, 204, JSV_STR(""), 0);
    jsv_buf_init(&list, os_allocator(), HEADER_LIST_SIZE_MAX);
    net_http_route_allow(&list, http->match.route);
    net_http_write_field(out, JSV_STR("Access-Control-Allow-Methods"), jsv_buf_str(&list));
    jsv_buf_reset(&list);
    append_allowed_headers(&list, &http->reader.head);
    net_http_write_field(out, JSV_STR("Access-Control-Allow-Headers"), jsv_buf_str(&list));
    net_http_write_field(out, JSV_STR("Access-Control-Max-Age"), JSV_STR(PREFLIGHT_MAX_AGE_S));
    jsv_buf_done(&list);
    end(http, JSV_STR(""));
}

void net_http_respond_method(struct net_http *http, const char *why)
{
    char text[REFUSAL_SIZE];
    struct jsv_buf allow;
    jsv_buf_init(&allow, os_allocator(), REFUSAL_SIZE);
    net_http_route_allow(&allow, http->match.route);
    struct jsv_str body = refuse(http, text, 405, why);
    begin(http, 405, JSV_STR(JSON_TYPE), body.size);
    net_http_write_field(&http->peer.output, JSV_STR("Allow"), jsv_buf_str(&allow));
    jsv_buf_done(&allow);
    end(http, body);
}

/* "http://127.0.0.1:8787", as the client knows this server. */
static void append_origin(const struct net_http *http, struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR("http://"));
    jsv_buf_append_str(out, http->reader.head.host);
}

/* Room for an origin and the text around it. */
#define CHALLENGE_SIZE ((size_t)NET_HTTP_HEAD_MAX + 512)

void net_http_respond_unauthorized(struct net_http *http, enum net_http_auth auth)
{
    char text[REFUSAL_SIZE];
    struct jsv_str body =
        refuse(http, text, 401, "a bearer token is required; send Authorization: Bearer TOKEN");
    struct jsv_buf origin;
    struct jsv_buf challenge;
    jsv_buf_init(&origin, os_allocator(), CHALLENGE_SIZE);
    jsv_buf_init(&challenge, os_allocator(), CHALLENGE_SIZE);
    if (http->settings->authorization_server_count > 0) {
        append_origin(http, &origin); /* without one there is no metadata */
    }
    net_http_guard_challenge(&challenge, auth, jsv_buf_str(&origin));
    begin(http, 401, JSV_STR(JSON_TYPE), body.size);
    net_http_write_field(&http->peer.output, JSV_STR("WWW-Authenticate"), jsv_buf_str(&challenge));
    end(http, body);
    jsv_buf_done(&challenge);
    jsv_buf_done(&origin);
}

void net_http_respond_too_large(struct net_http *http)
{
    core_refused(http->peer.conn.worker, CORE_TRANSPORT_HTTP, 413, "body too large");
    net_http_respond(
        http,
        413,
        JSV_STR(JSON_TYPE),
        JSV_STR("{\"ok\":false,\"reason\":\"validation_failed\","
                "\"errors\":[{\"path\":\"\",\"msg\":\"payload_too_large\"}]}"));
}

void net_http_respond_page(struct net_http *http, const struct net_page_file *file)
{
    struct jsv_str tags;
    bool is_known = net_http_head_get(&http->reader.head, NET_HTTP_NAME_IF_NONE_MATCH, &tags) ==
                        NET_HTTP_FOUND &&
                    net_page_is_known(file, tags);
    begin(http, is_known ? 304 : 200, file->type, file->bytes.size);
    net_page_write_headers(&http->peer.output, file);
    end(http, is_known ? JSV_STR("") : file->bytes);
}

/* Room for a few addresses of servers. */
#define METADATA_SIZE ((size_t)64 * 1024)

void net_http_respond_metadata(struct net_http *http)
{
    const struct net_http_settings *settings = http->settings;
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), METADATA_SIZE);
    jsv_buf_append_str(&text, JSV_STR("{\"resource\":\""));
    append_origin(http, &text);
    jsv_buf_append_str(&text, JSV_STR("/mcp\",\"authorization_servers\":["));
    for (size_t i = 0; i < settings->authorization_server_count; i++) {
        jsv_buf_append_str(&text, i == 0 ? JSV_STR("\"") : JSV_STR(",\""));
        jsv_buf_append_str(&text, settings->authorization_servers[i]);
        jsv_buf_append_byte(&text, '"');
    }
    jsv_buf_append_str(&text, JSV_STR("]}"));
    net_http_respond(http, 200, JSV_STR(JSON_TYPE), jsv_buf_str(&text));
    jsv_buf_done(&text);
}

/* ---- streams ---- */

static bool is_chunked(const struct net_http *http)
{
    return http->reader.head.minor > 0;
}

void net_http_stream_begin(struct net_http *http, const char *session)
{
    net_peer_borrow_output(&http->peer);
    net_http_write_stream_head(&http->peer.output, date_now(), is_chunked(http));
    write_cors(http);
    write_session(http, session);
    net_http_write_end(&http->peer.output);
    http->state = NET_HTTP_STREAM;
}

/* @param message data NULL: a comment, which keeps the connection alive. */
static void write_event(struct net_http *http, struct jsv_str message)
{
    struct jsv_buf *out = &http->peer.output;
    net_peer_borrow_output(&http->peer);
    size_t chunk = is_chunked(http) ? net_http_chunk_begin(out) : 0;
    net_http_sse_write(out, message);
    if (is_chunked(http)) {
        net_http_chunk_end(out, chunk);
    }
}

void net_http_stream_comment(struct net_http *http)
{
    write_event(http, (struct jsv_str){NULL, 0});
}

void net_http_stream_end(struct net_http *http)
{
    if (is_chunked(http)) {
        net_http_chunk_last(&http->peer.output);
    }
    bool last = is_last(http) || !is_chunked(http);
    http->state = last ? NET_HTTP_LAST : NET_HTTP_ASKED;
    net_http_request_over(http);
}

/* ---- what the pipeline sends ---- */

static struct net_http *of_conn(struct core_conn *conn)
{
    return os_container_of(conn, struct net_http, peer.conn);
}

/* The answer to a request is its response, or the last event of its stream. */
static void on_answer(struct core_conn *conn, const struct core_answer *answer)
{
    struct net_http *http = of_conn(conn);
    if (http->state == NET_HTTP_LOST) {
        return;
    }
    bool wants_stream = http->accepts == NET_HTTP_ACCEPT_STREAM && answer->http_status == 200;
    if (http->state == NET_HTTP_ASKED && wants_stream) {
        net_http_stream_begin(http, answer->session);
    }
    if (http->state == NET_HTTP_STREAM) {
        write_event(http, answer->text);
        net_http_stream_end(http);
    } else {
        respond_answer(http, answer);
    }
}

static bool may_begin_stream(const struct net_http *http)
{
    return http->state == NET_HTTP_ASKED && http->accepts & NET_HTTP_ACCEPT_STREAM;
}

/* Pushed messages go out on the stream of their request, or on the stream of the session. */
static bool can_push(struct core_conn *conn)
{
    const struct net_http *http = of_conn(conn);
    return !http->peer.broken && (may_begin_stream(http) || http->state == NET_HTTP_STREAM);
}

/* A client that does not accept streams does not get the message. */
static void on_push(struct core_conn *conn, struct jsv_str message)
{
    struct net_http *http = of_conn(conn);
    if (!can_push(conn)) {
        return;
    }
    if (http->state != NET_HTTP_STREAM) {
        net_http_stream_begin(http, NULL);
    }
    if (net_peer_may_push(&http->peer, message.size)) {
        write_event(http, message);
        net_peer_flush_if_large(&http->peer);
    }
    net_peer_schedule_send(&http->peer);
}

/* A request that is not answered is a stream without its last event, or 202. */
static void on_hang_up(struct core_conn *conn)
{
    struct net_http *http = of_conn(conn);
    if (may_begin_stream(http)) {
        net_http_stream_begin(http, NULL);
    }
    if (http->state == NET_HTTP_STREAM) {
        net_http_stream_end(http);
    } else if (http->state == NET_HTTP_ASKED) {
        net_http_respond(http, 202, JSV_STR(""), (struct jsv_str){NULL, 0});
    }
}

static void on_resume(struct core_conn *conn)
{
    net_peer_schedule_send(&of_conn(conn)->peer);
}

const struct core_conn_ops net_http_conn_ops = {
    .answer = on_answer,
    .push = on_push,
    .can_push = can_push,
    .hang_up = on_hang_up,
    .resume = on_resume,
    .idle = on_resume,
};
