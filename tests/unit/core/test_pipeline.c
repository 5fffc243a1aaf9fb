/*
 * Messages through the whole pipeline: each stage refuses what it checks, and the
 * next message is answered.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/worker_state.h"
#include "os/sys.h"
#include "support/pipeline_fixture.h"
#include "unit/os/fault.h"

static const struct {
    const char *message;
    const char *answer; /* how it begins */
} layers[] = {
    {"nonsense",
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse error\","},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2}",
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"},
    {"\"\xff\"", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"},
    {"[]", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"},
    {"{}", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":7}",
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32600,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"nope\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1.50,\"result\":{\"ok\":false,\"reason\":\"unsupported\","
     "\"detail\":\"tool not implemented\"}}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":[]}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":5}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":false,\"reason\":\"validation_failed\","
     "\"errors\":[{\"path\":\"/name\",\"msg\":\"expected string\"}]}}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"validate_asset\",\"params\":{\"asset\":{}}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":false,\"reason\":\"validation_failed\","
     "\"errors\":[{\"path\":\"/schema\",\"msg\":\"schema param is required\"}]}}"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"validate_asset\",\"params\":{\"asset\":{\"n\":1},"
     "\"schema\":\"part\"}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"foo/bar\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
     "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"},
};

static void expect_beginning(const char *answer, const char *beginning)
{
    if (strncmp(answer, beginning, strlen(beginning)) != 0) {
        fail_msg("got %s\nexpected %s", answer, beginning);
    }
}

static void each_stage_refuses_what_it_checks(void **state)
{
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
        expect_beginning(pipeline_ask(*state, layers[i].message), layers[i].answer);
    }
}

#define REFUSED                                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":false,\"reason\":\"validation_failed\","
#define UNSAID "invalid; error list exceeded the work limit"

/*
 * With few steps left, arguments known to be invalid are refused without details. With fewer,
 * they cannot be checked.
 */
static void invalid_arguments_are_refused_with_few_steps(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    static const char *const beginnings[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,",
        (REFUSED "\"errors\":[{\"path\":\"\",\"msg\":\"" UNSAID "\"}]}}"),
        (REFUSED "\"errors\":[{\"path\":\"/name\",\"msg\":\"expected string\"}]}}"),
    };
    size_t kind = 0;
    for (uint64_t steps = 1; steps < 100; steps++) {
        const struct jsv_validator_limits limits = {.steps_max = steps};
        jsv_validator_free(pipeline->worker->validator);
        pipeline->worker->validator = jsv_validator_new(os_allocator(), &limits);
        const char *answer = pipeline_ask(
            pipeline,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":5}}");
        if (kind < 2 && strncmp(answer, beginnings[kind], strlen(beginnings[kind])) != 0) {
            kind++;
        }
        expect_beginning(answer, beginnings[kind]);
    }
    assert_int_equal(kind, 2);
}

static void an_oversize_line_is_refused_and_the_next_answered(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    size_t size = (size_t)3 << 20;
    char *line = malloc(size);
    memset(line, 'x', size);
    pipeline_give(pipeline, (struct jsv_str){line, size});
    expect_beginning(
        pipeline->answers[0].data,
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"ok\":false,\"reason\":\"validation_"
        "failed\","
        "\"errors\":[{\"path\":\"\",\"msg\":\"payload_too_large\"}]}}");
    assert_int_equal(pipeline->last_status, 413);
    expect_beginning(
        pipeline_ask(pipeline, "\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert_int_equal(pipeline->answer_count, 2);
    free(line);
}

static void notifications_are_not_answered(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"method\":\"list_schemas\"}");
    pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"}");
    pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"method\":\"nope\",\"params\":[]}");
    pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
    assert_int_equal(pipeline->answer_count, 0);
    assert_int_equal(pipeline->silent_count, 4);
    assert_int_equal(pipeline->last_status, 202);
}

static void a_session_uses_the_negotiated_version(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2024-11-05\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
    static const char call[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"get_schema\",\"arguments\":{\"name\":5}}}";
    assert_non_null(strstr(pipeline_ask(pipeline, call), "\"isError\":true"));
    assert_non_null(strstr(pipeline_ask(pipeline, hello), "\"protocolVersion\":\"2024-11-05\""));
    expect_beginning(
        pipeline_ask(pipeline, call), "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,");
    expect_beginning(
        pipeline_ask(pipeline, hello), "{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-32600,");
    pipeline_reconnect(pipeline);
    assert_non_null(strstr(pipeline_ask(pipeline, hello), "\"result\""));
}

static void a_batch_is_answered_by_one_array(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
    pipeline_ask(pipeline, hello);
    const char *answer = pipeline_ask(
        pipeline,
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},5,[],"
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"},"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}]");
    expect_beginning(
        answer, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":null,");
    assert_non_null(strstr(answer, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]"));
    size_t before = pipeline->answer_count;
    pipeline_ask(pipeline, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"}]");
    assert_int_equal(pipeline->answer_count, before);
    expect_beginning(
        pipeline_ask(pipeline, "[]"),
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
        "\"message\":\"Invalid Request\",\"data\":{\"details\":\"a batch has at least one "
        "message\"");
}

static void a_batch_has_a_limit(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    struct jsv_buf batch;
    jsv_buf_init(&batch, NULL, SIZE_MAX);
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");
    for (int i = 0; i < 101; i++) {
        jsv_buf_append_byte(&batch, i == 0 ? '[' : ',');
        jsv_buf_append_str(&batch, JSV_STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"));
    }
    jsv_buf_append(&batch, "]", 2);
    expect_beginning(
        pipeline_ask(pipeline, batch.data),
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,");
    jsv_buf_done(&batch);
}

static void equal_requests_get_equal_bytes(void **state)
{
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    struct pipeline_fixture *pipeline = *state;
    char *first = strdup(pipeline_ask(pipeline, request));
    for (int i = 0; i < 100; i++) {
        assert_string_equal(pipeline_ask(pipeline, request), first);
    }
    free(first);
}

/* ---- too large answers ---- */

static void append(struct jsv_buf *line, const char *text)
{
    jsv_buf_append_str(line, jsv_str_from(text));
}

static const char *give(struct pipeline_fixture *pipeline, struct jsv_buf *line)
{
    size_t before = pipeline->answer_count;
    jsv_buf_append_byte(line, '\n');
    assert_int_equal(line->error, 0);
    pipeline_give(pipeline, jsv_buf_str(line));
    jsv_buf_done(line);
    return pipeline->answer_count > before ? pipeline->answers[before].data : "";
}

/* A patch has about 40 bytes for a member of 10, and is sent as text and as structure. */
static void a_too_large_answer_is_an_error(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    struct jsv_buf line;
    jsv_buf_init(&line, NULL, SIZE_MAX);
    append(
        &line,
        "{\"jsonrpc\":\"2.0\",\"id\":\"big\",\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"diff_assets\",\"arguments\":{\"base\":{},\"new\":{\"\":1");
    for (size_t i = 0; i < 90000; i++) {
        char member[32];
        snprintf(member, sizeof(member), ",\"%zu\":1", i);
        append(&line, member);
    }
    append(&line, "}}}}");
    const char *answer = give(pipeline, &line);
    assert_non_null(strstr(answer, "\"id\":\"big\",\"error\":{\"code\":-32603,"));
    assert_non_null(strstr(answer, "4194304"));
    answer = pipeline_ask(pipeline, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_string_equal(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

/*
 * ---- out of memory ----
 *
 * Each allocation fails once while messages of all kinds are handled. Every message is answered, if
 * only with an error, and so is the next one. Sanitizers report what leaks.
 */

#define CALL(name, arguments)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name         \
    "\",\"arguments\":" arguments "}}"
#define ASK(method, params)                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":" params "}"
#define MODERN                                                                                     \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

static const char *const messages[] = {
    "nonsense",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2}",
    "[]",
    "[1]",
    "{}",
    "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
    ASK("nope", "{}"),
    ASK("nope/nope", "{}"),
    ASK("list_schemas", "[]"),
    ASK("list_schemas", "{}"),
    ASK("list_examples", "{}"),
    ASK("get_schema", "{\"name\":\"part\"}"),
    ASK("get_schema", "{\"name\":5}"),
    ASK("get_schema", "{}"),
    ASK("get_example", "{\"path\":\"Part_One.json\"}"),
    ASK("validate_asset", "{\"schema\":\"part\",\"asset\":{\"n\":1,\"$schemaRef\":\"x\"}}"),
    ASK("validate_asset", "{\"schema\":\"widget\",\"asset\":{\"part\":{\"n\":\"x\"}}}"),
    ASK("validate_asset", "{\"asset\":{}}"),
    ASK("validate_many", "{\"schema\":\"part\",\"assets\":[{\"n\":1},{},{\"n\":\"x\"}]}"),
    ASK("diff_assets", "{\"base\":{\"a\":[1,2]},\"new\":{\"b\":{\"c\":1}}}"),
    ASK("populate_backend", "{\"asset\":{}}"),
    ASK("initialize",
        "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}"),
    ASK("ping", "{}"),
    ASK("tools/list", "{}"),
    ASK("tools/list", "{" MODERN "}"),
    ASK("tools/call", "{}"),
    ASK("resources/list", "{\"cursor\":\"x\"}"),
    ASK("resources/read", "{\"uri\":\"mcpgate://schemas/part\"}"),
    ASK("resources/read", "{\"uri\":\"mcpgate://schemas/none\"}"),
    ASK("server/discover", "{" MODERN "}"),
    CALL("validate_asset", "{\"schema\":\"part\",\"asset\":{\"n\":1}}"),
    CALL("validate_asset", "{\"schema\":5}"),
    CALL("nope", "{}"),
};

/* A frame in static memory, so that handing it in allocates nothing. */
static void hand_in(struct pipeline_fixture *pipeline, const char *message)
{
    static union {
        struct rpc_chunk chunk;
        char bytes[4096];
    } memory;
    size_t size = strlen(message);
    assert_true(size < sizeof(memory) - sizeof(memory.chunk));
    memory.chunk.references = 1;
    memory.chunk.capacity = size;
    char *data = memory.bytes + offsetof(struct rpc_chunk, data);
    memcpy(data, message, size);
    const struct rpc_frame frame = {.text = {data, size}, .chunk = &memory.chunk};
    core_handle(&pipeline->conn, &frame);
    assert_int_equal(memory.chunk.references, 1);
}

/* @return whether an allocation was made to fail. */
static bool fail_once(struct pipeline_fixture *pipeline, const char *message, unsigned at)
{
    fault_arm(FAULT_RESIZE, at, ENOMEM);
    hand_in(pipeline, message);
    bool has_failed = fault.hit;
    fault_disarm();
    if (pipeline->answer_count != 1) {
        fail_msg("%zu answers to %s", pipeline->answer_count, message);
    }
    assert_false(core_conn_is_busy(&pipeline->conn));
    pipeline_forget(pipeline);
    pipeline_reconnect(pipeline);
    hand_in(pipeline, ASK("ping", "{}"));
    assert_int_equal(pipeline->answer_count, 1);
    assert_string_equal(pipeline->answers[0].data, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    pipeline_forget(pipeline);
    return has_failed;
}

static void every_message_is_answered_when_allocations_fail(void **state)
{
    for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
        for (unsigned at = 1; fail_once(*state, messages[i], at); at++) {
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(each_stage_refuses_what_it_checks),
        PIPELINE_TEST(invalid_arguments_are_refused_with_few_steps),
        PIPELINE_TEST(an_oversize_line_is_refused_and_the_next_answered),
        PIPELINE_TEST(notifications_are_not_answered),
        PIPELINE_TEST(a_session_uses_the_negotiated_version),
        PIPELINE_TEST(a_batch_is_answered_by_one_array),
        PIPELINE_TEST(a_batch_has_a_limit),
        PIPELINE_TEST(equal_requests_get_equal_bytes),
        PIPELINE_TEST(a_too_large_answer_is_an_error),
        PIPELINE_TEST(every_message_is_answered_when_allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
