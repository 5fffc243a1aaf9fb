#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/limits.h"
#include "loop/loop.h"
#include "net/http.h"
#include "net/page.h"
#include "os/sys.h"
#include "rpc/pool.h"
#include "support/corridor.h"
#include "unit/os/fault.h"

#define TEXT_SIZE ((size_t)4 << 20)

/* A connection over the real corridor; the test is its client. */
struct desk {
    struct corridor *corridor;
    struct net_http_settings settings;
    struct net_http_times times;
    struct net_peer *http; /* NULL once closed */
    int peer;
    struct loop_timer *timer;
    char *text; /* what was heard */
};

static void on_closed(void *owner, struct net_peer *peer)
{
    struct desk *desk = owner;
    assert_ptr_equal(desk->http, peer);
    desk->http = NULL;
}

static void on_time(void *owner)
{
    loop_stop(((struct desk *)owner)->corridor->loop);
}

static int setup(void **state)
{
    struct desk *desk = calloc(1, sizeof(*desk));
    signal(SIGPIPE, SIG_IGN);
    corridor_setup((void **)&desk->corridor);
    assert_int_equal(loop_timer_new(desk->corridor->loop, on_time, desk, &desk->timer), 0);
    desk->text = malloc(TEXT_SIZE);
    desk->peer = -1;
    *state = desk;
    return 0;
}

static int teardown(void **state)
{
    struct desk *desk = *state;
    fault_disarm();
    if (desk->http) {
        desk->http->ops->close(desk->http);
    }
    if (desk->peer >= 0) {
        close(desk->peer);
    }
    loop_timer_close(desk->timer);
    corridor_teardown((void **)&desk->corridor);
    free(desk->text);
    free(desk);
    return 0;
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static int try_to_connect(struct desk *desk)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
    const struct net_http_options options = {
        .worker = desk->corridor->worker,
        .settings = &desk->settings,
        .fd = fds[0],
        .closed = on_closed,
        .owner = desk,
    };
    desk->peer = fds[1];
    return net_http_open(&options, &desk->http);
}

static void connect_peer(struct desk *desk)
{
    assert_int_equal(try_to_connect(desk), 0);
}

/* Hang up from our side, and be a new client. */
static void reconnect(struct desk *desk)
{
    if (desk->http) {
        desk->http->ops->close(desk->http);
    }
    close(desk->peer);
    connect_peer(desk);
}

/* The loop's clock stood still since the last time, so it is set first. */
static void run(struct desk *desk, uint64_t milliseconds)
{
    loop_timer_start(desk->timer, 0);
    assert_int_equal(loop_run(desk->corridor->loop), 0);
    loop_timer_start(desk->timer, milliseconds);
    assert_int_equal(loop_run(desk->corridor->loop), 0);
}

static void run_until_closed(struct desk *desk)
{
    for (int i = 0; desk->http && i < 1000; i++) {
        run(desk, 5);
    }
    assert_null(desk->http);
}

static void say(struct desk *desk, const char *text)
{
    assert_int_equal(write(desk->peer, text, strlen(text)), (ssize_t)strlen(text));
}

static const char *hear(struct desk *desk)
{
    size_t size = 0;
    run(desk, 3);
    for (;;) {
        ssize_t part = read(desk->peer, desk->text + size, TEXT_SIZE - 1 - size);
        if (part <= 0) {
            break;
        }
        size += (size_t)part;
        run(desk, 1);
    }
    desk->text[size] = '\0';
    return desk->text;
}

static const char *ask(struct desk *desk, const char *text)
{
    say(desk, text);
    return hear(desk);
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

#define assert_has(text, part)                                                                     \
    do {                                                                                           \
        const char *text_ = (text);                                                                \
        if (!has(text_, part)) {                                                                   \
            fail_msg("no \"%s\" in \"%s\"", part, text_);                                          \
        }                                                                                          \
    } while (0)

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part)) {
        found++;
    }
    return found;
}

/* A POST with a body. @return a static text. */
static const char *post(const char *path, const char *headers, const char *body)
{
    static char text[8192];
    snprintf(
        text,
        sizeof(text),
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s"
        "Content-Length: %zu\r\n\r\n%s",
        path,
        headers,
        strlen(body),
        body);
    return text;
}

#define PING   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define HEALTH "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

static const char initialize[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
    "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

/* ---- requests and responses ---- */

static void test_keep_alive(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    for (int i = 0; i < 3; i++) {
        const char *text = ask(desk, post("/rpc", "", PING));
        assert_has(text, "HTTP/1.1 200 OK\r\n");
        assert_has(text, "\"id\":1");
        assert_false(has(text, "Connection:"));
    }
    assert_non_null(desk->http);
}

/* Many in one write: as many answers, in order. */
static void test_pipelining(void **state)
{
    struct desk *desk = *state;
    char *text = calloc(1, (size_t)64 * 1024);
    size_t size = 0;
    connect_peer(desk);
    for (int i = 0; i < 100; i++) {
        char body[64];
        snprintf(
            body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", 100 + i);
        const char *request = post("/rpc", "", body);
        memcpy(text + size, request, strlen(request));
        size += strlen(request);
    }
    say(desk, text);
    free(text);
    const char *at = hear(desk);
    assert_int_equal(count(at, "HTTP/1.1 200 OK"), 100);
    for (int i = 0; i < 100; i++) {
        char id[32];
        snprintf(id, sizeof(id), "\"id\":%d", 100 + i);
        at = strstr(at, id);
        assert_non_null(at);
    }
}

static void test_byte_by_byte(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    for (const char *at = post("/rpc", "", PING); *at; at++) {
        assert_int_equal(write(desk->peer, at, 1), 1);
        run(desk, 0);
    }
    assert_has(hear(desk), "200 OK");
}

static void test_chunked_body(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    const char *text = ask(
        desk,
        "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
        "11\r\n{\"jsonrpc\":\"2.0\",\r\n16\r\n\"id\":7,\"method\":\"ping\"\r\n1\r\n}\r\n0\r\n\r\n");
    assert_has(text, "200 OK");
    assert_has(text, "\"id\":7");
    assert_non_null(desk->http);
}

static void test_expect_continue(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    const char *whole = post("/rpc", "Expect: 100-continue\r\n", PING);
    const char *body = strstr(whole, "\r\n\r\n") + 4;
    char head[512];
    snprintf(head, sizeof(head), "%.*s", (int)(body - whole), whole);
    assert_string_equal(ask(desk, head), "HTTP/1.1 100 Continue\r\n\r\n");
    assert_has(ask(desk, PING), "HTTP/1.1 200 OK");
    /* who may not ask is not asked for the body */
    const char *text =
        ask(desk,
            "POST /rpc HTTP/1.1\r\nHost: evil.test\r\nExpect: 100-continue\r\nContent-Length: "
            "9\r\n\r\n");
    assert_has(text, "HTTP/1.1 403 ");
    assert_false(has(text, "100 Continue"));
}

static void test_head_has_no_body(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    const char *text = ask(desk, "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(text, "200 OK");
    assert_has(text, "Content-Length: 3\r\n");
    assert_false(has(text, "ok\n"));
}

static void test_http_1_0(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    assert_has(ask(desk, "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), "keep-alive");
    assert_non_null(desk->http);
    assert_has(ask(desk, "GET /healthz HTTP/1.0\r\n\r\n"), "Connection: close\r\n");
    run_until_closed(desk);
}

static void test_health(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    assert_has(ask(desk, "GET /healthz HTTP/1.1\r\nHost: 10.1.2.3\r\n\r\n"), "ok\n");
    assert_has(ask(desk, "GET /readyz HTTP/1.1\r\nHost: 10.1.2.3\r\n\r\n"), "ready\n");
}

static void test_page(void **state)
{
    struct desk *desk = *state;
    struct net_page_file file;
    char ask_again[512];
    desk->settings.guard.token = JSV_STR("secret");
    connect_peer(desk);
    const char *text = ask(desk, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(text, "HTTP/1.1 200 OK\r\n");
    assert_has(text, "Content-Type: text/html; charset=utf-8\r\n");
    assert_has(text, "\r\nContent-Security-Policy: default-src 'self'; ");
    assert_has(text, "</html>\n");
    text = ask(desk, "HEAD /page/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(text, "Content-Type: text/javascript; charset=utf-8\r\n");
    assert_string_equal(strstr(text, "\r\n\r\n"), "\r\n\r\n");

    assert_true(net_page_find(JSV_STR("/page/style.css"), &file));
    snprintf(
        ask_again,
        sizeof(ask_again),
        "GET /page/style.css HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"%s\"\r\n\r\n",
        file.digest.data);
    text = ask(desk, ask_again);
    assert_has(text, "HTTP/1.1 304 Not Modified\r\n");
    assert_has(text, "ETag: ");
    assert_string_equal(strstr(text, "\r\n\r\n"), "\r\n\r\n");
    text = ask(desk, "GET /page/none HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(text, "HTTP/1.1 404 ");
}

/* ---- refusals ---- */

static void test_statuses(void **state)
{
    static const struct {
        const char *request;
        const char *answer;
    } cases[] = {
        {"PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "Allow: "},
        {"PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 "},
        {"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 "},
        {"DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 "},
        {"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 404 "},
        {"GET /mcp HTTP/1.1\r\nHost: evil.test\r\n\r\n", "HTTP/1.1 403 "},
        {"POST /rpc HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.test\r\n"
         "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n",
         "HTTP/1.1 403 "},
        {"POST /rpc HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\n"
         "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n",
         "HTTP/1.1 403 "},
        {"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
         "Content-Length: 2\r\n\r\n{}",
         "HTTP/1.1 415 "},
        {"GET /v1/invoke HTTP/1.1\r\nHost: localhost\r\n\r\n",
         "{\"id\":\"\",\"version\":\"1.0.0\",\"status\":{\"code\":\"error\",\"http\":405,"},
        {"GET /v1/invoke HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n",
         "{\"error\":{\"code\":400,"},
        {"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "Accept: image/png\r\nContent-Length: 2\r\n\r\n{}",
         "HTTP/1.1 406 "},
        {"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: image/png\r\n\r\n", "HTTP/1.1 406 "},
        {"GET /.well-known/oauth-protected-resource HTTP/1.1\r\nHost: localhost\r\n\r\n",
         "HTTP/1.1 404 "},
        {"nonsense\r\n\r\n", "HTTP/1.1 400 "},
    };
    struct desk *desk = *state;
    connect_peer(desk);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_has(ask(desk, cases[i].request), cases[i].answer);
        reconnect(desk);
    }
}

static void test_token(void **state)
{
    static const struct jsv_str servers[] = {{"https://auth.test", 17}, {"https://b.test", 14}};
    struct desk *desk = *state;
    desk->settings.guard.token = JSV_STR("secret");
    desk->settings.authorization_servers = servers;
    desk->settings.authorization_server_count = 2;
    connect_peer(desk);
    const char *text = ask(desk, post("/rpc", "", PING));
    assert_has(text, "HTTP/1.1 401 ");
    assert_has(
        text,
        "WWW-Authenticate: Bearer "
        "resource_metadata=\"http://localhost/.well-known/oauth-protected-resource\"");
    assert_false(has(text, "invalid_token"));
    reconnect(desk);
    text = ask(desk, post("/rpc", "Authorization: Bearer guess\r\n", PING));
    assert_has(text, "error=\"invalid_token\"");
    reconnect(desk);
    assert_has(ask(desk, post("/rpc", "Authorization: Bearer secret\r\n", PING)), "200 OK");
    text = ask(
        desk, "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(
        text,
        "{\"resource\":\"http://localhost/mcp\","
        "\"authorization_servers\":[\"https://auth.test\",\"https://b.test\"]}");
    assert_has(ask(desk, HEALTH), "200 OK");
}

static void write_what_fits(struct desk *desk, const char *block, size_t size)
{
    ssize_t written = write(desk->peer, block, size);
    (void)written;
}

/* The answer is there before the body is, and the client that goes on sending can read it. */
static void test_too_large_body_lingers(void **state)
{
    static char block[64 * 1024];
    struct desk *desk = *state;
    connect_peer(desk);
    say(desk,
        "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 2000000\r\n\r\n");
    run(desk, 3);
    for (size_t sent = 0; sent < 2000000; sent += sizeof(block)) {
        write_what_fits(desk, block, sizeof(block));
        run(desk, 0);
        assert_non_null(desk->http);
    }
    const char *text = hear(desk);
    assert_has(text, "HTTP/1.1 413 ");
    assert_has(text, "Connection: close");
    assert_has(text, "payload_too_large");
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run_until_closed(desk);
}

static void test_lingering_has_an_end(void **state)
{
    struct desk *desk = *state;
    desk->times = (struct net_http_times){.head = 1000, .idle = 1000, .body = 1000, .linger = 30};
    desk->settings.times = &desk->times;
    connect_peer(desk);
    assert_has(ask(desk, "nonsense\r\n\r\n"), "HTTP/1.1 400 ");
    assert_non_null(desk->http);
    run_until_closed(desk);
}

static void test_lingering_takes_no_flood(void **state)
{
    static char block[64 * 1024];
    struct desk *desk = *state;
    connect_peer(desk);
    assert_has(ask(desk, "nonsense\r\n\r\n"), "HTTP/1.1 400 ");
    for (size_t sent = 0; desk->http && sent < (size_t)2 * CORE_HTTP_LINGER_SIZE_MAX;) {
        ssize_t size = write(desk->peer, block, sizeof(block));
        sent += size > 0 ? (size_t)size : 0;
        loop_timer_start(desk->timer, 0);
        assert_int_equal(loop_run(desk->corridor->loop), 0);
    }
    assert_null(desk->http);
}

static void test_end_cannot_be_told(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    fault_arm(FAULT_SHUTDOWN, 1, ENOTCONN);
    assert_has(ask(desk, "nonsense\r\n\r\n"), "HTTP/1.1 400 ");
    assert_true(fault.hit);
    assert_null(desk->http);
}

/* ---- time ---- */

static void set_times(struct desk *desk)
{
    desk->times = (struct net_http_times){
        .idle = 400,
        .head = 400,
        .body = 400,
        .keepalive = 400,
        .write_stall = 400,
        .linger = 20,
    };
    desk->settings.times = &desk->times;
}

static void test_idle_connection_is_closed(void **state)
{
    struct desk *desk = *state;
    set_times(desk);
    desk->times.idle = 30;
    connect_peer(desk);
    assert_has(ask(desk, HEALTH), "200 OK");
    run(desk, 5);
    assert_non_null(desk->http);
    run_until_closed(desk);
    assert_string_equal(hear(desk), "");
}

static void test_slow_head(void **state)
{
    struct desk *desk = *state;
    set_times(desk);
    desk->times.head = 60;
    connect_peer(desk);
    /* bytes that dribble in do not prolong it */
    for (int i = 0; desk->http && i < 30; i++) {
        write_what_fits(desk, i == 0 ? "G" : "E", 1);
        run(desk, 5);
    }
    const char *text = hear(desk);
    assert_has(text, "HTTP/1.1 408 ");
    assert_has(text, "took too long");
    run_until_closed(desk);
}

static void test_slow_body(void **state)
{
    struct desk *desk = *state;
    set_times(desk);
    desk->times.body = 40;
    connect_peer(desk);
    say(desk,
        "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 10\r\n\r\n{");
    run(desk, 100);
    assert_has(hear(desk), "HTTP/1.1 408 ");
    run_until_closed(desk);
}

/* A client that asks and does not read: requests are not taken for ever, and then it is gone. */
static void test_write_stall(void **state)
{
    struct desk *desk = *state;
    set_times(desk);
    desk->times.write_stall = 60;
    connect_peer(desk);
    const char *request =
        post("/rpc", "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    for (int i = 0; desk->http && i < 4000; i++) {
        write_what_fits(desk, request, strlen(request));
        if (i % 16 == 0) {
            run(desk, 0);
        }
    }
    run_until_closed(desk);
}

/* ---- sessions and streams ---- */

/* @return the id of a new session, or "". */
static const char *begin_session(struct desk *desk)
{
    static char id[64];
    const char *text = ask(desk, post("/mcp", "", initialize));
    const char *at = strstr(text, "Mcp-Session-Id: ");
    id[0] = '\0';
    if (at) {
        at += strlen("Mcp-Session-Id: ");
        snprintf(id, sizeof(id), "%.*s", (int)strcspn(at, "\r"), at);
    }
    return id;
}

static const char *with_session(const char *method, const char *id)
{
    static char text[512];
    snprintf(
        text,
        sizeof(text),
        "%s /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        "Mcp-Session-Id: %s\r\n\r\n",
        method,
        id);
    return text;
}

static void test_answer_as_a_stream(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    const char *text = ask(desk, post("/mcp", "Accept: text/event-stream\r\n", initialize));
    assert_has(text, "HTTP/1.1 200 OK\r\n");
    assert_has(text, "Content-Type: text/event-stream\r\n");
    assert_has(text, "X-Accel-Buffering: no\r\n");
    assert_has(text, "Mcp-Session-Id: ");
    assert_has(text, "data: {\"jsonrpc\":\"2.0\"");
    assert_has(text, "\r\n0\r\n\r\n");
    assert_has(ask(desk, HEALTH), "200 OK");
}

static void test_stream_lives_until_its_session_ends(void **state)
{
    struct desk *desk = *state;
    set_times(desk);
    desk->times.keepalive = 30;
    connect_peer(desk);
    char id[64];
    snprintf(id, sizeof(id), "%s", begin_session(desk));
    assert_int_equal(strlen(id), 32);
    assert_has(ask(desk, with_session("GET", id)), "text/event-stream");
    run(desk, 60);
    assert_has(hear(desk), "3\r\n:\n\n\r\n");

    /* another connection ends the session */
    struct net_peer *stream = desk->http;
    int stream_fd = desk->peer;
    connect_peer(desk);
    assert_has(ask(desk, with_session("DELETE", id)), "HTTP/1.1 204 ");
    assert_has(ask(desk, with_session("DELETE", id)), "HTTP/1.1 404 ");
    desk->http->ops->close(desk->http);
    close(desk->peer);
    desk->http = stream;
    desk->peer = stream_fd;
    const char *text = hear(desk);
    assert_has(text, "0\r\n\r\n");
    /* the connection stays, and has no session of its own any more */
    assert_has(ask(desk, with_session("GET", id)), "HTTP/1.1 404 ");
    assert_non_null(desk->http);
}

static void test_stream_to_http_1_0(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    char request[256];
    snprintf(
        request,
        sizeof(request),
        "GET /mcp HTTP/1.0\r\nHost: localhost\r\nMcp-Session-Id: %s\r\n\r\n",
        begin_session(desk));
    const char *text = ask(desk, request);
    assert_has(text, "Connection: close\r\n");
    assert_false(has(text, "chunked"));
    desk->http->ops->finish(desk->http);
    run_until_closed(desk);
}

static void test_stream_of_a_peer_that_is_gone(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    char id[64];
    snprintf(id, sizeof(id), "%s", begin_session(desk));
    assert_has(ask(desk, with_session("GET", id)), "text/event-stream");
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run_until_closed(desk);
}

/* ---- calls of a session whose peer changes its mind, or is lost ---- */

static struct tool_call *waiting;
static unsigned cancelled;
static bool says_something;

static int run_tool(struct tool_call *call)
{
    waiting = call;
    if (says_something) {
        call->client->log(call, TOOL_LEVEL_ALERT, JSV_STR("busy"));
    }
    return TOOL_WAIT;
}

static void cancel_tool(struct tool_call *call)
{
    (void)call;
    waiting = NULL;
    cancelled++;
}

static void finish_tool(void)
{
    assert_non_null(waiting);
    jsv_buf_append_str(waiting->out, JSV_STR("{\"ok\":true,\"schemas\":[]}"));
    waiting->finished(waiting);
    waiting = NULL;
}

static const struct tool_set waiting_tools = {.run = run_tool, .cancel = cancel_tool};

#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","                                     \
    "\"params\":{\"name\":\"list_schemas\"}}"
#define CANCEL                                                                                     \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}"

static void use_waiting_tools(struct desk *desk)
{
    struct corridor *corridor = desk->corridor;
    struct core_worker *before = corridor->worker;
    corridor->settings.tools.set = &waiting_tools;
    assert_int_equal(
        core_worker_new(corridor->loop, &corridor->settings, corridor->catalog, &corridor->worker),
        0);
    corridor_reconnect(corridor);
    core_worker_free(before);
    cancelled = 0;
    says_something = false;
}

/* @return the header that names a new session, and another one. */
static const char *session_header(struct desk *desk, const char *accept)
{
    static char headers[256];
    const char *id = begin_session(desk);
    snprintf(headers, sizeof(headers), "Mcp-Session-Id: %s\r\nAccept: %s\r\n", id, accept);
    return headers;
}

#define BOTH "application/json, text/event-stream"

/* @return what the caller hears after its call was given up on another connection. */
static const char *hear_of_cancelled(struct desk *desk, const char *headers)
{
    say(desk, post("/mcp", headers, CALL));
    run(desk, 3);
    assert_non_null(waiting);
    struct net_peer *caller = desk->http;
    int fd = desk->peer;
    connect_peer(desk);
    assert_has(ask(desk, post("/mcp", headers, CANCEL)), "HTTP/1.1 202 ");
    desk->http->ops->close(desk->http);
    close(desk->peer);
    desk->http = caller;
    desk->peer = fd;
    assert_int_equal(cancelled, 1);
    cancelled = 0;
    return hear(desk);
}

static void test_cancelled_call_ends_without_an_answer(void **state)
{
    struct desk *desk = *state;
    use_waiting_tools(desk);
    connect_peer(desk);
    const char *text = hear_of_cancelled(desk, session_header(desk, BOTH));
    assert_has(text, "Content-Type: text/event-stream\r\n");
    assert_has(text, "\r\n\r\n0\r\n\r\n");
    text = hear_of_cancelled(desk, session_header(desk, "application/json"));
    assert_has(text, "HTTP/1.1 202 ");
    says_something = true;
    text = hear_of_cancelled(desk, session_header(desk, BOTH));
    assert_int_equal(count(text, "data: "), 1);
    assert_has(text, "\r\n0\r\n\r\n");
    assert_has(ask(desk, HEALTH), "200 OK");
}

#define MODERN_CALL                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"                         \
    "\"name\":\"list_schemas\",\"_meta\":{"                                                        \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/logLevel\":\"info\","                                               \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\",\"version\":\"1\"},"                   \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

/* At /rpc an answer is always JSON; what comes before it needs a client that takes streams. */
static void test_streams_are_for_who_takes_them(void **state)
{
    struct desk *desk = *state;
    use_waiting_tools(desk);
    says_something = true;
    connect_peer(desk);
    static const struct {
        const char *headers;
        const char *type;
    } cases[] = {
        {"Accept: application/json\r\n", "Content-Type: application/json\r\n"},
        {"Accept: image/png\r\n", "Content-Type: application/json\r\n"},
        {"Accept: " BOTH "\r\n", "Content-Type: text/event-stream\r\n"},
        {"", "Content-Type: text/event-stream\r\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        say(desk, post("/rpc", cases[i].headers, MODERN_CALL));
        run(desk, 3);
        finish_tool();
        const char *text = hear(desk);
        assert_has(text, cases[i].type);
        assert_has(text, "\"schemas\":[]");
    }
}

/* Requests that come with one that waits, or while it does, are those that follow. */
static void test_requests_behind_a_call(void **state)
{
    struct desk *desk = *state;
    use_waiting_tools(desk);
    connect_peer(desk);
    char headers[256];
    char text[16384];
    snprintf(headers, sizeof(headers), "%s", session_header(desk, "application/json"));
    snprintf(text, sizeof(text), "%s%s", post("/mcp", headers, CALL), HEALTH);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(ask(desk, text), "");
        assert_non_null(waiting);
        /* what it was read into is used for others meanwhile */
        struct net_peer *caller = desk->http;
        int fd = desk->peer;
        connect_peer(desk);
        assert_has(ask(desk, post("/rpc", "", PING)), "\"id\":1");
        desk->http->ops->close(desk->http);
        close(desk->peer);
        desk->http = caller;
        desk->peer = fd;
        assert_string_equal(ask(desk, post("/rpc", "", PING)), "");
        finish_tool();
        const char *heard = hear(desk);
        assert_int_equal(count(heard, "HTTP/1.1 200 OK"), 3);
        const char *health = strstr(heard, "ok\n");
        assert_non_null(health);
        assert_true(strstr(heard, "\"id\":7") < health);
        assert_has(health, "\"id\":1");
    }
}

static void test_call_of_a_lost_peer_is_finished(void **state)
{
    struct desk *desk = *state;
    use_waiting_tools(desk);
    for (int i = 0; i < 4; i++) {
        says_something = i & 1;
        connect_peer(desk);
        say(desk, post("/mcp", session_header(desk, BOTH), CALL));
        hear(desk);
        assert_non_null(waiting);
        close(desk->peer);
        desk->peer = -1;
        run(desk, 10);
        assert_int_equal(cancelled, 0);
        assert_non_null(desk->http);
        if (i < 2) {
            waiting->client->log(waiting, TOOL_LEVEL_ALERT, JSV_STR("nobody hears this"));
            run(desk, 10);
            assert_int_equal(cancelled, 0);
            finish_tool();
        } else {
            desk->http->ops->finish(desk->http);
            run(desk, 10);
            desk->http->ops->close(desk->http);
            assert_int_equal(cancelled, 1);
            cancelled = 0;
        }
        run_until_closed(desk);
    }
}

static void test_call_of_a_stalled_peer_is_finished(void **state)
{
    struct desk *desk = *state;
    use_waiting_tools(desk);
    set_times(desk);
    desk->times.write_stall = 50;
    connect_peer(desk);
    char block[1024];
    memset(block, 'b', sizeof(block));
    say(desk, post("/mcp", session_header(desk, BOTH), CALL));
    run(desk, 3);
    for (int i = 0; i < 800; i++) {
        waiting->client->log(waiting, TOOL_LEVEL_ALERT, (struct jsv_str){block, sizeof(block)});
    }
    run(desk, 300);
    assert_int_equal(cancelled, 0);
    char more[16];
    while (read(desk->peer, more, sizeof(more)) > 0) {
        /* what the kernel has */
    }
    assert_int_equal(read(desk->peer, more, sizeof(more)), 0);
    finish_tool();
    run_until_closed(desk);
}

/* ---- ends ---- */

static void test_half_closed_peer_gets_its_answer(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    say(desk, post("/rpc", "", PING));
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run_until_closed(desk);
    assert_has(hear(desk), "200 OK");
}

static void test_finish_closes_idle_connections(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    assert_has(ask(desk, HEALTH), "200 OK");
    desk->http->ops->finish(desk->http);
    run_until_closed(desk);
}

/* What has come when we stop is answered, though nobody has looked at it yet. */
static void test_finish_answers_what_has_come(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    say(desk, post("/rpc", "", PING));
    desk->http->ops->finish(desk->http);
    const char *text = hear(desk);
    assert_has(text, "HTTP/1.1 200 OK");
    assert_has(text, "Connection: close");
    run_until_closed(desk);
}

static void test_finish_waits_for_a_request_that_has_begun(void **state)
{
    struct desk *desk = *state;
    connect_peer(desk);
    say(desk, "GET /readyz HTTP/1.1\r\n");
    run(desk, 3);
    desk->http->ops->finish(desk->http);
    run(desk, 5);
    assert_non_null(desk->http);
    const char *text = ask(desk, "Host: localhost\r\n\r\n");
    assert_has(text, "HTTP/1.1 503 ");
    assert_has(text, "stopping");
    run_until_closed(desk);
}

/* ---- out of memory ---- */

static const char *const conversation[] = {
    HEALTH,
    "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Transfer-Encoding: chunked\r\n\r\n27\r\n" PING "\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n",
};
#define CONVERSATION_SIZE (sizeof(conversation) / sizeof(conversation[0]))

static void converse(struct desk *desk)
{
    const char *begin = post("/mcp", "Accept: text/event-stream\r\n", initialize);
    for (size_t i = 0; desk->http && i < CONVERSATION_SIZE; i++) {
        write_what_fits(desk, conversation[i], strlen(conversation[i]));
        run(desk, 0);
    }
    if (desk->http) {
        write_what_fits(desk, begin, strlen(begin));
        run(desk, 1);
    }
}

/* A call that waits, and a request behind it. */
static void call_and_ask(struct desk *desk)
{
    char text[16384];
    int size = snprintf(
        text,
        sizeof(text),
        "%s%s",
        post("/rpc", "", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"list_schemas\"}"),
        HEALTH);
    waiting = NULL;
    write_what_fits(desk, text, (size_t)size);
    run(desk, 1);
    if (waiting) {
        finish_tool();
        run(desk, 1);
    }
}

/*
 * Whatever is missing, the connection answers or is closed, and gives everything back.
 * @return how many times memory was asked for.
 */
static unsigned run_out_of_memory(struct desk *desk, void (*speak)(struct desk *desk))
{
    bool hit = true;
    unsigned at = 0;
    struct rpc_pool *pool = core_worker_pool(desk->corridor->worker);
    while (hit) {
        rpc_pool_done(pool); /* of the one before: memory has to be taken */
        rpc_pool_init(pool);
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        if (try_to_connect(desk) == 0) {
            speak(desk);
        } else {
            desk->http = NULL;
        }
        hit = fault.hit;
        fault_disarm();
        if (desk->http) {
            desk->http->ops->close(desk->http);
        }
        run(desk, 0);
        close(desk->peer);
        desk->peer = -1;
    }
    return at;
}

static void test_out_of_memory(void **state)
{
    assert_true(run_out_of_memory(*state, converse) > 8);
}

static void test_out_of_memory_behind_a_call(void **state)
{
    use_waiting_tools(*state);
    assert_true(run_out_of_memory(*state, call_and_ask) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(test_keep_alive),
        DESK_TEST(test_pipelining),
        DESK_TEST(test_byte_by_byte),
        DESK_TEST(test_chunked_body),
        DESK_TEST(test_expect_continue),
        DESK_TEST(test_head_has_no_body),
        DESK_TEST(test_http_1_0),
        DESK_TEST(test_health),
        DESK_TEST(test_page),
        DESK_TEST(test_statuses),
        DESK_TEST(test_token),
        DESK_TEST(test_too_large_body_lingers),
        DESK_TEST(test_lingering_has_an_end),
        DESK_TEST(test_lingering_takes_no_flood),
        DESK_TEST(test_end_cannot_be_told),
        DESK_TEST(test_idle_connection_is_closed),
        DESK_TEST(test_slow_head),
        DESK_TEST(test_slow_body),
        DESK_TEST(test_write_stall),
        DESK_TEST(test_answer_as_a_stream),
        DESK_TEST(test_stream_lives_until_its_session_ends),
        DESK_TEST(test_stream_to_http_1_0),
        DESK_TEST(test_stream_of_a_peer_that_is_gone),
        DESK_TEST(test_cancelled_call_ends_without_an_answer),
        DESK_TEST(test_requests_behind_a_call),
        DESK_TEST(test_streams_are_for_who_takes_them),
        DESK_TEST(test_call_of_a_lost_peer_is_finished),
        DESK_TEST(test_call_of_a_stalled_peer_is_finished),
        DESK_TEST(test_half_closed_peer_gets_its_answer),
        DESK_TEST(test_finish_closes_idle_connections),
        DESK_TEST(test_finish_answers_what_has_come),
        DESK_TEST(test_finish_waits_for_a_request_that_has_begun),
        DESK_TEST(test_out_of_memory),
        DESK_TEST(test_out_of_memory_behind_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
