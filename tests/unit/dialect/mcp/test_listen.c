#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/limits.h"
#include "core/request.h"
#include "dialect/session.h"
#include "support/pipeline_fixture.h"
#include "unit/os/fault.h"

#define META                                                                                       \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}"

static char line[CORE_FRAME_SIZE_MAX + 1];

/* A request to listen. @param more Of _meta, with a comma before. */
static const char *listen_for(const char *id, const char *filter, const char *more)
{
    int size = snprintf(
        line,
        sizeof(line),
        "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"subscriptions/listen\",\"params\":{"
        "\"notifications\":%s,\"_meta\":{" META "%s}}}",
        id,
        filter,
        more);
    assert_true(size > 0 && (size_t)size < sizeof(line));
    return line;
}

/* Repeat a text, the last time without its last byte. */
static char *repeat(const char *before, const char *part, size_t count, const char *after)
{
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, SIZE_MAX);
    jsv_buf_append_str(&text, jsv_str_from(before));
    for (size_t i = 0; i < count; i++) {
        jsv_buf_append_str(&text, jsv_str_from(part));
    }
    text.size--;
    jsv_buf_append(&text, after, strlen(after) + 1);
    assert_int_equal(text.error, 0);
    return text.data;
}

static void duplicate_uris_are_dropped(void **state)
{
    const char *answer = pipeline_ask(
        *state,
        listen_for(
            "7",
            "{\"resourceSubscriptions\":[\"a:b\",\"a:c\",\"a:b\",\"a:\\u0062\",\"a:d\",\"a:c\"],"
            "\"toolsListChanged\":true,\"resourcesListChanged\":false}",
            ""));
    assert_string_equal(
        answer,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
        "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":7},\"notifications\":{"
        "\"toolsListChanged\":true,\"resourceSubscriptions\":[\"a:b\",\"a:c\",\"a:d\"]}}}");
}

static void an_empty_filter_is_acknowledged(void **state)
{
    const char *answer = pipeline_ask(*state, listen_for("\"\\u0073\"", "{}", ""));
    assert_string_equal(
        answer,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
        "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"\\u0073\"},"
        "\"notifications\":{}}}");
}

static void a_long_id_is_refused(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    char *id = repeat("\"", "i", 255, "\"");
    assert_non_null(strstr(pipeline_ask(pipeline, listen_for(id, "{}", "")), "acknowledged"));
    free(id);
    id = repeat("\"", "i", 256, "\"");
    const char *answer = pipeline_ask(pipeline, listen_for(id, "{}", ""));
    free(id);
    assert_non_null(strstr(answer, "\"code\":-32600"));
    assert_non_null(strstr(answer, "the id of a request that listens has more than 256 bytes"));
    assert_int_equal(pipeline->conn.request_count, 1);
}

static void too_many_resources_are_refused(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    char *many = repeat("{\"resourceSubscriptions\":[", "\"a:b\",", 1001, "]}");
    const char *answer = pipeline_ask(pipeline, listen_for("1", many, ""));
    assert_non_null(strstr(answer, "\"code\":-32602"));
    assert_non_null(strstr(answer, "more than 1000 resources"));
    free(many);
    many = repeat("{\"resourceSubscriptions\":[", "\"a:b\",", 1000, "]}");
    assert_non_null(strstr(pipeline_ask(pipeline, listen_for("1", many, "")), "[\"a:b\"]"));
    free(many);
}

static void too_many_bytes_of_resources_are_refused(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    char *uri = repeat("{\"resourceSubscriptions\":[\"a:", "x", 65536 - 1, "\"]}");
    assert_non_null(strstr(pipeline_ask(pipeline, listen_for("1", uri, "")), "acknowledged"));
    free(uri);
    uri = repeat("{\"resourceSubscriptions\":[\"a:", "x", 65536, "\"]}");
    assert_non_null(
        strstr(pipeline_ask(pipeline, listen_for("1", uri, "")), "more than 65536 bytes of URIs"));
    free(uri);
}

/* The same for a session. */
static void subscriptions_of_a_session_are_bounded(void **state)
{
    (void)state;
    struct dialect_session *session = dialect_session_new(MCP_VERSION_2025_06_18);
    char uri[128];
    memset(uri, 'u', sizeof(uri));
    for (unsigned i = 0; i < 65536 / sizeof(uri); i++) {
        memcpy(uri, &i, sizeof(i));
        assert_int_equal(dialect_session_subscribe(session, (struct jsv_str){uri, sizeof(uri)}), 0);
    }
    assert_int_equal(dialect_session_subscribe(session, JSV_STR("x")), -ENOSPC);
    assert_int_equal(dialect_session_subscribe(session, (struct jsv_str){uri, sizeof(uri)}), 0);
    dialect_session_unsubscribe(session, (struct jsv_str){uri, sizeof(uri)});
    assert_int_equal(dialect_session_subscribe(session, JSV_STR("x")), 0);
    dialect_session_release(session);
}

static void too_many_subscriptions_are_refused(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
    pipeline->conn.session->subscription_bytes = DIALECT_SUBSCRIPTION_BYTES_MAX;
    const char *answer = pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{"
        "\"uri\":\"mcpgate://schemas/part\"}}");
    pipeline->conn.session->subscription_bytes = 0;
    assert_non_null(strstr(answer, "\"code\":-32602"));
    assert_non_null(strstr(answer, "the session has 1000 subscriptions, or 65536 bytes of URIs"));
    assert_non_null(strstr(answer, "Unsubscribe from a resource first"));
}

/* A message of 1 MB has 8 MB of nodes, which are freed. */
static void a_listener_keeps_little(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    char *dense = repeat(",\"z\":[", "0,", 500000, "]");
    const char *answer =
        pipeline_ask(pipeline, listen_for("1", "{\"toolsListChanged\":true}", dense));
    free(dense);
    assert_non_null(strstr(answer, "acknowledged"));
    assert_true(core_conn_is_busy(&pipeline->conn));
    assert_true(pipeline->conn.request_bytes < 4096);
    core_conn_finish(&pipeline->conn);
    assert_int_equal(pipeline->answer_count, 2);
    assert_string_equal(
        pipeline->answers[1].data,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"_meta\":{"
        "\"io.modelcontextprotocol/subscriptionId\":1}}}");
}

/* A frame in static memory, so that handing it in allocates nothing. */
static void hand_in(struct pipeline_fixture *pipeline, const char *message)
{
    static union {
        struct rpc_chunk chunk;
        char bytes[4096];
    } memory;
    size_t size = strlen(message);
    memory.chunk.references = 1;
    memory.chunk.capacity = size;
    char *data = memory.bytes + offsetof(struct rpc_chunk, data);
    memcpy(data, message, size);
    const struct rpc_frame frame = {.text = {data, size}, .chunk = &memory.chunk};
    core_handle(&pipeline->conn, &frame);
    assert_int_equal(memory.chunk.references, 1); /* a listener keeps a message of its own */
}

/* Each allocation fails once: the request is refused, or it listens. */
static void a_listener_survives_failed_allocations(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    bool has_failed = true;
    unsigned refused = 0;
    listen_for("1", "{\"resourceSubscriptions\":[\"a:b\"],\"toolsListChanged\":true}", "");
    for (unsigned i = 1; has_failed; i++) {
        fault_arm(FAULT_RESIZE, i, ENOMEM);
        hand_in(pipeline, line);
        has_failed = fault.hit;
        fault_disarm();
        assert_int_equal(pipeline->answer_count, 1);
        refused += !core_conn_is_busy(&pipeline->conn);
        pipeline_forget(pipeline);
        pipeline_reconnect(pipeline);
    }
    assert_true(refused > 3);
    assert_non_null(strstr(pipeline_ask(pipeline, line), "acknowledged"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(duplicate_uris_are_dropped),
        PIPELINE_TEST(an_empty_filter_is_acknowledged),
        PIPELINE_TEST(a_long_id_is_refused),
        PIPELINE_TEST(too_many_resources_are_refused),
        PIPELINE_TEST(too_many_bytes_of_resources_are_refused),
        PIPELINE_TEST(subscriptions_of_a_session_are_bounded),
        PIPELINE_TEST(too_many_subscriptions_are_refused),
        PIPELINE_TEST(a_listener_keeps_little),
        PIPELINE_TEST(a_listener_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
