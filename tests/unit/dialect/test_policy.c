#include <stdio.h>

#include "unit/dialect/asking.h"

#define REQUEST(tool, params)                                                                      \
    "{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"" tool "\"},\"params\":" params \
    ",\"artifacts\":[],\"request_id\":\"r\"}"
#define RESULT "{\"schema_version\":\"mcp.envelope.v0.1\",\"result\":"
#define ERRORS RESULT "null,\"errors\":[{\"code\":"

static const struct asking askings[] = {
    {REQUEST("get_schema", "{\"name\":\"nope\"}"),
     RESULT "{\"ok\":false,\"reason\":\"not_found\"},\"meta\":{\"request_id\":\"r\"}}"},
    {REQUEST("mcp.tool:get_schema", "{\"name\":\"nope\"}"), RESULT "{\"ok\":false,"},
    {REQUEST("get_schema", "{\"_meta\":{},\"name\":\"nope\"}"), RESULT "{\"ok\":false,"},
    {REQUEST("nope", "{}"), ERRORS "\"ADAPTER.TOOL.NOT_FOUND\""},
    {REQUEST("get_schema", "{\"name\":5}"), ERRORS "\"ADAPTER.INPUT.INVALID\""},
    {REQUEST("get_schema", "7"), ERRORS "\"ADAPTER.INPUT.INVALID\""},
    {REQUEST("", "{}"), ERRORS "\"ADAPTER.REQUEST.INVALID\""},
    {"{\"schema_version\":\"mcp.request.v0.1\"}", ERRORS "\"ADAPTER.REQUEST.INVALID\""},
    {"{\"schema_version\":\"mcp.request.v0.2\",\"tool\":{\"name\":\"list_schemas\"}}",
     "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"Invalid Request\""},
};

static void test_answers(void **state)
{
    ASK_EACH(*state, askings);
}

/* An id of so many characters, each of two bytes. @return whether the answer has it. */
static bool is_echoed(struct pipeline_fixture *pipeline, size_t characters, const char *params)
{
    char id[2 * 201 + 1] = "";
    char line[1024];
    for (size_t i = 0; i < characters; i++) {
        memcpy(id + 2 * i, "\xc3\xa9", 3);
    }
    snprintf(
        line,
        sizeof(line),
        "{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"list_schemas\"},"
        "\"params\":%s,\"artifacts\":[],\"request_id\":\"%s\"}",
        params,
        id);
    return strstr(pipeline_ask(pipeline, line), id) != NULL;
}

/* The fixture checks each answer against the published schema, which allows 200 characters. */
static void test_only_legal_request_id_is_echoed(void **state)
{
    assert_true(is_echoed(*state, 200, "{}"));
    assert_true(is_echoed(*state, 200, "7"));
    assert_false(is_echoed(*state, 201, "{}"));
    assert_false(is_echoed(*state, 201, "7"));
    expect_part(
        pipeline_ask(*state, "{\"schema_version\":\"mcp.request.v0.1\",\"request_id\":5}"),
        "ADAPTER.REQUEST.INVALID");
}

#define AT_MOST(limit)                                                                             \
    "{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"get_schema\"},"                 \
    "\"params\":{\"name\":\"nope\"},\"artifacts\":[],"                                             \
    "\"preferences\":{\"max_output_bytes\":" limit "}}"

static void test_output_limit_is_respected(void **state)
{
    static const char whole[] = "{\"ok\":false,\"reason\":\"not_found\"}";
    assert_int_equal(sizeof(whole) - 1, 33);
    expect_part(pipeline_ask(*state, AT_MOST("33")), whole);
    static const char refused[] = RESULT
        "null,\"errors\":[{\"code\":\"ADAPTER.OUTPUT.TOO_LARGE\",\"message\":\"Tool output is "
        "larger than %u bytes.\",\"details\":{\"limit_bytes\":%u}}]}";
    char expected[256];
    snprintf(expected, sizeof(expected), refused, 32u, 32u);
    assert_string_equal(pipeline_ask(*state, AT_MOST("32")), expected);
    snprintf(expected, sizeof(expected), refused, 0u, 0u);
    assert_string_equal(pipeline_ask(*state, AT_MOST("0")), expected);
}

static const char with_record[] =
    "{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"list_schemas\"},"
    "\"params\":{\"_meta\":{\"capture_provenance\":true}},\"artifacts\":[]}";
static const char at_random[] =
    "{\"schema_version\":\"mcp.request.v0.1\",\"tool\":{\"name\":\"list_schemas\"},"
    "\"params\":{\"_meta\":{\"capture_provenance\":true}},\"artifacts\":[],"
    "\"preferences\":{\"deterministic\":false}}";

static void test_same_request_gives_same_bytes(void **state)
{
    const char *first = pipeline_ask(*state, with_record);
    expect_part(first, "\"run_id\":\"2dc41ddc-a57c-5957-bb1c-b1f7a898c84a\"");
    assert_string_equal(first, pipeline_ask(*state, with_record));
}

static void test_random_run_has_time(void **state)
{
    const char *first = pipeline_ask(*state, at_random);
    expect_part(first, "\"time\":\"20");
    assert_string_not_equal(first, pipeline_ask(*state, at_random));
}

static void test_status_over_http(void **state)
{
    static const struct {
        const char *body;
        unsigned status;
    } bodies[] = {
        {REQUEST("list_schemas", "{}"), 200},
        {REQUEST("nope", "{}"), 404},
        {REQUEST("get_schema", "{}"), 422},
        {REQUEST("", "{}"), 400},
    };
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        pipeline_post(pipeline, RPC_ENDPOINT_RPC, "", bodies[i].body);
        assert_int_equal(pipeline->last_status, bodies[i].status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(test_answers),
        PIPELINE_TEST(test_only_legal_request_id_is_echoed),
        PIPELINE_TEST(test_output_limit_is_respected),
        PIPELINE_TEST(test_same_request_gives_same_bytes),
        PIPELINE_TEST(test_random_run_has_time),
        PIPELINE_TEST(test_status_over_http),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
