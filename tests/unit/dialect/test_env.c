#include "unit/dialect/asking.h"

#define ENVELOPE_ERROR(id)                                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                              \
    ",\"error\":{\"code\":-32600,\"message\":\"Invalid MCP envelope\",\"data\":{"

static const struct asking envelopes[] = {
    {"{\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"mcp.discover\",\"params\":{}}",
     ENVELOPE_ERROR("1.50")},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"mcp.discover\",\"params\":{}}",
     ENVELOPE_ERROR("\"\"")},
    {"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"mcp.discover\",\"params\":{}}",
     ENVELOPE_ERROR("null")},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"mcp.discover\",\"params\":{}}", ENVELOPE_ERROR("null")},
    {"{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"mcp.discover\",\"params\":{}}",
     ENVELOPE_ERROR("\"a\"")},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.discover\"}", ENVELOPE_ERROR("\"a\"")},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.tool.invoke\",\"params\":[]}",
     ENVELOPE_ERROR("\"a\"")},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.nope\",\"params\":{}}",
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32601,"},
};

#define INVOKE(params)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.tool.invoke\",\"params\":" params "}"
#define INPUT_ERROR                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32602,\"message\":\"Invalid tool "     \
    "input\",\"data\":{\"validationPath\":"

static const struct asking invocations[] = {
    {INVOKE("{\"toolId\":\"mcp.tool:get_schema\",\"arguments\":{\"name\":\"part\"}}"),
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"tool\":\"mcp.tool:get_schema\","
     "\"output\":{\"ok\":true,"},
    {INVOKE("{\"tool\":\"mcp.tool:list_schemas\",\"input\":{}}"),
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"tool\":\"mcp.tool:list_schemas\","},
    {INVOKE("{\"toolId\":\"mcp.tool:list_schemas\"}"),
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"tool\":\"mcp.tool:list_schemas\","},
    {INVOKE("{\"toolId\":\"mcp.tool:nope\",\"arguments\":{}}"),
     "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32001,\"message\":\"Unknown tool\","},
    {INVOKE("{\"toolId\":\"mcp.tool:get_schema\",\"arguments\":{\"name\":5}}"),
     INPUT_ERROR "\"/params/arguments/name\""},
    {INVOKE("{\"toolId\":\"mcp.tool:get_schema\",\"input\":{\"name\":5}}"),
     INPUT_ERROR "\"/params/input/name\""},
    {INVOKE("{\"toolId\":\"mcp.tool:get_schema\",\"arguments\":7}"),
     INPUT_ERROR "\"/params/arguments\""},
    {INVOKE("{\"toolId\":\"mcp.tool:get_schema\",\"tool\":\"x\"}"), INPUT_ERROR "\"/params/tool\""},
    {INVOKE("{}"), INPUT_ERROR "\"/params/toolId\""},
};

#define PROMPT(params)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.prompt.get\",\"params\":" params "}"
#define PARAMS_ERROR "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32602,"

static const struct asking prompts[] = {
    {PROMPT("{}"), PARAMS_ERROR},
    {PROMPT("{\"promptId\":7}"), PARAMS_ERROR},
    {PROMPT("{\"promptId\":\"nope@1\"}"), PARAMS_ERROR "\"message\":\"Unknown prompt\""},
    {PROMPT("{\"promptId\":\"repair_asset\",\"arguments\":[]}"), PARAMS_ERROR},
    {PROMPT("{\"promptId\":\"repair_asset\",\"arguments\":{\"schema\":1}}"), PARAMS_ERROR},
};

static void test_envelopes(void **state)
{
    ASK_EACH(*state, envelopes);
}

static void test_invocations(void **state)
{
    ASK_EACH(*state, invocations);
}

static void test_prompts(void **state)
{
    ASK_EACH(*state, prompts);
    const char *answer = pipeline_ask(
        *state,
        PROMPT("{\"promptId\":\"repair_asset@1\",\"arguments\":{\"schema\":\"p{asset}\"}}"));
    expect_part(answer, "valid by the schema \\\"p{asset}\\\", and");
    expect_part(answer, "\\n{asset}\\n");
}

static void test_discover(void **state)
{
    const char *answer = pipeline_ask(
        *state,
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"mcp.discover\",\"params\":{\"x\":1}}");
    expect_part(answer, "\"toolId\":\"mcp.tool:validate_asset\"");
    expect_part(answer, "\"promptId\":\"repair_asset@1\"");
}

static const struct {
    enum rpc_endpoint endpoint;
    const char *parameter;
    const char *body;
    unsigned status;
    const char *answer;
} routes[] = {
    {RPC_ENDPOINT_TOOL,
     "mcp.tool:get_schema",
     "{\"arguments\":{\"name\":\"nope\"}}",
     200,
     "{\"tool\":\"mcp.tool:get_schema\",\"output\":{\"ok\":false,\"reason\":\"not_found\"}}"},
    {RPC_ENDPOINT_TOOL, "zzz", "{}", 404, "{\"error\":{\"code\":\"TOOL_NOT_FOUND\","},
    {RPC_ENDPOINT_TOOL,
     "mcp.tool:get_schema",
     "{\"arguments\":{\"name\":5}}",
     422,
     "{\"error\":{\"code\":\"INVALID_TOOL_INPUT\",\"message\":\"Invalid tool input\","
     "\"details\":{\"validationPath\":\"/arguments/name\""},
    {RPC_ENDPOINT_TOOL,
     "mcp.tool:get_schema",
     "[]",
     400,
     "{\"error\":{\"code\":\"INVALID_ENVELOPE\",\"message\":\"Invalid MCP "
     "envelope\",\"details\":{"},
    {RPC_ENDPOINT_TOOL,
     "mcp.tool:get_schema",
     "{",
     400,
     "{\"error\":{\"code\":\"INVALID_ENVELOPE\","},
    {RPC_ENDPOINT_DISCOVER, "", NULL, 200, "{\"server\":{\"name\":\"mcpgate\","},
    {RPC_ENDPOINT_PROMPT, "new_asset@1", NULL, 200, "{\"promptId\":\"new_asset@1\","},
    {RPC_ENDPOINT_PROMPT, "nope", NULL, 404, "{\"error\":{\"code\":\"PROMPT_NOT_FOUND\","},
};

static void test_routes(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        const char *answer =
            pipeline_post(pipeline, routes[i].endpoint, routes[i].parameter, routes[i].body);
        expect_beginning(answer, routes[i].answer);
        assert_int_equal(pipeline->last_status, routes[i].status);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PIPELINE_TEST(test_envelopes),
        PIPELINE_TEST(test_invocations),
        PIPELINE_TEST(test_prompts),
        PIPELINE_TEST(test_discover),
        PIPELINE_TEST(test_routes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
