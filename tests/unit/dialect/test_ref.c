#include "unit/dialect/asking.h"

#define REQUEST(version, tool, payload, more)                                                      \
    "{\"id\":\"\\u0041\",\"version\":\"" version                                                   \
    "\",\"timestamp\":\"2025-10-13T15:10:00Z\",\"tool\":\"" tool "\",\"payload\":" payload more    \
    "}"
#define RESPONSE(code, http)                                                                       \
    "{\"id\":\"\\u0041\",\"version\":\"1.0.0\",\"status\":{\"code\":\"" code "\",\"http\":" http

static const struct {
    const char *body;
    unsigned status;
    const char *answer;
    const char *part;
} exchanges[] = {
    {REQUEST("1.0.0", "get_schema", "{\"name\":\"nope\"}", ""),
     200,
     RESPONSE("success", "200"),
     "\"output\":{\"ok\":false,\"reason\":\"not_found\"}"},
    {REQUEST("1.2.0", "list_schemas", "{}", ",\"later\":1"),
     200,
     RESPONSE("success", "200"),
     "\"unknown_fields\":[\"later\"]"},
    {REQUEST("1.0.7", "list_schemas", "{}", ",\"later\":1"),
     400,
     RESPONSE("error", "400"),
     "\"INVALID_ENVELOPE\""},
    {REQUEST("2.0.0", "list_schemas", "{}", ""),
     400,
     RESPONSE("error", "400"),
     "\"UNSUPPORTED_VERSION\""},
    {REQUEST("1.0.0", "nope", "{}", ""), 404, RESPONSE("error", "404"), "\"TOOL_NOT_FOUND\""},
    {REQUEST("1.0.0", "get_schema", "{\"name\":5}", ""),
     422,
     RESPONSE("error", "422"),
     "\"path\":\"/name\""},
};

static void test_exchanges(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < sizeof(exchanges) / sizeof(exchanges[0]); i++) {
        static const enum rpc_endpoint endpoints[] = {RPC_ENDPOINT_INVOKE, RPC_ENDPOINT_RPC};
        for (size_t j = 0; j < 2; j++) {
            const char *answer = pipeline_post(pipeline, endpoints[j], "", exchanges[i].body);
            expect_beginning(answer, exchanges[i].answer);
            expect_part(answer, exchanges[i].part);
            expect_part(answer, "\"duration_ms\":");
            assert_int_equal(pipeline->last_status, exchanges[i].status);
        }
        expect_beginning(pipeline_ask(pipeline, exchanges[i].body), exchanges[i].answer);
    }
}

static void test_endpoint_answers_anything_with_an_envelope(void **state)
{
    static const char *const bodies[] = {
        "", "{", "7", "[]", "null", "{}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"};
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        const char *answer = pipeline_post(pipeline, RPC_ENDPOINT_INVOKE, "", bodies[i]);
        expect_beginning(
            answer, "{\"id\":\"\",\"version\":\"1.0.0\",\"status\":{\"code\":\"error\"");
        assert_int_equal(pipeline->last_status, 400);
    }
}

static void test_tokens_are_not_echoed(void **state)
{
    static const char *const bodies[] = {
        REQUEST("1.0.0", "list_schemas", "{}", ",\"auth\":{\"type\":\"bearer\",\"token\":\"s3\"}"),
        REQUEST("1.0.0", "nope", "{}", ",\"auth\":{\"type\":\"s3\",\"token\":\"s3\"}"),
        REQUEST("3.0.0", "nope", "{}", ",\"auth\":{\"type\":\"none\",\"token\":[\"s3\"]}"),
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        assert_null(strstr(pipeline_ask(*state, bodies[i]), "s3"));
    }
}

/* ---- programs that fail ---- */

static int run_busy(struct tool_call *call)
{
    call->failure = envelope_failure_text(ENVELOPE_FAILURE_BUSY, (struct jsv_str){NULL, 0});
    call->verdict = TOOL_VERDICT_FAILED;
    return TOOL_DONE;
}

static void test_busy_program_is_retry(void **state)
{
    static const struct tool_set set = {.run = run_busy};
    struct pipeline_fixture *pipeline = *state;
    pipeline_use_tools(pipeline, &set);
    const char *answer = pipeline_post(
        pipeline, RPC_ENDPOINT_INVOKE, "", REQUEST("1.0.0", "list_schemas", "{}", ""));
    expect_beginning(answer, RESPONSE("retry", "503"));
    expect_part(answer, "\"code\":\"ADAPTER.EXECUTION.BUSY\"");
    expect_part(answer, "\"headers\":{\"Retry-After\":\"1\"}");
    assert_int_equal(pipeline->last_status, 503);
    assert_int_equal(pipeline->last_retry_after_s, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(test_exchanges),
        PIPELINE_TEST(test_endpoint_answers_anything_with_an_envelope),
        PIPELINE_TEST(test_tokens_are_not_echoed),
        PIPELINE_TEST(test_busy_program_is_retry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
