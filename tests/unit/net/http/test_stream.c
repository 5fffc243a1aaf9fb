/* Sessions and streams over HTTP, and calls that wait. */
#define _GNU_SOURCE
#include "support/stderr_capture.h"
#include "unit/net/http_fixture.h"

/* ---- sessions and streams ---- */

/* @return the id of a new session, or "". */
static const char *begin_session(struct http_fixture *fixture, const char *hello)
{
    static char id[64];
    const char *text = ask(fixture, post("/mcp", "", hello));
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
static const char *begin_stream(struct http_fixture *fixture)
{
    set_times(fixture);
    fixture->times.keepalive = 30;
    connect_peer(fixture);
    const char *id = begin_session(fixture, initialize);
    assert_has(ask(fixture, with_session("GET", id)), "text/event-stream");
    return id;
}

static void test_answer_as_a_stream(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    const char *text = ask(fixture, post("/mcp", "Accept: text/event-stream\r\n", initialize));
    assert_has(text, "HTTP/1.1 200 OK\r\n");
    assert_has(text, "Content-Type: text/event-stream\r\n");
    assert_has(text, "X-Accel-Buffering: no\r\n");
    assert_has(text, "Mcp-Session-Id: ");
    assert_has(text, "data: {\"jsonrpc\":\"2.0\"");
    assert_has(text, "\r\n0\r\n\r\n");
    assert_has(ask(fixture, HEALTH), "200 OK");
}

static void test_stream_lives_until_its_session_ends(void **state)
{
    struct http_fixture *fixture = *state;
    char id[64];
    snprintf(id, sizeof(id), "%s", begin_stream(fixture));
    assert_int_equal(strlen(id), 32);
    run(fixture, 60);
    assert_has(hear(fixture), "3\r\n:\n\n\r\n");

    /* another connection ends the session */
    struct net_peer *stream = fixture->http;
    int stream_fd = fixture->peer;
    connect_peer(fixture);
    assert_has(ask(fixture, with_session("DELETE", id)), "HTTP/1.1 204 ");
    assert_has(ask(fixture, with_session("DELETE", id)), "HTTP/1.1 404 ");
    net_peer_close(fixture->http);
    close(fixture->peer);
    fixture->http = stream;
    fixture->peer = stream_fd;
    const char *text = hear(fixture);
    assert_has(text, "0\r\n\r\n");
    /* the connection stays, and has no session of its own any more */
    assert_has(ask(fixture, with_session("GET", id)), "HTTP/1.1 404 ");
    assert_non_null(fixture->http);
}

/* A stream that listens makes room for another connection: its client sees the end of it. */
static void test_evicted_stream_is_ended(void **state)
{
    struct http_fixture *fixture = *state;
    begin_stream(fixture);
    hear(fixture);
    assert_int_equal(fixture->http->ops->activity(fixture->http), NET_LISTENING);
    fixture->http->ops->evict(fixture->http);
    assert_null(fixture->http);
    assert_string_equal(hear(fixture), "0\r\n\r\n");
}

/* The time for its next sign of life comes when it has just ended: nothing may follow its end. */
static void test_ended_stream_gives_no_sign_of_life(void **state)
{
    struct http_fixture *fixture = *state;
    begin_stream(fixture);
    fixture->http->ops->finish(fixture->http);
    usleep(60 * 1000);
    const char *text = hear(fixture);
    assert_string_equal(text, "0\r\n\r\n");
    run_until_closed(fixture);
}

static void test_stream_to_http_1_0(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    char request[256];
    snprintf(
        request,
        sizeof(request),
        "GET /mcp HTTP/1.0\r\nHost: localhost\r\nMcp-Session-Id: %s\r\n\r\n",
        begin_session(fixture, initialize));
    const char *text = ask(fixture, request);
    assert_has(text, "Connection: close\r\n");
    assert_false(has(text, "chunked"));
    fixture->http->ops->finish(fixture->http);
    run_until_closed(fixture);
}

static void test_stream_of_a_peer_that_is_gone(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    char id[64];
    snprintf(id, sizeof(id), "%s", begin_session(fixture, initialize));
    assert_has(ask(fixture, with_session("GET", id)), "text/event-stream");
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run_until_closed(fixture);
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

static void use_waiting_tools(struct http_fixture *fixture)
{
    struct pipeline_fixture *pipeline = fixture->pipeline;
    struct core_worker *before = pipeline->worker;
    pipeline->settings.tools.set = &waiting_tools;
    assert_int_equal(
        core_worker_new(pipeline->loop, &pipeline->settings, pipeline->catalog, &pipeline->worker),
        0);
    pipeline_reconnect(pipeline);
    core_worker_free(before);
    cancelled = 0;
    says_something = false;
    asks_something = false;
}

/* @return the header that names a new session, and another one. */
static const char *
session_header(struct http_fixture *fixture, const char *hello, const char *accept)
{
    static char headers[256];
    const char *id = begin_session(fixture, hello);
    snprintf(headers, sizeof(headers), "Mcp-Session-Id: %s\r\nAccept: %s\r\n", id, accept);
    return headers;
}

#define BOTH "application/json, text/event-stream"

/* @return what the caller hears after its call was given up on another connection. */
static const char *hear_of_cancelled(struct http_fixture *fixture, const char *headers)
{
    say(fixture, post("/mcp", headers, CALL));
    run(fixture, 3);
    assert_non_null(waiting);
    struct net_peer *caller = fixture->http;
    int fd = fixture->peer;
    connect_peer(fixture);
    assert_has(ask(fixture, post("/mcp", headers, CANCEL)), "HTTP/1.1 202 ");
    net_peer_close(fixture->http);
    close(fixture->peer);
    fixture->http = caller;
    fixture->peer = fd;
    assert_int_equal(cancelled, 1);
    cancelled = 0;
    return hear(fixture);
}

static void test_cancelled_call_ends_without_an_answer(void **state)
{
    struct http_fixture *fixture = *state;
    use_waiting_tools(fixture);
    connect_peer(fixture);
    const char *text = hear_of_cancelled(fixture, session_header(fixture, initialize, BOTH));
    assert_has(text, "Content-Type: text/event-stream\r\n");
    assert_has(text, "\r\n\r\n0\r\n\r\n");
    text = hear_of_cancelled(fixture, session_header(fixture, initialize, "application/json"));
    assert_has(text, "HTTP/1.1 202 ");
    says_something = true;
    text = hear_of_cancelled(fixture, session_header(fixture, initialize, BOTH));
    assert_int_equal(count(text, "data: "), 1);
    assert_has(text, "\r\n0\r\n\r\n");
    assert_has(ask(fixture, HEALTH), "200 OK");
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
    struct http_fixture *fixture = *state;
    use_waiting_tools(fixture);
    says_something = true;
    connect_peer(fixture);
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
        say(fixture, post("/rpc", cases[i].headers, MODERN_CALL));
        run(fixture, 3);
        finish_tool();
        const char *text = hear(fixture);
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
    struct http_fixture *fixture = *state;
    use_waiting_tools(fixture);
    asks_something = true;
    connect_peer(fixture);
    const char *headers = session_header(fixture, WITH_ROOTS, "application/json");
    const char *text = ask(fixture, post("/mcp", headers, CALL));
    assert_has(text, "Content-Type: application/json\r\n");
    assert_has(text, "the client cannot be asked");
    headers = session_header(fixture, WITH_ROOTS, BOTH);
    text = ask(fixture, post("/mcp", headers, CALL));
    assert_has(text, "Content-Type: text/event-stream\r\n");
    assert_has(text, "\"method\":\"roots/list\"");
    assert_false(has(text, "\"id\":7"));
}

/* Requests that come with one that waits, or while it does, are those that follow. */
static void test_requests_behind_a_call(void **state)
{
    struct http_fixture *fixture = *state;
    use_waiting_tools(fixture);
    connect_peer(fixture);
    char headers[256];
    char text[16384];
    snprintf(
        headers, sizeof(headers), "%s", session_header(fixture, initialize, "application/json"));
    snprintf(text, sizeof(text), "%s%s", post("/mcp", headers, CALL), HEALTH);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(ask(fixture, text), "");
        assert_non_null(waiting);
        /* what it was read into is used for others meanwhile */
        struct net_peer *caller = fixture->http;
        int fd = fixture->peer;
        connect_peer(fixture);
        assert_has(ask(fixture, post("/rpc", "", PING)), "\"id\":1");
        net_peer_close(fixture->http);
        close(fixture->peer);
        fixture->http = caller;
        fixture->peer = fd;
        assert_string_equal(ask(fixture, post("/rpc", "", PING)), "");
        finish_tool();
        const char *heard = hear(fixture);
        assert_int_equal(count(heard, "HTTP/1.1 200 OK"), 3);
        const char *health = strstr(heard, "ok\n");
        assert_non_null(health);
        assert_true(strstr(heard, "\"id\":7") < health);
        assert_has(health, "\"id\":1");
    }
}

static void test_call_of_a_lost_peer_is_finished(void **state)
{
    struct http_fixture *fixture = *state;
    use_waiting_tools(fixture);
    for (int i = 0; i < 4; i++) {
        says_something = i & 1;
        connect_peer(fixture);
        say(fixture, post("/mcp", session_header(fixture, initialize, BOTH), CALL));
        hear(fixture);
        assert_non_null(waiting);
        close(fixture->peer);
        fixture->peer = -1;
        run(fixture, 10);
        assert_int_equal(cancelled, 0);
        assert_non_null(fixture->http);
        if (i < 2) {
            waiting->client->log(waiting, TOOL_LEVEL_ALERT, JSV_STR("not delivered"));
            run(fixture, 10);
            assert_int_equal(cancelled, 0);
            finish_tool();
        } else {
            fixture->http->ops->finish(fixture->http);
            run(fixture, 10);
            net_peer_close(fixture->http);
            assert_int_equal(cancelled, 1);
            cancelled = 0;
        }
        run_until_closed(fixture);
    }
}

static void test_call_of_a_stalled_peer_is_finished(void **state)
{
    struct http_fixture *fixture = *state;
    use_waiting_tools(fixture);
    set_times(fixture);
    fixture->times.write_stall = 50;
    connect_peer(fixture);
    char block[1024];
    memset(block, 'b', sizeof(block));
    say(fixture, post("/mcp", session_header(fixture, initialize, BOTH), CALL));
    run(fixture, 3);
    for (int i = 0; i < 800; i++) {
        waiting->client->log(waiting, TOOL_LEVEL_ALERT, (struct jsv_str){block, sizeof(block)});
    }
    run(fixture, 300);
    assert_int_equal(cancelled, 0);
    char more[16];
    while (read(fixture->peer, more, sizeof(more)) > 0) {
        /* what the kernel has */
    }
    assert_int_equal(read(fixture->peer, more, sizeof(more)), 0);
    finish_tool();
    run_until_closed(fixture);
}

/* Messages of a running call; 4 MiB of them unread are too much. The operator is told why. */
static void test_who_does_not_read_messages_is_disconnected(void **state)
{
    struct http_fixture *fixture = *state;
    static char block[1 << 18];
    memset(block, 'b', sizeof(block));
    use_waiting_tools(fixture);
    connect_peer(fixture);
    say(fixture, post("/mcp", session_header(fixture, initialize, BOTH), CALL));
    run(fixture, 3);
    stderr_begin();
    for (int i = 0; i < 32; i++) {
        waiting->client->log(waiting, TOOL_LEVEL_ALERT, (struct jsv_str){block, sizeof(block)});
        if (i == 14) {
            run(fixture, 3);
            assert_string_equal(stderr_end(), "");
            stderr_begin();
        }
    }
    run(fixture, 3);
    assert_has(stderr_end(), "mcp:warning reason=slow_reader transport=http detail=\"disconnected");
    assert_int_equal(cancelled, 0); /* in a session the call itself is finished */
    finish_tool();
    run_until_closed(fixture);
}

/* Every message about progress repeats the token, so a long one gets none. */
static void test_no_progress_for_a_long_token(void **state)
{
    struct http_fixture *fixture = *state;
    use_waiting_tools(fixture);
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
        connect_peer(fixture);
        say(fixture, post("/mcp", session_header(fixture, initialize, BOTH), call));
        run(fixture, 3);
        waiting->client->progress(waiting, 1, 2);
        finish_tool();
        assert_int_equal(has(hear(fixture), "notifications/progress"), size <= 254);
        net_peer_close(fixture->http);
        close(fixture->peer);
        fixture->peer = -1;
    }
}

/* A call that waits, and a request behind it. */
static void call_and_ask(struct http_fixture *fixture)
{
    char text[16384];
    int size = snprintf(
        text,
        sizeof(text),
        "%s%s",
        post("/rpc", "", "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"list_schemas\"}"),
        HEALTH);
    waiting = NULL;
    write_what_fits(fixture, text, (size_t)size);
    run(fixture, 1);
    if (waiting) {
        finish_tool();
        run(fixture, 1);
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
        HTTP_TEST(test_answer_as_a_stream),
        HTTP_TEST(test_stream_lives_until_its_session_ends),
        HTTP_TEST(test_evicted_stream_is_ended),
        HTTP_TEST(test_ended_stream_gives_no_sign_of_life),
        HTTP_TEST(test_stream_to_http_1_0),
        HTTP_TEST(test_stream_of_a_peer_that_is_gone),
        HTTP_TEST(test_cancelled_call_ends_without_an_answer),
        HTTP_TEST(test_requests_behind_a_call),
        HTTP_TEST(test_streams_are_for_who_takes_them),
        HTTP_TEST(test_questions_are_for_who_hears_them),
        HTTP_TEST(test_call_of_a_lost_peer_is_finished),
        HTTP_TEST(test_call_of_a_stalled_peer_is_finished),
        HTTP_TEST(test_who_does_not_read_messages_is_disconnected),
        HTTP_TEST(test_no_progress_for_a_long_token),
        HTTP_TEST(test_out_of_memory_behind_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
