#include <errno.h>

#include "cli/check_output.h"
#include "mcp/check.h"
#include "mcp/problem.h"
#include "support/json_fixture.h"

static void
expect(struct json_fixture *fixture, const struct mcp_verdict *verdict, const char *line)
{
    check_output_write(verdict, &fixture->out);
    json_fixture_expect(fixture, line);
}

static void test_good(void **state)
{
    struct mcp_verdict verdict = {
        .shape.kind = MCP_KIND_REQUEST,
        .method = mcp_method(MCP_METHOD_TOOLS_LIST),
        .definition = "ListToolsRequest",
    };
    expect(
        *state,
        &verdict,
        "{\"ok\":true,\"kind\":\"request\",\"method\":\"tools/list\","
        "\"definition\":\"ListToolsRequest\"}\n");
    verdict.method = NULL;
    verdict.shape.kind = MCP_KIND_RESPONSE;
    verdict.definition = "JSONRPCResponse";
    expect(
        *state,
        &verdict,
        "{\"ok\":true,\"kind\":\"response\",\"definition\":\"JSONRPCResponse\"}\n");
    verdict.shape.kind = MCP_KIND_NONE;
    verdict.definition = "Tool";
    expect(*state, &verdict, "{\"ok\":true,\"definition\":\"Tool\"}\n");
    verdict = (struct mcp_verdict){.shape.kind = MCP_KIND_BATCH};
    expect(*state, &verdict, "{\"ok\":true,\"kind\":\"batch\"}\n");
}

static void test_bad(void **state)
{
    const struct jsv_problem problems[] = {
        {.path = MCP_TEXT("/a\"b"), .message = MCP_TEXT("expected \"x\"")},
        {.path = MCP_TEXT(""), .message = MCP_TEXT("m")},
    };
    struct mcp_verdict verdict = {
        .layer = MCP_LAYER_MCP,
        .code = MCP_CODE_INVALID_PARAMS,
        .shape.kind = MCP_KIND_REQUEST,
        .method = mcp_method(MCP_METHOD_PING),
        .definition = "PingRequest",
        .problems = {problems, 2, 5},
    };
    expect(
        *state,
        &verdict,
        "{\"ok\":false,\"layer\":\"mcp\",\"code\":-32602,\"errors\":["
        "{\"path\":\"/a\\\"b\",\"msg\":\"expected \\\"x\\\"\"},{\"path\":\"\",\"msg\":\"m\"}]}\n");
}

static void test_error_sticks(void **state)
{
    (void)state;
    struct mcp_verdict verdict = {.shape.kind = MCP_KIND_BATCH};
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 10);
    check_output_write(&verdict, &out);
    assert_int_equal(out.error, -ENOBUFS);
    jsv_buf_done(&out);
}

static void test_text(void **state)
{
    struct json_fixture *fixture = *state;
    const struct jsv_problem problems[] = {
        {.path = MCP_TEXT("/params/name"), .message = MCP_TEXT("expected string")},
        {.path = MCP_TEXT(""), .message = MCP_TEXT("a\033b")},
    };
    struct mcp_verdict verdict = {
        .layer = MCP_LAYER_MCP,
        .code = MCP_CODE_INVALID_PARAMS,
        .method = mcp_method(MCP_METHOD_TOOLS_CALL),
        .problems = {problems, 2, 0},
    };
    check_output_write_text("a.jsonl", 7, &verdict, &fixture->out);
    json_fixture_expect(
        fixture,
        "a.jsonl:7: tools/call: /params/name: expected string (mcp, -32602)\n"
        "a.jsonl:7: tools/call: a\\x1bb (mcp, -32602)\n");
    verdict = (struct mcp_verdict){
        .layer = MCP_LAYER_JSON, .code = MCP_CODE_PARSE_ERROR, .problems = {problems, 1, 0}};
    check_output_write_text("<stdin>", 1, &verdict, &fixture->out);
    json_fixture_expect(fixture, "<stdin>:1: /params/name: expected string (json, -32700)\n");
    verdict = (struct mcp_verdict){.layer = MCP_LAYER_NONE};
    check_output_write_text("<stdin>", 1, &verdict, &fixture->out);
    json_fixture_expect(fixture, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_good),
        JSON_TEST(test_bad),
        JSON_TEST(test_text),
        cmocka_unit_test(test_error_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
