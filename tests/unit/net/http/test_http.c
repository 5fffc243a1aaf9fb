#define _GNU_SOURCE
#include "core/sessions.h"
#include "dialect/session.h"
#include "unit/net/http_fixture.h"

/* ---- requests and responses ---- */

static void test_keep_alive(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    for (int i = 0; i < 3; i++) {
        const char *text = ask(fixture, post("/rpc", "", PING));
        assert_has(text, "HTTP/1.1 200 OK\r\n");
        assert_has(text, "\"id\":1");
        assert_false(has(text, "Connection:"));
    }
    assert_non_null(fixture->http);
}

/* Many in one write: as many answers, in order. */
static void test_pipelining(void **state)
{
    struct http_fixture *fixture = *state;
    char *text = calloc(1, (size_t)64 * 1024);
    size_t size = 0;
    connect_peer(fixture);
    for (int i = 0; i < 100; i++) {
        char body[64];
        snprintf(
            body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"ping\"}", 100 + i);
        const char *request = post("/rpc", "", body);
        memcpy(text + size, request, strlen(request));
        size += strlen(request);
    }
    say(fixture, text);
    free(text);
    const char *at = hear(fixture);
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
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    for (const char *at = post("/rpc", "", PING); *at; at++) {
        assert_int_equal(write(fixture->peer, at, 1), 1);
        run(fixture, 0);
    }
    assert_has(hear(fixture), "200 OK");
}

static void test_chunked_body(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    const char *text = ask(
        fixture,
        "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
        "11\r\n{\"jsonrpc\":\"2.0\",\r\n16\r\n\"id\":7,\"method\":\"ping\"\r\n1\r\n}\r\n0\r\n\r\n");
    assert_has(text, "200 OK");
    assert_has(text, "\"id\":7");
    assert_non_null(fixture->http);
}

static void test_expect_continue(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    const char *whole = post("/rpc", "Expect: 100-continue\r\n", PING);
    const char *body = strstr(whole, "\r\n\r\n") + 4;
    char head[512];
    snprintf(head, sizeof(head), "%.*s", (int)(body - whole), whole);
    assert_string_equal(ask(fixture, head), "HTTP/1.1 100 Continue\r\n\r\n");
    assert_has(ask(fixture, PING), "HTTP/1.1 200 OK");
    /* a refused client does not send its body */
    const char *text =
        ask(fixture,
            "POST /rpc HTTP/1.1\r\nHost: evil.test\r\nExpect: 100-continue\r\nContent-Length: "
            "9\r\n\r\n");
    assert_has(text, "HTTP/1.1 403 ");
    assert_false(has(text, "100 Continue"));
}

static void test_body_too_large_is_not_invited(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    const char *text =
        ask(fixture,
            "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Expect: 100-continue\r\nContent-Length: 1048577\r\n\r\n");
    assert_has(text, "HTTP/1.1 413 ");
    assert_has(text, "payload_too_large");
    assert_false(has(text, "100 Continue"));
}

static void test_head_has_no_body(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    const char *text = ask(fixture, "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(text, "200 OK");
    assert_has(text, "Content-Length: 3\r\n");
    assert_false(has(text, "ok\n"));
}

static void test_http_1_0(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    assert_has(
        ask(fixture, "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), "keep-alive");
    assert_non_null(fixture->http);
    assert_has(ask(fixture, "GET /healthz HTTP/1.0\r\n\r\n"), "Connection: close\r\n");
    run_until_closed(fixture);
}

/* 503 says when to try again: with what the pipeline knows, else after a second. */
static void test_retry_after(void **state)
{
    struct http_fixture *fixture = *state;
    struct core_sessions *sessions = fixture->pipeline->settings.sessions;
    connect_peer(fixture);
    for (size_t i = 0; i < CORE_SESSIONS_MAX; i++) {
        struct dialect_session *session = dialect_session_new(MCP_VERSION_2025_06_18);
        uint64_t retry_ms;
        assert_int_equal(core_sessions_add(sessions, session, &retry_ms), 0);
        dialect_session_release(session);
    }
    const char *text = ask(fixture, post("/mcp", "", initialize));
    assert_has(text, "HTTP/1.1 503 ");
    assert_has(text, "Retry-After: 60\r\n"); /* CORE_SESSION_UNUSED_MS */
    fixture->http->is_spare = true;
    text = ask(fixture, post("/mcp", "", PING));
    assert_has(text, "HTTP/1.1 503 ");
    assert_has(text, "Retry-After: 1\r\n");
    run_until_closed(fixture);
    connect_peer(fixture);
    assert_false(has(ask(fixture, HEALTH), "Retry-After"));
}

static void test_health(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    assert_has(ask(fixture, "GET /healthz HTTP/1.1\r\nHost: 10.1.2.3\r\n\r\n"), "ok\n");
    assert_has(ask(fixture, "GET /readyz HTTP/1.1\r\nHost: 10.1.2.3\r\n\r\n"), "ready\n");
}

static void test_page(void **state)
{
    struct http_fixture *fixture = *state;
    struct net_page_file file;
    char ask_again[512];
    fixture->settings.guard.token = JSV_STR("secret");
    connect_peer(fixture);
    const char *text = ask(fixture, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(text, "HTTP/1.1 200 OK\r\n");
    assert_has(text, "Content-Type: text/html; charset=utf-8\r\n");
    assert_has(text, "\r\nContent-Security-Policy: default-src 'self'; ");
    assert_has(text, "</html>\n");
    text = ask(fixture, "HEAD /page/app.js HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(text, "Content-Type: text/javascript; charset=utf-8\r\n");
    assert_string_equal(strstr(text, "\r\n\r\n"), "\r\n\r\n");

    assert_true(net_page_find(JSV_STR("/page/style.css"), &file));
    snprintf(
        ask_again,
        sizeof(ask_again),
        "GET /page/style.css HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"%s\"\r\n\r\n",
        file.digest.data);
    text = ask(fixture, ask_again);
    assert_has(text, "HTTP/1.1 304 Not Modified\r\n");
    assert_has(text, "ETag: ");
    assert_string_equal(strstr(text, "\r\n\r\n"), "\r\n\r\n");
    text = ask(fixture, "GET /page/none HTTP/1.1\r\nHost: localhost\r\n\r\n");
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
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_has(ask(fixture, cases[i].request), cases[i].answer);
        reconnect(fixture);
    }
}

static void test_token(void **state)
{
    static const struct jsv_str servers[] = {{"https://auth.test", 17}, {"https://b.test", 14}};
    struct http_fixture *fixture = *state;
    fixture->settings.guard.token = JSV_STR("secret");
    fixture->settings.authorization_servers = servers;
    fixture->settings.authorization_server_count = 2;
    connect_peer(fixture);
    const char *text = ask(fixture, post("/rpc", "", PING));
    assert_has(text, "HTTP/1.1 401 ");
    assert_has(
        text,
        "WWW-Authenticate: Bearer "
        "resource_metadata=\"http://localhost/.well-known/oauth-protected-resource\"");
    assert_false(has(text, "invalid_token"));
    reconnect(fixture);
    text = ask(fixture, post("/rpc", "Authorization: Bearer guess\r\n", PING));
    assert_has(text, "error=\"invalid_token\"");
    reconnect(fixture);
    assert_has(ask(fixture, post("/rpc", "Authorization: Bearer secret\r\n", PING)), "200 OK");
    text =
        ask(fixture,
            "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_has(
        text,
        "{\"resource\":\"http://localhost/mcp\","
        "\"authorization_servers\":[\"https://auth.test\",\"https://b.test\"]}");
    assert_has(ask(fixture, HEALTH), "200 OK");
}

/* The answer is there before the body is, and the client that goes on sending can read it. */
static void test_too_large_body_lingers(void **state)
{
    static char block[64 * 1024];
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    say(fixture,
        "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 2000000\r\n\r\n");
    run(fixture, 3);
    for (size_t sent = 0; sent < 2000000; sent += sizeof(block)) {
        write_what_fits(fixture, block, sizeof(block));
        run(fixture, 0);
        assert_non_null(fixture->http);
    }
    const char *text = hear(fixture);
    assert_has(text, "HTTP/1.1 413 ");
    assert_has(text, "Connection: close");
    assert_has(text, "payload_too_large");
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run_until_closed(fixture);
}

static void test_lingering_has_an_end(void **state)
{
    struct http_fixture *fixture = *state;
    fixture->times =
        (struct net_http_times){.head = 1000, .idle = 1000, .body = 1000, .linger = 30};
    fixture->settings.times = &fixture->times;
    connect_peer(fixture);
    assert_has(ask(fixture, "nonsense\r\n\r\n"), "HTTP/1.1 400 ");
    assert_non_null(fixture->http);
    run_until_closed(fixture);
}

static void test_lingering_takes_no_flood(void **state)
{
    static char block[64 * 1024];
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    assert_has(ask(fixture, "nonsense\r\n\r\n"), "HTTP/1.1 400 ");
    for (size_t sent = 0; fixture->http && sent < (size_t)2 * CORE_HTTP_LINGER_SIZE_MAX;) {
        ssize_t size = write(fixture->peer, block, sizeof(block));
        sent += size > 0 ? (size_t)size : 0;
        loop_timer_start(fixture->timer, 0);
        assert_int_equal(loop_run(fixture->pipeline->loop), 0);
    }
    assert_null(fixture->http);
}

static void test_end_cannot_be_told(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    fault_arm(FAULT_SHUTDOWN, 1, ENOTCONN);
    assert_has(ask(fixture, "nonsense\r\n\r\n"), "HTTP/1.1 400 ");
    assert_true(fault.hit);
    assert_null(fixture->http);
}

/* ---- time ---- */

static void test_idle_connection_is_closed(void **state)
{
    struct http_fixture *fixture = *state;
    set_times(fixture);
    fixture->times.idle = 30;
    connect_peer(fixture);
    assert_has(ask(fixture, HEALTH), "200 OK");
    run(fixture, 5);
    assert_non_null(fixture->http);
    run_until_closed(fixture);
    assert_string_equal(hear(fixture), "");
}

static void test_slow_head(void **state)
{
    struct http_fixture *fixture = *state;
    set_times(fixture);
    fixture->times.head = 60;
    connect_peer(fixture);
    /* bytes that dribble in do not prolong it */
    for (int i = 0; fixture->http && i < 30; i++) {
        write_what_fits(fixture, i == 0 ? "G" : "E", 1);
        run(fixture, 5);
    }
    const char *text = hear(fixture);
    assert_has(text, "HTTP/1.1 408 ");
    assert_has(text, "was not complete in time");
    run_until_closed(fixture);
}

static void test_slow_body(void **state)
{
    struct http_fixture *fixture = *state;
    set_times(fixture);
    fixture->times.body = 40;
    connect_peer(fixture);
    say(fixture,
        "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 10\r\n\r\n{");
    run(fixture, 100);
    assert_has(hear(fixture), "HTTP/1.1 408 ");
    run_until_closed(fixture);
}

/* Each write ends one request and begins the next, which has a time of its own. */
static void test_time_is_of_one_request(void **state)
{
    struct http_fixture *fixture = *state;
    set_times(fixture);
    fixture->times.head = 400;
    fixture->times.body = 400;
    connect_peer(fixture);
    size_t half = strlen(HEALTH) / 2;
    say(fixture, "\r\n");
    write_what_fits(fixture, HEALTH, half);
    size_t answers = 0;
    for (int i = 0; i < 6; i++) {
        run(fixture, 80);
        write_what_fits(fixture, &HEALTH[half], strlen(HEALTH) - half);
        write_what_fits(fixture, HEALTH, half);
        const char *text = hear(fixture);
        answers += count(text, "HTTP/1.1 200 OK");
    }
    assert_int_equal(answers, 6);
    assert_non_null(fixture->http);
}

/* A client that asks and does not read: requests are not taken for ever, and then it is gone. */
static void test_write_stall(void **state)
{
    struct http_fixture *fixture = *state;
    set_times(fixture);
    fixture->times.write_stall = 60;
    connect_peer(fixture);
    const char *request =
        post("/rpc", "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    for (int i = 0; fixture->http && i < 4000; i++) {
        write_what_fits(fixture, request, strlen(request));
        if (i % 16 == 0) {
            run(fixture, 0);
        }
    }
    run_until_closed(fixture);
}

/* ---- ends ---- */

static void test_half_closed_peer_gets_its_answer(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    say(fixture, post("/rpc", "", PING));
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    run_until_closed(fixture);
    assert_has(hear(fixture), "200 OK");
}

static uint64_t slow_now_us;

/* Every message takes all the time of a round. */
static uint64_t slow_clock(void)
{
    return slow_now_us += CORE_ROUND_US;
}

/* Its requests are answered in several rounds, the last of them after the end was read. */
static void test_half_closed_peer_gets_all_answers(void **state)
{
    struct http_fixture *fixture = *state;
    struct os_sys slow = os_sys_real;
    slow.now_us = slow_clock;
    connect_peer(fixture);
    for (int i = 0; i < 20; i++) {
        say(fixture, post("/rpc", "", PING));
    }
    assert_int_equal(shutdown(fixture->peer, SHUT_WR), 0);
    os_sys = &slow;
    run_until_closed(fixture);
    os_sys = &os_sys_real;
    const char *answers = hear(fixture);
    assert_int_equal(count(answers, "200 OK"), 20);
    assert_int_equal(count(answers, "Connection: close"), 1);
}

/* Reports take time as messages do: many of them in a row do not hold up other clients. */
static void test_reports_count_as_work_of_a_round(void **state)
{
    enum {
        REQUESTS = 20
    };
    struct http_fixture *fixture = *state;
    struct os_sys slow = os_sys_real;
    slow.now_us = slow_clock;
    connect_peer(fixture);
    for (int i = 0; i < REQUESTS; i++) {
        say(fixture, "HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    size_t most = 0;
    size_t total = 0;
    os_sys = &slow;
    for (int i = 0; i < 10 * REQUESTS && total < REQUESTS; i++) {
        loop_timer_start(fixture->timer, 0);
        assert_int_equal(loop_run(fixture->pipeline->loop), 0);
        ssize_t size = read(fixture->peer, fixture->text, TEXT_SIZE - 1);
        fixture->text[size > 0 ? size : 0] = '\0';
        size_t answers = count(fixture->text, "HTTP/1.1 ");
        most = answers > most ? answers : most;
        total += answers;
    }
    os_sys = &os_sys_real;
    assert_int_equal(total, REQUESTS);
    assert_in_range(most, 1, 3);
}

/* The buffers of a request and its response are reused for the next request of any connection. */
static void test_idle_connection_keeps_no_memory(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    assert_has(ask(fixture, post("/rpc", "", PING)), "200 OK");
    const struct rpc_pool *pool = core_worker_pool(fixture->pipeline->worker);
    assert_int_equal(pool->shelves[RPC_POOL_INPUT].count, 1);
    assert_int_equal(pool->shelves[RPC_POOL_OUTPUT].count, 1);
    say(fixture, "POST /rpc HTT");
    run(fixture, 5);
    assert_int_equal(pool->shelves[RPC_POOL_OUTPUT].count, 1); /* nothing to write as yet */
}

/* More than is read ahead of a peer, and more answers than are kept for it: nothing is lost. */
static void test_long_pipeline_is_answered_to_the_end(void **state)
{
    enum {
        REQUESTS = 600
    };
    struct http_fixture *fixture = *state;
    fixture->kernel_takes = 16 << 20;
    connect_peer(fixture);
    const char *request =
        "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n"
        "User-Agent: a client that asks for a lot and wants to have all of it at once\r\n\r\n";
    size_t size = strlen(request);
    size_t answer_size = strlen(ask(fixture, request));
    assert_true(answer_size * REQUESTS > 4 * CORE_SEND_QUEUE_MAX);
    char *requests = malloc(size * REQUESTS);
    for (size_t i = 0; i < REQUESTS; i++) {
        memcpy(requests + i * size, request, size);
    }
    size_t said = 0;
    size_t heard = 0;
    size_t before = SIZE_MAX;
    while (fixture->http && heard != before) {
        ssize_t part = write(fixture->peer, requests + said, size * REQUESTS - said);
        said += part > 0 ? (size_t)part : 0;
        before = heard;
        heard += strlen(hear(fixture));
    }
    free(requests);
    assert_int_equal(heard, answer_size * REQUESTS);
}

static void test_finish_closes_idle_connections(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    assert_has(ask(fixture, HEALTH), "200 OK");
    fixture->http->ops->finish(fixture->http);
    run_until_closed(fixture);
}

/* A request that arrived before the stop is answered, although it was not read yet. */
static void test_finish_answers_what_has_come(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    say(fixture, post("/rpc", "", PING));
    fixture->http->ops->finish(fixture->http);
    const char *text = hear(fixture);
    assert_has(text, "HTTP/1.1 200 OK");
    assert_has(text, "Connection: close");
    run_until_closed(fixture);
}

static void test_finish_waits_for_a_request_that_has_begun(void **state)
{
    struct http_fixture *fixture = *state;
    connect_peer(fixture);
    say(fixture, "GET /readyz HTTP/1.1\r\n");
    run(fixture, 3);
    fixture->http->ops->finish(fixture->http);
    run(fixture, 5);
    assert_non_null(fixture->http);
    const char *text = ask(fixture, "Host: localhost\r\n\r\n");
    assert_has(text, "HTTP/1.1 503 ");
    assert_has(text, "stopping");
    run_until_closed(fixture);
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

static void converse(struct http_fixture *fixture)
{
    const char *begin = post("/mcp", "Accept: text/event-stream\r\n", initialize);
    for (size_t i = 0; fixture->http && i < CONVERSATION_SIZE; i++) {
        write_what_fits(fixture, conversation[i], strlen(conversation[i]));
        run(fixture, 0);
    }
    if (fixture->http) {
        write_what_fits(fixture, begin, strlen(begin));
        run(fixture, 1);
    }
}

static void test_out_of_memory(void **state)
{
    assert_true(run_out_of_memory(*state, converse) > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HTTP_TEST(test_keep_alive),
        HTTP_TEST(test_pipelining),
        HTTP_TEST(test_byte_by_byte),
        HTTP_TEST(test_chunked_body),
        HTTP_TEST(test_expect_continue),
        HTTP_TEST(test_body_too_large_is_not_invited),
        HTTP_TEST(test_head_has_no_body),
        HTTP_TEST(test_http_1_0),
        HTTP_TEST(test_retry_after),
        HTTP_TEST(test_health),
        HTTP_TEST(test_page),
        HTTP_TEST(test_statuses),
        HTTP_TEST(test_token),
        HTTP_TEST(test_too_large_body_lingers),
        HTTP_TEST(test_lingering_has_an_end),
        HTTP_TEST(test_lingering_takes_no_flood),
        HTTP_TEST(test_end_cannot_be_told),
        HTTP_TEST(test_idle_connection_is_closed),
        HTTP_TEST(test_slow_head),
        HTTP_TEST(test_slow_body),
        HTTP_TEST(test_time_is_of_one_request),
        HTTP_TEST(test_write_stall),
        HTTP_TEST(test_half_closed_peer_gets_its_answer),
        HTTP_TEST(test_half_closed_peer_gets_all_answers),
        HTTP_TEST(test_reports_count_as_work_of_a_round),
        HTTP_TEST(test_idle_connection_keeps_no_memory),
        HTTP_TEST(test_long_pipeline_is_answered_to_the_end),
        HTTP_TEST(test_finish_closes_idle_connections),
        HTTP_TEST(test_finish_answers_what_has_come),
        HTTP_TEST(test_finish_waits_for_a_request_that_has_begun),
        HTTP_TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
