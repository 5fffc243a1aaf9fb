/*
 * The errors of all dialects, as the log shows them, and the trace of a message.
 */
#define _GNU_SOURCE
#include "core/outcome.h"
#include "core/request.h"
#include "unit/core/log_fixture.h"

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

static void check_all(struct pipeline_fixture *pipeline, const struct expected *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pipeline_ask(pipeline, cases[i].message);
    }
    logged_end(pipeline);
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
         "Unsupported envelope version"},
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

/* Response envelopes have `detail` for details. */
static void test_details(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(pipeline, "{\"version\":\"1.0.0\",\"id\":\"q\",\"tool\":\"x\",\"payload\":{}}");
    logged_end(pipeline);
    assert_string_equal(logged_word(logged_at(0), "/error/details/keyword"), "required");
}

static void test_secrets(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    pipeline_ask(
        pipeline,
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.tool.invoke\","
        "\"params\":{\"toolId\":\"mcp.tool:canary-4711\"}}");
    logged_end(pipeline);
    assert_null(memmem(logged_text.data, logged_text.size, "canary", 6));
    assert_string_equal(logged_word(logged_at(0), "/metadata/toolId"), "[redacted]");
}

/* ---- traces ---- */

#define PARENT "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
#define OTHER  "00-11111111111111111111111111111111-2222222222222222-00"

/* ---- a request with headers ---- */

static const char *header_parent;
static const char *header_state;

static enum rpc_header
header(const struct rpc_http *http, struct jsv_str name, struct jsv_str *ret_value)
{
    (void)http;
    const char *value = jsv_str_equal(name, JSV_STR("traceparent")) ? header_parent : header_state;
    if (!value) {
        return RPC_HEADER_ABSENT;
    }
    *ret_value = jsv_str_from(value);
    return RPC_HEADER_FOUND;
}

static const struct rpc_http http = {.header = header};

static struct jsv_reader *reader;
static struct jsv_document *document;

static int set_up(void **state)
{
    (void)state;
    reader = jsv_reader_new(NULL, NULL);
    document = jsv_document_new(NULL);
    return reader && document ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    jsv_document_free(document);
    jsv_reader_free(reader);
    return 0;
}

static bool is_text(struct jsv_str text, const char *expected)
{
    return expected ? jsv_str_equal(text, jsv_str_from(expected)) : !text.data;
}

/* The trace of a message with this _meta and these headers. */
static void assert_trace(
    const struct rpc_http *http_or_null, const char *meta, const char *parent, const char *vendors)
{
    static struct core_request request;
    request.req.http = http_or_null;
    assert_int_equal(jsv_read(reader, document, jsv_str_from(meta), 0, NULL), 0);
    struct log_trace_context trace = core_trace_of(&request, jsv_document_root(document));
    assert_true(is_text(trace.parent, parent));
    assert_true(is_text(trace.state, vendors));
}

static void test_in_a_line(void **state)
{
    (void)state;
    assert_trace(NULL, "{}", NULL, NULL);
    assert_trace(NULL, "7", NULL, NULL);
    assert_trace(NULL, "{\"traceparent\":7}", NULL, NULL);
    assert_trace(NULL, "{\"traceparent\":\"" PARENT "\"}", PARENT, NULL);
    assert_trace(NULL, "{\"traceparent\":\"" PARENT "\",\"tracestate\":\"a=1\"}", PARENT, "a=1");
    assert_trace(NULL, "{\"tracestate\":\"a=1\"}", NULL, NULL);
}

static void test_in_headers(void **state)
{
    (void)state;
    header_parent = PARENT;
    header_state = NULL;
    assert_trace(&http, "{}", PARENT, NULL);
    header_state = "a=1";
    assert_trace(&http, "{}", PARENT, "a=1");
    assert_trace(NULL, "{}", NULL, NULL);
    header_parent = "nonsense";
    assert_trace(&http, "{}", NULL, NULL);
    header_parent = NULL;
    assert_trace(&http, "{}", NULL, NULL);
}

/* Parent and state are never taken from different places. */
static void test_in_both(void **state)
{
    (void)state;
    header_parent = OTHER;
    header_state = "b=2";
    assert_trace(&http, "{\"traceparent\":\"" PARENT "\"}", PARENT, NULL);
    assert_trace(&http, "{\"traceparent\":\"nonsense\",\"tracestate\":\"a=1\"}", OTHER, "b=2");
}

#define TRACE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOGGED_TEST(test_rpc),
        LOGGED_TEST(test_results),
        LOGGED_TEST(test_envelopes),
        LOGGED_TEST(test_details),
        LOGGED_TEST(test_secrets),
        TRACE_TEST(test_in_a_line),
        TRACE_TEST(test_in_headers),
        TRACE_TEST(test_in_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
