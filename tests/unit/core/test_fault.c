/*
 * The ways of saying no, as the log tells them: by the answers of the dialects.
 */
#define _GNU_SOURCE
#include "unit/core/logged.h"

struct expected {
    const char *message;
    const char *status;
    const char *code; /* NULL: there is no error */
    const char *text; /* how the error's message begins */
};

static void assert_line(size_t number, const struct expected *expected)
{
    struct jsv_value line = logged_at(number);
    assert_string_equal(logged_word(line, "/status"), expected->status);
    if (!expected->code) {
        assert_int_equal(jsv_value_type(jsv_value_get(line, JSV_STR("error"))), JSV_TYPE_NULL);
        return;
    }
    assert_string_equal(logged_word(line, "/error/code"), expected->code);
    const char *text = logged_word(line, "/error/message");
    assert_non_null(text);
    assert_memory_equal(text, expected->text, strlen(expected->text));
}

static void check_all(struct corridor *corridor, const struct expected *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        corridor_ask(corridor, cases[i].message);
    }
    logged_end(corridor);
    assert_int_equal(logged_count(), count);
    for (size_t i = 0; i < count; i++) {
        assert_line(i, &cases[i]);
    }
}

#define CHECK(cases) check_all(*state, (cases), sizeof(cases) / sizeof((cases)[0]))

static void test_rpc(void **state)
{
    static const struct expected cases[] = {
        {"{", "parse_error", "PARSE_ERROR", "Parse error"},
        {"[]", "invalid_request", "INVALID_REQUEST", "Invalid Request"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/nope\"}",
         "method_not_found",
         "METHOD_NOT_FOUND",
         "Method not found"},
        {"{\"jsonrpc\":\"2.0\",\"method\":\"mcp.discover\"}",
         "invalid_envelope",
         "INVALID_ENVELOPE",
         "Invalid MCP envelope"},
        {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.tool.invoke\","
         "\"params\":{\"toolId\":\"mcp.tool:nope\"}}",
         "tool_not_found",
         "TOOL_NOT_FOUND",
         "Unknown tool"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "ok", NULL, NULL},
    };
    CHECK(cases);
}

static void test_results(void **state)
{
    static const struct expected cases[] = {
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no_such_tool\"}",
         "unsupported",
         "UNSUPPORTED",
         "tool not implemented"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_schema\",\"params\":{\"name\":5}}",
         "validation_failed",
         "VALIDATION_FAILED",
         "expected string"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_schemas\"}", "ok", NULL, NULL},
        /* a verdict is the answer that was asked for */
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"validate_asset\","
         "\"params\":{\"schema\":\"widget\",\"asset\":{}}}",
         "ok",
         NULL,
         NULL},
    };
    CHECK(cases);
}

static void test_envelopes(void **state)
{
    static const struct expected cases[] = {
        {"{\"version\":\"1.0.0\",\"id\":\"q\",\"timestamp\":\"2026-01-01T00:00:00Z\","
         "\"tool\":\"nope\",\"payload\":{}}",
         "tool_not_found",
         "TOOL_NOT_FOUND",
         "Unknown tool"},
        {"{\"version\":\"1.0.0\",\"id\":\"q\",\"tool\":\"list_schemas\",\"payload\":{}}",
         "invalid_envelope",
         "INVALID_ENVELOPE",
         "missing property"},
        {"{\"version\":\"9.0.0\",\"id\":\"q\",\"tool\":\"list_schemas\",\"payload\":{}}",
         "unsupported_version",
         "UNSUPPORTED_VERSION",
         "Envelopes of version 1"},
        {"{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"nope\"},"
         "\"artifacts\":[],\"params\":{}}",
         "adapter.tool.not_found",
         "ADAPTER.TOOL.NOT_FOUND",
         "Unknown tool"},
        {"{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"list_schemas\"},"
         "\"artifacts\":[],\"params\":{}}",
         "ok",
         NULL,
         NULL},
    };
    CHECK(cases);
}

/* What a response envelope calls `detail` is an error's details, too. */
static void test_details(void **state)
{
    struct corridor *corridor = *state;
    corridor_ask(corridor, "{\"version\":\"1.0.0\",\"id\":\"q\",\"tool\":\"x\",\"payload\":{}}");
    logged_end(corridor);
    assert_string_equal(logged_word(logged_at(0), "/error/details/keyword"), "required");
}

static void test_secrets(void **state)
{
    struct corridor *corridor = *state;
    corridor_ask(
        corridor,
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.tool.invoke\","
        "\"params\":{\"toolId\":\"mcp.tool:canary-4711\"}}");
    logged_end(corridor);
    assert_null(memmem(logged_text.data, logged_text.size, "canary", 6));
    assert_string_equal(logged_word(logged_at(0), "/metadata/toolId"), "[redacted]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOGGED_TEST(test_rpc),
        LOGGED_TEST(test_results),
        LOGGED_TEST(test_envelopes),
        LOGGED_TEST(test_details),
        LOGGED_TEST(test_secrets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
