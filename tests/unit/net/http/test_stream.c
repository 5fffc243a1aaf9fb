/* Sessions and streams over HTTP, and calls that wait. */
#define _GNU_SOURCE
#include "support/stderr_capture.h"
#include "unit/net/http_desk.h"

/* ---- sessions and streams ---- */

/* @return the id of a new session, or "". */
static const char *begin_session(struct desk *desk, const char *hello)
{
    static char id[64];
    const char *text = ask(desk, post("/mcp", "", hello));
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

/* A client with a session and its stream, which gives a sign of life every 30 ms. @return its id.
 */
static const char *begin_stream(struct desk *desk)
{
    set_times(desk);
    desk->times.keepalive = 30;
    connect_peer(desk);
    const char *id = begin_session(desk, initialize);
    assert_has(ask(desk, with_session("GET", id)), "text/event-stream");
    return id;
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
    char id[64];
    snprintf(id, sizeof(id), "%s", begin_stream(desk));
    assert_int_equal(strlen(id), 32);
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

/* The time for its next sign of life comes when it has just ended: nothing may follow its end. */
static void test_ended_stream_gives_no_sign_of_life(void **state)
{
    struct desk *desk = *state;
    begin_stream(desk);
    desk->http->ops->finish(desk->http);
    usleep(60 * 1000);
    const char *text = hear(desk);
    assert_string_equal(text, "0\r\n\r\n");
    run_until_closed(desk);
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
        begin_session(desk, initialize));
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
    snprintf(id, sizeof(id), "%s", begin_session(desk, initialize));
    assert_has(ask(desk, with_session("GET", id)), "text/event-stream");
    assert_int_equal(shutdown(desk->peer, SHUT_WR), 0);
    run_until_closed(desk);
}

/* ---- calls of a session whose peer changes its mind, or is lost ---- */

static struct tool_call *waiting;
static unsigned cancelled;
static bool says_something;
static bool asks_something;

static int run_tool(struct tool_call *call)
{
    if (asks_something) {
        jsv_buf_append_str(call->out, JSV_STR("{\"who\":{\"method\":\"roots/list\"}}"));
        return TOOL_ASK;
    }
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
    asks_something = false;
}

/* @return the header that names a new session, and another one. */
static const char *session_header(struct desk *desk, const char *hello, const char *accept)
{
    static char headers[256];
    const char *id = begin_session(desk, hello);
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
    const char *text = hear_of_cancelled(desk, session_header(desk, initialize, BOTH));
    assert_has(text, "Content-Type: text/event-stream\r\n");
    assert_has(text, "\r\n\r\n0\r\n\r\n");
    text = hear_of_cancelled(desk, session_header(desk, initialize, "application/json"));
    assert_has(text, "HTTP/1.1 202 ");
    says_something = true;
    text = hear_of_cancelled(desk, session_header(desk, initialize, BOTH));
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

#define WITH_ROOTS                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"     \
    "\"2025-11-25\",\"capabilities\":{\"roots\":{}},\"clientInfo\":{\"name\":\"t\",\"version\":"   \
    "\"1\"}}}"

static void test_questions_are_for_who_hears_them(void **state)
{
    struct desk *desk = *state;
    use_waiting_tools(desk);
    asks_something = true;
    connect_peer(desk);
    const char *headers = session_header(desk, WITH_ROOTS, "application/json");
    const char *text = ask(desk, post("/mcp", headers, CALL));
    assert_has(text, "Content-Type: application/json\r\n");
    assert_has(text, "the client cannot be asked");
    headers = session_header(desk, WITH_ROOTS, BOTH);
    text = ask(desk, post("/mcp", headers, CALL));
    assert_has(text, "Content-Type: text/event-stream\r\n");
    assert_has(text, "\"method\":\"roots/list\"");
    assert_false(has(text, "\"id\":7"));
}

/* Requests that come with one that waits, or while it does, are those that follow. */
static void test_requests_behind_a_call(void **state)
{
    struct desk *desk = *state;
    use_waiting_tools(desk);
    connect_peer(desk);
    char headers[256];
    char text[16384];
    snprintf(headers, sizeof(headers), "%s", session_header(desk, initialize, "application/json"));
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
        say(desk, post("/mcp", session_header(desk, initialize, BOTH), CALL));
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
    say(desk, post("/mcp", session_header(desk, initialize, BOTH), CALL));
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

/* Messages of a running call; 4 MiB of them unread are too much. The operator is told why. */
static void test_who_does_not_read_messages_is_disconnected(void **state)
{
    struct desk *desk = *state;
    static char block[1 << 18];
    memset(block, 'b', sizeof(block));
    use_waiting_tools(desk);
    connect_peer(desk);
    say(desk, post("/mcp", session_header(desk, initialize, BOTH), CALL));
    run(desk, 3);
    stderr_begin();
    for (int i = 0; i < 32; i++) {
        waiting->client->log(waiting, TOOL_LEVEL_ALERT, (struct jsv_str){block, sizeof(block)});
        if (i == 14) {
            run(desk, 3);
            assert_string_equal(stderr_end(), "");
            stderr_begin();
        }
    }
    run(desk, 3);
    assert_has(stderr_end(), "mcp:warning reason=slow_reader transport=http detail=\"disconnected");
    assert_int_equal(cancelled, 0); /* in a session the call itself is finished */
    finish_tool();
    run_until_closed(desk);
}

/* Every message about progress repeats the token, so a long one gets none. */
static void test_no_progress_for_a_long_token(void **state)
{
    struct desk *desk = *state;
    use_waiting_tools(desk);
    for (int size = 250; size < 260; size += 8) {
        char token[300] = "";
        char call[512];
        memset(token, 't', (size_t)size);
        snprintf(
            call,
            sizeof(call),
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
            "\"name\":\"list_schemas\",\"_meta\":{\"progressToken\":\"%s\"}}}",
            token);
        connect_peer(desk);
        say(desk, post("/mcp", session_header(desk, initialize, BOTH), call));
        run(desk, 3);
        waiting->client->progress(waiting, 1, 2);
        finish_tool();
        assert_int_equal(has(hear(desk), "notifications/progress"), size <= 254);
        desk->http->ops->close(desk->http);
        close(desk->peer);
        desk->peer = -1;
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

static void test_out_of_memory_behind_a_call(void **state)
{
    use_waiting_tools(*state);
    assert_true(run_out_of_memory(*state, call_and_ask) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(test_answer_as_a_stream),
        DESK_TEST(test_stream_lives_until_its_session_ends),
        DESK_TEST(test_ended_stream_gives_no_sign_of_life),
        DESK_TEST(test_stream_to_http_1_0),
        DESK_TEST(test_stream_of_a_peer_that_is_gone),
        DESK_TEST(test_cancelled_call_ends_without_an_answer),
        DESK_TEST(test_requests_behind_a_call),
        DESK_TEST(test_streams_are_for_who_takes_them),
        DESK_TEST(test_questions_are_for_who_hears_them),
        DESK_TEST(test_call_of_a_lost_peer_is_finished),
        DESK_TEST(test_call_of_a_stalled_peer_is_finished),
        DESK_TEST(test_who_does_not_read_messages_is_disconnected),
        DESK_TEST(test_no_progress_for_a_long_token),
        DESK_TEST(test_out_of_memory_behind_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
