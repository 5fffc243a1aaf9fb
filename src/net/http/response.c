/*
 * What goes out. Every response says how it ends and whether the connection
 * stays; which request it belongs to is what the reader has.
 */
#include <stdio.h>

#include "log/text.h"
#include "net/http/conn.h"
#include "net/http/cors.h"
#include "net/http/writer.h"
#include "net/page.h"
#include "os/sys.h"
#include "rpc/pool.h"

#define JSON_TYPE "application/json"

/* Whether all of the request has been read: else what follows is not a request. */
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
    return http->finishing || http->health_only || is_all_used || !http->reader.head.keep_alive ||
           !is_read(http);
}

/* Of this second; each thread spells it out once. */
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

/* A page of a listed origin may read the answer. */
static void write_cors(struct net_http *http)
{
    struct jsv_str origin;
    if (http->is_cross_origin &&
        net_http_head_get(&http->reader.head, NET_HTTP_NAME_ORIGIN, &origin) == NET_HTTP_FOUND) {
        net_http_cors_write(&http->output, origin);
    }
}

/* What is written in a round lives in memory that the connections of a loop share. */
static void borrow_output(struct net_http *http)
{
    rpc_pool_lend(http->pool, RPC_POOL_OUTPUT, &http->output);
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
    borrow_output(http);
    net_http_write_head(&http->output, &answer);
    write_cors(http);
    if (close) {
        http->state = NET_HTTP_LAST;
        http->lingers = !is_read(http) || http->input_used < http->input.size;
    }
}

static void end(struct net_http *http, struct jsv_str body)
{
    net_http_write_end(&http->output);
    if (http->reader.head.method != NET_HTTP_HEAD) {
        jsv_buf_append_str(&http->output, body);
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
        net_http_write_field(&http->output, JSV_STR("Mcp-Session-Id"), jsv_str_from(session));
    }
}

static void write_retry(struct net_http *http, unsigned seconds)
{
    char digits[16];
    int size = snprintf(digits, sizeof(digits), "%u", seconds);
    if (seconds > 0) {
        struct jsv_str text = {digits, (size_t)size};
        net_http_write_field(&http->output, JSV_STR("Retry-After"), text);
    }
}

void net_http_respond_answer(struct net_http *http, const struct core_answer *answer)
{
    bool has_body = answer->text.data;
    begin(
        http, answer->http_status, has_body ? JSV_STR(JSON_TYPE) : JSV_STR(""), answer->text.size);
    write_session(http, answer->session);
    write_retry(http, answer->retry_after_s);
    end(http, answer->text);
}

/* Room for our own longest sentence, twice. */
#define REFUSAL_SIZE 512

/* Limits and overload pass; the client may try again after so many seconds. */
#define RETRY_AFTER_S 1

static unsigned retry_after_of(unsigned status)
{
    return status == 429 || status == 503 ? RETRY_AFTER_S : 0;
}

/* Clients of /v1/invoke read nothing but response envelopes. */
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

/* {"error":{"code":403,"message":…}}; messages are our own and need no escapes. */
static struct jsv_str
refuse(const struct net_http *http, char out[static REFUSAL_SIZE], unsigned status, const char *why)
{
    core_refused(http->conn.worker, CORE_TRANSPORT_HTTP, status, why);
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
    net_http_write_field(&http->output, JSV_STR("Location"), path);
    end(http, JSV_STR(""));
}

void net_http_respond_preflight(struct net_http *http)
{
    begin(http, 204, JSV_STR(""), 0);
    net_http_cors_write_preflight(&http->output, &http->reader.head, http->match.route);
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
    net_http_write_field(&http->output, JSV_STR("Allow"), jsv_buf_str(&allow));
    jsv_buf_done(&allow);
    end(http, body);
}

/* "http://127.0.0.1:8787", as the client knows us. */
static void append_origin(const struct net_http *http, struct jsv_buf *out)
{
    jsv_buf_append_str(out, JSV_STR("http://"));
    jsv_buf_append_str(out, http->reader.head.host);
}

/* Room for an origin and what stands around it. */
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
        append_origin(http, &origin); /* else there is no metadata */
    }
    net_http_guard_challenge(&challenge, auth, jsv_buf_str(&origin), JSV_STR(""));
    begin(http, 401, JSV_STR(JSON_TYPE), body.size);
    net_http_write_field(&http->output, JSV_STR("WWW-Authenticate"), jsv_buf_str(&challenge));
    end(http, body);
    jsv_buf_done(&challenge);
    jsv_buf_done(&origin);
}

void net_http_respond_too_large(struct net_http *http)
{
    core_refused(http->conn.worker, CORE_TRANSPORT_HTTP, 413, "body too large");
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
    net_page_write_headers(&http->output, file);
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
    borrow_output(http);
    net_http_write_stream_head(&http->output, date_now(), is_chunked(http));
    write_cors(http);
    write_session(http, session);
    net_http_write_end(&http->output);
    http->state = NET_HTTP_STREAM;
}

void net_http_stream_event(struct net_http *http, struct jsv_str message)
{
    const struct net_http_sse_event event = {.data = message};
    borrow_output(http);
    size_t chunk = is_chunked(http) ? net_http_chunk_begin(&http->output) : 0;
    net_http_sse_write(&http->output, &event);
    if (is_chunked(http)) {
        net_http_chunk_end(&http->output, chunk);
    }
}

void net_http_stream_comment(struct net_http *http)
{
    borrow_output(http);
    size_t chunk = is_chunked(http) ? net_http_chunk_begin(&http->output) : 0;
    net_http_sse_write_comment(&http->output);
    if (is_chunked(http)) {
        net_http_chunk_end(&http->output, chunk);
    }
}

void net_http_stream_end(struct net_http *http)
{
    if (is_chunked(http)) {
        net_http_chunk_last(&http->output);
    }
    bool last = is_last(http) || !is_chunked(http);
    http->state = last ? NET_HTTP_LAST : NET_HTTP_ASKED;
    net_http_request_over(http);
}
