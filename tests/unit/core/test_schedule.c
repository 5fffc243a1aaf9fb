/*
 * Requests that wait: their order, their cancellation, and what happens when the
 * connection closes or the catalog changes.
 */
#define _GNU_SOURCE /* strcasestr() */
#include <stdlib.h>

#include "catalog/catalog.h"
#include "core/limits.h"
#include "core/pipeline.h"
#include "core/worker_state.h"
#include "os/sys.h"
#include "support/pipeline_fixture.h"
#include "support/random.h"
#include "unit/backend/server.h"

#define ACCEPTED "HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n{\"id\":\"x\"}"

/* A tool that waits, called by SYN and by MCP. */
#define SYN_WAITS(id)                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"populate_backend\","                          \
    "\"params\":{\"asset\":{},\"validate_first\":false}}"
#define MCP_WAITS(id)                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{"                    \
    "\"name\":\"populate_backend\",\"arguments\":{\"asset\":{},\"validate_first\":false}}}"
#define PING(id)      "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define SYN_QUICK(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"nope\"}"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

static char url[64];

/* Replace the worker by one with a backend. */
static void serve(struct pipeline_fixture *pipeline, enum server_manner manner)
{
    const struct core_conn_ops *ops = pipeline->conn.ops;
    server_start(manner, ACCEPTED);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u", server.port);
    core_conn_done(&pipeline->conn);
    core_worker_free(pipeline->worker);
    pipeline->settings.tools.backend_url = url;
    pipeline->settings.tools.backend_assets_path = "/assets";
    pipeline->settings.tools.backend_timeout_ms = 5000;
    pipeline->settings.tools.backend_reply_max = 100000;
    assert_int_equal(
        core_worker_new(pipeline->loop, &pipeline->settings, pipeline->catalog, &pipeline->worker),
        0);
    core_conn_init(&pipeline->conn, ops, pipeline->worker, CORE_TRANSPORT_SOCKET);
}

static int tear_down(void **state)
{
    int r = pipeline_teardown(state);
    server_stop();
    return r;
}

#define FLOW_TEST(test) cmocka_unit_test_setup_teardown(test, pipeline_setup, tear_down)

static void expect_answer(struct pipeline_fixture *pipeline, size_t index, const char *part)
{
    assert_true(index < pipeline->answer_count);
    if (!strstr(pipeline->answers[index].data, part)) {
        fail_msg("answer %zu is %s", index, pipeline->answers[index].data);
    }
}

/* ---- order ---- */

static void serial_requests_are_answered_in_order(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_REPLIES);
    assert_string_equal(pipeline_ask(pipeline, SYN_WAITS("1")), "");
    assert_string_equal(pipeline_ask(pipeline, "no json"), "");
    assert_string_equal(pipeline_ask(pipeline, SYN_QUICK("3")), "");
    assert_string_equal(pipeline_ask(pipeline, SYN_WAITS("4")), "");
    assert_string_equal(pipeline_ask(pipeline, SYN_QUICK("5")), "");
    assert_true(core_conn_is_busy(&pipeline->conn));
    pipeline_wait(pipeline, 5);
    assert_int_equal(pipeline->answer_count, 5);
    expect_answer(pipeline, 0, "\"id\":1,\"result\":{\"ok\":true");
    expect_answer(pipeline, 1, "\"id\":null,\"error\":{\"code\":-32700");
    expect_answer(pipeline, 2, "\"id\":3,\"result\":{\"ok\":false");
    expect_answer(pipeline, 3, "\"id\":4,\"result\":{\"ok\":true");
    expect_answer(pipeline, 4, "\"id\":5,");
    assert_false(core_conn_is_busy(&pipeline->conn));
    assert_int_equal(pipeline->idle_count, 1);
}

/* A clock by which every message takes long. */
static uint64_t slow_clock(void)
{
    static uint64_t now;
    return now += 10000;
}

/* Waiting requests are first, one per loop round, and no new request overtakes them. */
static void a_reserved_order_is_kept(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    struct os_sys table = *os_sys;
    table.now_us = slow_clock;
    os_sys = &table;
    pipeline->conn.order_reserved = true;
    assert_string_equal(pipeline_ask(pipeline, SYN_QUICK("1")), "");
    assert_string_equal(pipeline_ask(pipeline, "no json"), "");
    assert_string_equal(pipeline_ask(pipeline, SYN_QUICK("3")), "");
    assert_true(strstr(pipeline_ask(pipeline, PING("4")), "\"id\":4"));
    core_run_reserved(&pipeline->worker->reserved);
    assert_int_equal(pipeline->answer_count, 2);
    expect_answer(pipeline, 1, "\"id\":1,");
    assert_string_equal(pipeline_ask(pipeline, SYN_QUICK("5")), "");
    core_run_reserved(&pipeline->worker->reserved);
    assert_int_equal(pipeline->answer_count, 3);
    expect_answer(pipeline, 2, "\"id\":null,");
    pipeline_wait(pipeline, 5);
    expect_answer(pipeline, 3, "\"id\":3,");
    expect_answer(pipeline, 4, "\"id\":5,");
    assert_false(pipeline->conn.order_reserved);
    assert_int_equal(pipeline->idle_count, 1);
    core_run_reserved(&pipeline->worker->reserved);
    assert_int_equal(pipeline->answer_count, 5);
    os_sys = &os_sys_real;
}

static void mcp_requests_do_not_wait(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_REPLIES);
    assert_string_equal(pipeline_ask(pipeline, SYN_WAITS("1")), "");
    assert_string_equal(pipeline_ask(pipeline, MCP_WAITS("2")), "");
    assert_string_equal(
        pipeline_ask(pipeline, PING("3")), "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    pipeline_wait(pipeline, 3);
    assert_int_equal(pipeline->answer_count, 3);
}

/* ---- cancellation ---- */

static void cancelled_requests_are_not_answered(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_HANGS);
    pipeline_ask(pipeline, MCP_WAITS("\"a\""));
    pipeline_ask(pipeline, CANCEL("\"b\""));
    assert_true(core_conn_is_busy(&pipeline->conn));
    pipeline_ask(pipeline, CANCEL("\"a\""));
    assert_false(core_conn_is_busy(&pipeline->conn));
    pipeline_ask(pipeline, CANCEL("\"a\""));
    pipeline_ask(pipeline, PING("1"));
    assert_int_equal(pipeline->answer_count, 1);
}

/* A modern notification only has its version. */
static void a_modern_client_cancels(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_HANGS);
    pipeline_ask(pipeline, MCP_WAITS("7"));
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7,"
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}");
    assert_false(core_conn_is_busy(&pipeline->conn));
    assert_int_equal(pipeline->answer_count, 0);
}

/* Other dialects have no cancellation, and the id may belong to another request. */
static void serial_requests_cannot_be_cancelled(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_REPLIES);
    pipeline_ask(pipeline, SYN_WAITS("1"));
    pipeline_ask(pipeline, CANCEL("1"));
    pipeline_wait(pipeline, 1);
    assert_int_equal(pipeline->answer_count, 1);
}

static void begin_batches(struct pipeline_fixture *pipeline)
{
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-03-26\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
    pipeline_forget(pipeline);
}

static void a_batch_waits_for_all_messages(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_REPLIES);
    begin_batches(pipeline);
    pipeline_ask(pipeline, "[" MCP_WAITS("1") "," PING("2") "," MCP_WAITS("3") "]");
    assert_int_equal(pipeline->answer_count, 0);
    pipeline_wait(pipeline, 1);
    assert_int_equal(pipeline->answer_count, 1);
    expect_answer(pipeline, 0, "\"id\":1");
    expect_answer(pipeline, 0, "\"id\":2");
    expect_answer(pipeline, 0, "\"id\":3");
    assert_false(core_conn_is_busy(&pipeline->conn));
}

static void a_message_of_a_batch_is_cancelled(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_HANGS);
    begin_batches(pipeline);
    pipeline_ask(pipeline, "[" MCP_WAITS("1") "," CANCEL("1") "," PING("2") "]");
    assert_int_equal(pipeline->answer_count, 1);
    assert_string_equal(
        pipeline->answers[0].data, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]");
    pipeline_ask(pipeline, "[" MCP_WAITS("3") "," PING("4") "]");
    pipeline_ask(pipeline, CANCEL("3"));
    assert_int_equal(pipeline->answer_count, 2);
    pipeline_ask(pipeline, "[" MCP_WAITS("5") "]");
    pipeline_ask(pipeline, CANCEL("5"));
    assert_int_equal(pipeline->answer_count, 2);
    assert_false(core_conn_is_busy(&pipeline->conn));
}

/* ---- closing and reloading ---- */

static void closing_a_connection_cancels_its_requests(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_HANGS);
    begin_batches(pipeline);
    pipeline_ask(pipeline, SYN_WAITS("1"));
    pipeline_ask(pipeline, SYN_QUICK("2"));
    pipeline_ask(pipeline, MCP_WAITS("3"));
    pipeline_ask(pipeline, "[" MCP_WAITS("4") "," MCP_WAITS("5") "]");
    pipeline_reconnect(pipeline);
    assert_int_equal(pipeline->answer_count, 0);
    assert_false(core_conn_is_busy(&pipeline->conn));
    pipeline_ask(pipeline, PING("6"));
    assert_int_equal(pipeline->answer_count, 1);
}

static void waiting_requests_keep_their_catalog(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    struct catalog_options options = {0};
    struct catalog *other;
    const char *wrong;
    serve(pipeline, SERVER_REPLIES);
    options.tools = tools_descriptors(&options.tool_count);
    assert_int_equal(catalog_load(&options, NULL, NULL, NULL, &other, &wrong), 0);
    pipeline_ask(pipeline, SYN_WAITS("1"));
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"get_schema\","
        "\"params\":{\"name\":\"part\"}}");
    core_worker_set_catalog(pipeline->worker, other);
    catalog_release(pipeline->catalog);
    pipeline->catalog = other;
    pipeline_wait(pipeline, 2);
    expect_answer(pipeline, 0, "\"id\":1,\"result\":{\"ok\":true");
    expect_answer(pipeline, 1, "\"id\":2,\"result\":{\"ok\":true");
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"get_schema\","
        "\"params\":{\"name\":\"part\"}}");
    expect_answer(pipeline, 2, "\"id\":3,\"result\":{\"ok\":false");
}

/* ---- limits ---- */

static void a_full_connection_resumes(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_REPLIES);
    for (size_t i = 0; i < CORE_IN_FLIGHT_MAX; i++) {
        assert_false(core_conn_is_full(&pipeline->conn));
        pipeline_ask(pipeline, MCP_WAITS("1"));
    }
    assert_true(core_conn_is_full(&pipeline->conn));
    pipeline_wait(pipeline, CORE_IN_FLIGHT_MAX);
    assert_int_equal(pipeline->answer_count, CORE_IN_FLIGHT_MAX);
    assert_int_equal(pipeline->resume_count, 1);
    assert_int_equal(pipeline->idle_count, 1);
}

/* 300 KB of short values are a tape of 2.4 MB and more, so the second such request is the last. */
static void waiting_requests_are_limited_by_memory(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    serve(pipeline, SERVER_HANGS);
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(
        &text,
        JSV_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"populate_backend\",\"params\":{"
                "\"validate_first\":false,\"asset\":{\"z\":[0"));
    for (size_t i = 0; i < 150000; i++) {
        jsv_buf_append_str(&text, JSV_STR(",0"));
    }
    jsv_buf_append(&text, "]}}}", sizeof("]}}}"));
    const char *line = text.data;
    pipeline_ask(pipeline, line);
    assert_true(pipeline->conn.request_bytes > 2400000);
    pipeline_ask(pipeline, line);
    assert_true(core_conn_is_full(&pipeline->conn));
    assert_int_equal(pipeline->conn.request_count, 2);
    jsv_buf_done(&text);
    pipeline_reconnect(pipeline);
    assert_int_equal(pipeline->conn.request_bytes, 0);
}

static unsigned id_of(const char *answer)
{
    const char *id = strstr(answer, "\"id\":");
    assert_non_null(id);
    return (unsigned)strtoul(id + 5, NULL, 10);
}

/* Ids from 1000 on belong to serial requests. */
static void expect_order(const struct pipeline_fixture *pipeline, unsigned count)
{
    bool seen[64] = {false};
    unsigned last = 0;
    assert_int_equal(pipeline->answer_count, count);
    for (size_t i = 0; i < pipeline->answer_count; i++) {
        unsigned id = id_of(pipeline->answers[i].data);
        assert_true(id % 1000 < count && !seen[id % 1000]);
        seen[id % 1000] = true;
        if (id >= 1000) {
            assert_true(id > last);
            last = id;
        }
    }
}

static void write_any(char *out, size_t size, uint64_t kind, unsigned id)
{
    static const struct {
        unsigned first_id;
        const char *method;
        const char *params;
    } kinds[] = {
        {1000, "populate_backend", "{\"asset\":{},\"validate_first\":false}"},
        {1000, "list_schemas", "{}"},
        {0, "ping", "{}"},
        {0,
         "tools/call",
         "{\"name\":\"populate_backend\","
         "\"arguments\":{\"asset\":{},\"validate_first\":false}}"},
    };
    snprintf(
        out,
        size,
        "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":%s}",
        kinds[kind].first_id + id,
        kinds[kind].method,
        kinds[kind].params);
}

static void any_mix_is_answered_once_and_in_order(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    uint64_t random = 7;
    serve(pipeline, SERVER_REPLIES);
    for (unsigned round = 0; round < 20; round++) {
        unsigned count = 1 + (unsigned)random_below(&random, 24);
        for (unsigned i = 0; i < count; i++) {
            char line[300];
            write_any(line, sizeof(line), random_below(&random, 4), i);
            pipeline_ask(pipeline, line);
        }
        pipeline_wait(pipeline, count);
        expect_order(pipeline, count);
        pipeline_forget(pipeline);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLOW_TEST(serial_requests_are_answered_in_order),
        FLOW_TEST(a_reserved_order_is_kept),
        FLOW_TEST(mcp_requests_do_not_wait),
        FLOW_TEST(cancelled_requests_are_not_answered),
        FLOW_TEST(a_modern_client_cancels),
        FLOW_TEST(serial_requests_cannot_be_cancelled),
        FLOW_TEST(a_batch_waits_for_all_messages),
        FLOW_TEST(a_message_of_a_batch_is_cancelled),
        FLOW_TEST(closing_a_connection_cancels_its_requests),
        FLOW_TEST(waiting_requests_keep_their_catalog),
        FLOW_TEST(a_full_connection_resumes),
        FLOW_TEST(waiting_requests_are_limited_by_memory),
        FLOW_TEST(any_mix_is_answered_once_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
