/*
 * The log of messages: one line each, with its ids; times, stages and mismatches.
 */
#define _GNU_SOURCE
#include "core/pipeline.h"
#include "core/worker_state.h"
#include "envelope/identifier.h"
#include "os/sys.h"
#include "unit/core/log_fixture.h"

/* ---- ids ---- */

#define LONG_TEXT_SIZE 5000

static const struct {
    const char *message;
    const char *seed;
} questions[] = {
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_schemas\"}",
     "{\"method\":\"list_schemas\",\"payload\":{},\"route\":\"syn\"}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"get_schema\","
     "\"params\":{ \"version\" : 1.50, \"name\":\"\xC3\xA9\" }}",
     "{\"method\":\"get_schema\",\"payload\":{\"name\":\"\\u00e9\",\"version\":1.5},"
     "\"route\":\"syn\"}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"get_schema\",\"params\":{\"b\":1e400, \"a\":1}}",
     "{\"method\":\"get_schema\",\"payload\":{\"b\":1e400,\"a\":1},\"route\":\"syn\"}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.discover\",\"params\":{}}",
     "{\"method\":\"mcp.discover\",\"payload\":{},\"route\":\"discover\"}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.prompt.get\","
     "\"params\":{\"promptId\":\"no such\"}}",
     "{\"method\":\"mcp.prompt.get\",\"payload\":{\"promptId\":\"no such\"},"
     "\"route\":\"prompt\"}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.tool.invoke\","
     "\"params\":{\"toolId\":\"mcp.tool:get_schema\",\"arguments\":{\"name\":\"widget\"}}}",
     "{\"method\":\"mcp.tool.invoke\",\"payload\":{\"arguments\":{\"name\":\"widget\"},"
     "\"toolId\":\"mcp.tool:get_schema\"},\"route\":\"tool\"}"},
    {"{\"version\":\"1.0.0\",\"id\":\"q\",\"timestamp\":\"2026-01-01T00:00:00Z\","
     "\"tool\":\"list_schemas\",\"payload\":{}}",
     "{\"method\":\"list_schemas\",\"payload\":{},\"route\":\"ref\"}"},
    {"{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"list_schemas\"},"
     "\"artifacts\":[],\"params\":{}}",
     "{\"method\":\"list_schemas\",\"payload\":{},\"route\":\"policy\"}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
     "{\"method\":\"ping\",\"payload\":{},\"route\":\"mcp\"}"},
    {"not json", "not json"},
};

#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

static void
assert_id(struct jsv_value line, const char *pointer, enum envelope_id kind, struct jsv_str seed)
{
    char expected[OS_UUID_SIZE + 1];
    envelope_id_from_seed(kind, seed, expected);
    const char *found = logged_word(line, pointer);
    assert_non_null(found);
    assert_string_equal(found, expected);
}

static void assert_ids(struct jsv_value line, struct jsv_str seed)
{
    assert_id(line, "/requestId", ENVELOPE_ID_REQUEST, seed);
    assert_id(line, "/traceId", ENVELOPE_ID_TRACE, seed);
    assert_id(line, "/spanId", ENVELOPE_ID_SPAN, seed);
}

/* Sent twice: the second time the ids are in the cache. */
static void test_ids(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < 2 * QUESTIONS; i++) {
        pipeline_ask(pipeline, questions[i % QUESTIONS].message);
    }
    logged_end(pipeline);
    assert_int_equal(logged_count(), 2 * QUESTIONS);
    for (size_t i = 0; i < 2 * QUESTIONS; i++) {
        assert_ids(logged_at(i), jsv_str_from(questions[i % QUESTIONS].seed));
    }
}

static char *with_text(const char *before, char letter, size_t size, const char *after)
{
    size_t room = strlen(before) + size + strlen(after) + 1;
    char *text = malloc(room);
    int start = snprintf(text, room, "%s", before);
    memset(text + start, letter, size);
    snprintf(text + (size_t)start + size, room - (size_t)start - size, "%s", after);
    return text;
}

/* Too long for the cache; then too long for the queue of the log's thread. */
static void test_long_subjects(void **state)
{
    static const size_t sizes[] = {LONG_TEXT_SIZE, 700000};
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < 2; i++) {
        char *message = with_text(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"",
            'y',
            sizes[i],
            "\"}}");
        for (size_t k = 0; k < 3; k++) {
            pipeline_ask(pipeline, message);
        }
        free(message);
    }
    logged_end(pipeline);
    assert_int_equal(logged_count(), 6);
    for (size_t i = 0; i < 2; i++) {
        char *seed = with_text(
            "{\"method\":\"x\",\"payload\":{\"a\":\"", 'y', sizes[i], "\"},\"route\":\"syn\"}");
        for (size_t k = 0; k < 3; k++) {
            assert_ids(logged_at(3 * i + k), jsv_str_from(seed));
        }
        free(seed);
    }
}

/* More requests than the cache holds: the oldest are dropped, and every request has its own ids. */
static void test_many_subjects(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    char text[160];
    for (size_t i = 0; i < 1200; i++) {
        snprintf(
            text,
            sizeof(text),
            "{\"jsonrpc\":\"2.0\",\"method\":\"list_schemas\",\"params\":{\"n\":%zu}}",
            i % 600);
        pipeline_give(pipeline, jsv_str_from(text));
        pipeline_give(pipeline, JSV_STR("\n"));
    }
    logged_end(pipeline);
    assert_int_equal(logged_count(), 1200);
    for (size_t i = 0; i < 1200; i += 7) {
        snprintf(
            text,
            sizeof(text),
            "{\"method\":\"list_schemas\",\"payload\":{\"n\":%zu},\"route\":\"syn\"}",
            i % 600);
        assert_ids(logged_at(i), jsv_str_from(text));
    }
}

static void test_random_ids(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    char first[64];
    logged_begin(pipeline, false);
    pipeline_ask(pipeline, questions[0].message);
    pipeline_ask(pipeline, questions[0].message);
    logged_end(pipeline);
    snprintf(first, sizeof(first), "%s", logged_word(logged_at(0), "/requestId"));
    assert_int_equal(strlen(first), OS_UUID_SIZE);
    assert_int_equal(first[14], '4');
    assert_string_not_equal(first, logged_word(logged_at(1), "/requestId"));
}

/* A traced request has the caller's trace ids; its request id is made as always. */
static void test_trace(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_schemas\",\"params\":{\"_meta\":{"
        "\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\","
        "\"agentId\":\"me\",\"attempt\":3}}}");
    pipeline_ask(
        pipeline,
        "{\"version\":\"1.0.0\",\"id\":\"q\",\"timestamp\":\"2026-01-01T00:00:00Z\","
        "\"trace_id\":\"mine\",\"tool\":\"list_schemas\",\"payload\":{}}");
    logged_end(pipeline);
    struct jsv_value line = logged_at(0);
    assert_string_equal(logged_word(line, "/traceId"), "0af7651916cd43dd8448eb211c80319c");
    assert_string_equal(logged_word(line, "/agentId"), "me");
    assert_int_equal(strlen(logged_word(line, "/requestId")), OS_UUID_SIZE);
    assert_string_equal(logged_word(logged_at(1), "/traceId"), "mine");
}

/* ---- times ---- */

static atomic_uint_fast64_t now_us = 1000000; /* the thread of the log looks at it, too */

/* Each look at it takes long, so one message is worked on at a time. */
static uint64_t test_clock(void)
{
    return atomic_fetch_add(&now_us, 2000) + 2000;
}

static int64_t logged_number(struct jsv_value line, const char *name)
{
    return (int64_t)jsv_value_double(jsv_value_get(line, jsv_str_from(name)));
}

/* Waiting behind another message of the connection is not the message's own time. */
static void test_queued(void **state)
{
#if defined(__SANITIZE_THREAD__)
    skip(); /* the clock is replaced while the thread of the log runs: only this test does that */
#endif
    struct pipeline_fixture *pipeline = *state;
    struct os_sys table = *os_sys;
    table.now_us = test_clock;
    os_sys = &table;
    pipeline->conn.order_reserved = true;
    pipeline_ask(pipeline, questions[6].message);
    pipeline_ask(pipeline, "not json");
    pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_schemas\"}");
    assert_int_equal(pipeline->answer_count, 0);
    now_us += 5000000;
    core_run_reserved(&pipeline->worker->reserved);
    assert_int_equal(pipeline->answer_count, 1);
    const char *duration = strstr(pipeline->answers[0].data, "\"duration_ms\":");
    assert_non_null(duration);
    assert_true(strtod(duration + strlen("\"duration_ms\":"), NULL) < 100);
    now_us += 1000000;
    core_run_reserved(&pipeline->worker->reserved);
    assert_int_equal(pipeline->answer_count, 2);
    pipeline_reconnect(pipeline); /* the last one was never worked on */
    os_sys = &os_sys_real;
    logged_end(pipeline);
    assert_int_equal(logged_count(), 3);
    for (size_t i = 0; i < 3; i++) {
        int64_t queued = logged_number(logged_at(i), "queuedMs");
        int64_t expected = i == 0 ? 5000 : 6000;
        assert_true(queued >= expected && queued < expected + 200);
        assert_true(logged_number(logged_at(i), "durationMs") < 100);
    }
}

/* ---- where a message stopped ---- */

static void test_stages(void **state)
{
    static const struct {
        const char *message;
        const char *stage;
    } cases[] = {
        {"{", "json"},
        {"[]", "rpc"},
        {"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"x\"}", "rpc"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no_such_tool\"}", "dialect"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":5}}",
         "input"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":\"no\"}}",
         "tool"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_schemas\"}", "envelope"},
    };
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pipeline_ask(pipeline, cases[i].message);
    }
    logged_end(pipeline);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_string_equal(logged_word(logged_at(i), "/stage"), cases[i].stage);
    }
}

#define LISTEN(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"subscriptions/listen\",\"params\":{"          \
    "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{"                                    \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

/* Ended by the client, with a message or by leaving, or by the server. */
static void test_listeners(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(pipeline, LISTEN("1"));
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
        "cancelled\",\"params\":{\"requestId\":1}}");
    pipeline_ask(pipeline, LISTEN("2"));
    pipeline_reconnect(pipeline);
    pipeline_ask(pipeline, LISTEN("3"));
    core_conn_finish(&pipeline->conn);
    assert_int_equal(log_new_problems(pipeline->settings.log), 0);
    logged_end(pipeline);
    size_t count = 0;
    for (size_t i = 0; i < logged_count(); i++) {
        struct jsv_value line = logged_at(i);
        assert_string_equal(logged_word(line, "/status"), "ok");
        assert_string_equal(logged_word(line, "/stage"), "dialect");
        count += strcmp(logged_word(line, "/method"), "subscriptions/listen") == 0;
    }
    assert_int_equal(count, 3);
}

/* ---- mismatches ---- */

/* Pointers start at the message, not at the arguments as in the answer. */
static void test_pointers(void **state)
{
    static const struct {
        const char *message;
        const char *pointer;
    } cases[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":5}}",
         "/params/name"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.tool.invoke\",\"params\":{"
         "\"toolId\":\"mcp.tool:get_schema\",\"arguments\":{\"name\":5}}}",
         "/params/arguments/name"},
        {"{\"version\":\"1.0.0\",\"id\":\"q\",\"timestamp\":\"2026-01-01T00:00:00Z\","
         "\"tool\":\"get_schema\",\"payload\":{\"name\":5}}",
         "/payload/name"},
        {"{\"version\":\"1.0.0\",\"id\":\"q\",\"timestamp\":\"2026-01-01T00:00:00Z\","
         "\"tool\":\"get_schema\",\"payload\":{},\"extra\":1}",
         "/extra"},
        {"{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"get_schema\"},"
         "\"artifacts\":[],\"params\":{\"name\":{}}}",
         "/params/name"},
        {"{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"get_schema\"},"
         "\"artifacts\":[],\"params\":{\"name\":{},\"_meta\":{}}}",
         "/params/name"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\"}", "/params/name"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
         "\"get_schema\"}}",
         "/params/arguments/name"},
    };
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_buf out;
        char expected[128];
        logged_begin(pipeline, true);
        pipeline_ask(pipeline, cases[i].message);
        jsv_buf_init(&out, NULL, SIZE_MAX);
        assert_int_equal(log_diagnostics_write(pipeline->settings.log, &out), 0);
        jsv_buf_append_byte(&out, '\0');
        snprintf(expected, sizeof(expected), "\"pointer\":\"%s\"", cases[i].pointer);
        if (!strstr(out.data, expected)) {
            fail_msg("%s is not in %s", expected, out.data);
        }
        jsv_buf_done(&out);
    }
}

/* The noted mismatch outlives the buffers of the answer. */
static void test_pointers_of_any_size(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}");
    for (size_t size = 2500; size < 4300; size += 8) {
        char *message = with_text(
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
            "\"name\":\"diff_assets\",\"arguments\":{\"base\":{},\"new\":{},\"",
            'y',
            size,
            "\":1}}}");
        pipeline_ask(pipeline, message);
        free(message);
    }
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, SIZE_MAX);
    assert_int_equal(log_diagnostics_write(pipeline->settings.log, &out), 0);
    jsv_buf_append_byte(&out, '\0');
    assert_non_null(strstr(out.data, "\"count\":225,")); /* all the same when cut */
    assert_non_null(strstr(out.data, "\"pointer\":\"/params/arguments/yyyy"));
    jsv_buf_done(&out);
}

/* ---- new diagnostics ---- */

#define DIAGNOSTICS "\"params\":{\"uri\":\"mcpgate://diagnostics\"}}"

static void expect_updated(const char *message)
{
    assert_string_equal(
        message,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\"," DIAGNOSTICS);
}

/* Several are reported at once; a repeated one is only counted. */
static void test_new_diagnostics(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
    pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    pipeline_ask(
        pipeline, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/subscribe\"," DIAGNOSTICS);
    pipeline_ask(pipeline, "1");
    pipeline_ask(pipeline, "{");
    pipeline_forget(pipeline);
    pipeline_wait(pipeline, 1);
    assert_int_equal(pipeline->answer_count, 1);
    expect_updated(pipeline->answers[0].data);
    pipeline_ask(pipeline, "{");
    assert_int_equal(log_new_problems(pipeline->settings.log), 2);
    pipeline_ask(pipeline, "[]");
    pipeline_forget(pipeline);
    pipeline_wait(pipeline, 1);
    assert_int_equal(pipeline->answer_count, 1);
    expect_updated(pipeline->answers[0].data);
}

/* ---- refusals of transports ---- */

/* Of many refusals a few are written, and all are counted. */
static void test_refusals(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    struct jsv_buf out;
    for (size_t i = 0; i < 15; i++) {
        core_refused(pipeline->worker, CORE_TRANSPORT_HTTP, 401, "a bearer token is needed");
    }
    core_refused(pipeline->worker, CORE_TRANSPORT_SOCKET, 0, "too many connections");
    jsv_buf_init(&out, NULL, SIZE_MAX);
    assert_int_equal(log_metrics_write(pipeline->settings.log, &out), 0);
    jsv_buf_append_byte(&out, '\0');
    assert_non_null(
        strstr(out.data, "\nmcpgate_refusals_total{transport=\"http\",status=\"401\"} 15\n"));
    assert_non_null(
        strstr(out.data, "\nmcpgate_refusals_total{transport=\"socket\",status=\"\"} 1\n"));
    jsv_buf_done(&out);
    logged_end(pipeline);
    assert_in_range(logged_count(), 10, 16); /* or a second began in between */
    struct jsv_value line = logged_at(0);
    assert_string_equal(logged_word(line, "/status"), "http_401");
    assert_string_equal(logged_word(line, "/stage"), "frame");
    assert_string_equal(logged_word(line, "/transport"), "http");
    assert_string_equal(logged_word(line, "/error/code"), "HTTP_401");
    assert_ids(line, JSV_STR("a bearer token is needed"));
}

static void test_a_connection_too_many(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    core_refused(pipeline->worker, CORE_TRANSPORT_SOCKET, 0, "too many connections");
    logged_end(pipeline);
    assert_string_equal(logged_word(logged_at(0), "/status"), "refused");
    assert_string_equal(logged_word(logged_at(0), "/error/message"), "too many connections");
    core_refused(pipeline->worker, CORE_TRANSPORT_SOCKET, 0, "not logged");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOGGED_TEST(test_ids),
        LOGGED_TEST(test_long_subjects),
        LOGGED_TEST(test_many_subjects),
        LOGGED_TEST(test_random_ids),
        LOGGED_TEST(test_trace),
        LOGGED_TEST(test_queued),
        LOGGED_TEST(test_stages),
        LOGGED_TEST(test_listeners),
        LOGGED_TEST(test_pointers),
        LOGGED_TEST(test_pointers_of_any_size),
        LOGGED_TEST(test_new_diagnostics),
        LOGGED_TEST(test_refusals),
        LOGGED_TEST(test_a_connection_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
