#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_stream.h"
#include "mcp/check.h"
#include "mcp/methods.h"
#include "mcp/problem.h"
#include "support/json_fixture.h"
#include "unit/os/fault.h"

struct pending_fixture {
    struct json_fixture *json;
    struct check_pending *pending;
};

static int set_up(void **state)
{
    struct pending_fixture *fixture = calloc(1, sizeof(*fixture));
    void *json;
    assert_int_equal(json_fixture_setup(&json), 0);
    fixture->json = json;
    fixture->pending = check_pending_new();
    assert_non_null(fixture->pending);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct pending_fixture *fixture = *state;
    void *json = fixture->json;
    check_pending_free(fixture->pending);
    json_fixture_teardown(&json);
    free(fixture);
    return 0;
}

#define PENDING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static void put(struct pending_fixture *fixture, const char *id, enum mcp_method_id method)
{
    check_pending_put(
        fixture->pending,
        json_fixture_read(fixture->json, id),
        mcp_method(method),
        MCP_VERSION_NEWEST);
}

static void expect(struct pending_fixture *fixture, const char *id, enum mcp_method_id method)
{
    struct jsv_value value = json_fixture_read(fixture->json, id);
    assert_ptr_equal(check_pending_take(fixture->pending, value), mcp_method(method));
}

static void expect_none(struct pending_fixture *fixture, const char *id)
{
    struct jsv_value value = json_fixture_read(fixture->json, id);
    assert_null(check_pending_take(fixture->pending, value));
}

static void test_lookup_returns_method_and_version(void **state)
{
    struct pending_fixture *fixture = *state;
    enum mcp_version version = MCP_VERSION_COUNT;
    struct jsv_value id = json_fixture_read(fixture->json, "7");
    assert_null(check_pending_find(fixture->pending, id, &version));
    check_pending_put(fixture->pending, id, mcp_method(MCP_METHOD_PING), MCP_VERSION_2025_03_26);
    for (size_t i = 0; i < 2; i++) {
        assert_ptr_equal(
            check_pending_find(fixture->pending, id, &version), mcp_method(MCP_METHOD_PING));
        assert_int_equal(version, MCP_VERSION_2025_03_26);
    }
    expect(*state, "7", MCP_METHOD_PING);
    assert_null(check_pending_find(fixture->pending, id, &version));
    /* a value that is not an id matches no request */
    id = json_fixture_read(fixture->json, "[7]");
    assert_null(check_pending_find(fixture->pending, id, &version));
    assert_null(check_pending_find(fixture->pending, (struct jsv_value){0}, &version));
}

static void test_a_request_is_taken_once(void **state)
{
    put(*state, "1", MCP_METHOD_PING);
    put(*state, "2", MCP_METHOD_TOOLS_LIST);
    expect(*state, "2", MCP_METHOD_TOOLS_LIST);
    expect(*state, "1", MCP_METHOD_PING);
    expect_none(*state, "1");
    expect_none(*state, "2");
}

static void test_ids_are_equal_by_value(void **state)
{
    put(*state, "1.0", MCP_METHOD_PING);
    expect(*state, "10e-1", MCP_METHOD_PING);
    put(*state, "\"\\u0041\"", MCP_METHOD_PING);
    expect(*state, "\"A\"", MCP_METHOD_PING);
    put(*state, "\"\"", MCP_METHOD_PING);
    expect(*state, "\"\"", MCP_METHOD_PING);
    put(*state, "\"1\"", MCP_METHOD_PING);
    expect_none(*state, "1");
    put(*state, "123456789012345678901234567890", MCP_METHOD_PING);
    expect_none(*state, "\"123456789012345678901234567890\"");
    expect(*state, "123456789012345678901234567890", MCP_METHOD_PING);
}

static void test_later_request_is_answered_first(void **state)
{
    put(*state, "1", MCP_METHOD_TOOLS_CALL);
    put(*state, "1", MCP_METHOD_SAMPLING_CREATE_MESSAGE);
    expect(*state, "1", MCP_METHOD_SAMPLING_CREATE_MESSAGE);
    expect(*state, "1", MCP_METHOD_TOOLS_CALL);
    expect_none(*state, "1");
}

static void test_long_ids_are_not_kept(void **state)
{
    char id[CHECK_ID_SIZE_MAX + 4];
    memset(id, 'x', sizeof(id));
    id[0] = '"';
    id[CHECK_ID_SIZE_MAX + 1] = '"';
    id[CHECK_ID_SIZE_MAX + 2] = '\0';
    put(*state, id, MCP_METHOD_PING);
    expect(*state, id, MCP_METHOD_PING);
    id[CHECK_ID_SIZE_MAX + 1] = 'x';
    id[CHECK_ID_SIZE_MAX + 2] = '"';
    id[CHECK_ID_SIZE_MAX + 3] = '\0';
    put(*state, id, MCP_METHOD_PING);
    expect_none(*state, id);
    put(*state, "1", MCP_METHOD_TOOLS_LIST);
    expect(*state, "1", MCP_METHOD_TOOLS_LIST);
}

static void put_many(struct pending_fixture *fixture, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char id[16];
        snprintf(id, sizeof(id), "%u", first + i);
        put(fixture, id, MCP_METHOD_PING);
    }
}

static void test_oldest_request_is_dropped(void **state)
{
    put_many(*state, 0, CHECK_PENDING_MAX);
    expect(*state, "0", MCP_METHOD_PING);
    put(*state, "\"a\"", MCP_METHOD_TOOLS_LIST);
    expect(*state, "1", MCP_METHOD_PING);
    put_many(*state, CHECK_PENDING_MAX, 3);
    expect_none(*state, "2");
    expect_none(*state, "3");
    expect(*state, "4", MCP_METHOD_PING);
    expect(*state, "\"a\"", MCP_METHOD_TOOLS_LIST);
}

/* The newest comes first, also after the ring has wrapped around. */
static void test_many_requests_with_one_id(void **state)
{
    for (unsigned i = 0; i < 3 * CHECK_PENDING_MAX; i++) {
        put(*state, "7", i % 2 ? MCP_METHOD_PING : MCP_METHOD_TOOLS_LIST);
        if (i % 64 == 0) {
            expect(*state, "7", i % 2 ? MCP_METHOD_PING : MCP_METHOD_TOOLS_LIST);
        }
    }
    struct pending_fixture *fixture = *state;
    struct jsv_value id = json_fixture_read(fixture->json, "7");
    size_t count = 0;
    while (check_pending_take(fixture->pending, id)) {
        count++;
    }
    assert_in_range(count, CHECK_PENDING_MAX - CHECK_PENDING_MAX / 32, CHECK_PENDING_MAX);
}

static void test_pending_without_memory(void **state)
{
    (void)state;
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_null(check_pending_new());
    fault_disarm();
    check_pending_free(NULL);
}

static void
expect_output(struct json_fixture *fixture, const struct mcp_verdict *verdict, const char *line)
{
    check_output_write(verdict, &fixture->out);
    json_fixture_expect(fixture, line);
}

static void test_valid_as_json(void **state)
{
    struct mcp_verdict verdict = {
        .shape.kind = MCP_KIND_REQUEST,
        .method = mcp_method(MCP_METHOD_TOOLS_LIST),
        .definition = "ListToolsRequest",
    };
    expect_output(
        *state,
        &verdict,
        "{\"ok\":true,\"kind\":\"request\",\"method\":\"tools/list\","
        "\"definition\":\"ListToolsRequest\"}\n");
    verdict.method = NULL;
    verdict.shape.kind = MCP_KIND_RESPONSE;
    verdict.definition = "JSONRPCResponse";
    expect_output(
        *state,
        &verdict,
        "{\"ok\":true,\"kind\":\"response\",\"definition\":\"JSONRPCResponse\"}\n");
    verdict.shape.kind = MCP_KIND_NONE;
    verdict.definition = "Tool";
    expect_output(*state, &verdict, "{\"ok\":true,\"definition\":\"Tool\"}\n");
    verdict = (struct mcp_verdict){.shape.kind = MCP_KIND_BATCH};
    expect_output(*state, &verdict, "{\"ok\":true,\"kind\":\"batch\"}\n");
}

static void test_invalid_as_json(void **state)
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
    expect_output(
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

static void test_text_output(void **state)
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

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define PING_GOOD                                                                                  \
    "{\"ok\":true,\"kind\":\"request\",\"method\":\"ping\",\"definition\":\"PingRequest\"}\n"
#define BAD_JSON                                                                                   \
    "{\"ok\":false,\"layer\":\"json\",\"code\":-32700,\"errors\":[{\"path\":\"\",\"msg\":"
#define TOO_LARGE BAD_JSON "\"payload_too_large\"}]}\n"

static struct check_options options;

static int open_definitions(void **state)
{
    (void)state;
    options.version = MCP_VERSION_2025_06_18;
    return mcp_definitions_new(NULL, &options.definitions, NULL);
}

static int close_definitions(void **state)
{
    (void)state;
    mcp_definitions_free(options.definitions);
    return 0;
}

static void
expect_text(struct json_fixture *fixture, struct jsv_str text, const char *verdicts, bool valid)
{
    struct check_stream *lines = check_stream_new(&options);
    assert_non_null(lines);
    assert_int_equal(check_stream_text(lines, text, &fixture->out), 0);
    json_fixture_expect(fixture, verdicts);
    assert_int_equal(check_stream_counts(lines).invalid == 0, valid);
    check_stream_free(lines);
}

static void
expect_line(struct json_fixture *fixture, const char *text, const char *verdicts, bool valid)
{
    expect_text(fixture, jsv_str_from(text), verdicts, valid);
}

static void test_lines(void **state)
{
    expect_line(*state, "", "", true);
    expect_line(*state, PING, PING_GOOD, true);
    expect_line(*state, PING "\n", PING_GOOD, true);
    expect_line(*state, PING "\r\n\n \t\r\n" PING "\n\n", PING_GOOD PING_GOOD, true);
    expect_line(*state, "  " PING "  \n", PING_GOOD, true);
}

static void test_line_that_is_not_json(void **state)
{
    expect_line(
        *state,
        "{\n" PING "\n\f\n",
        BAD_JSON
        "\"unexpected end of input; expected a member name in double quotes\"}]}\n" PING_GOOD
            BAD_JSON "\"expected a value\"}]}\n",
        false);
    expect_line(
        *state,
        "{\"a\":{\"b\":1,\"b\":2}}\n",
        "{\"ok\":false,\"layer\":\"json\",\"code\":-32700,\"errors\":[{\"path\":\"/a/b\","
        "\"msg\":\"duplicate member name\"}]}\n",
        false);
}

/* The same limit as a server has. */
static void test_line_sizes(void **state)
{
    struct json_fixture *fixture = *state;
    for (size_t extra = 0; extra < 2; extra++) {
        struct jsv_buf *line = json_fixture_buf(fixture);
        jsv_buf_append_str(line, JSV_STR(PING));
        while (line->size < CHECK_LINE_SIZE_MAX + extra) {
            jsv_buf_append_byte(line, ' ');
        }
        jsv_buf_append_str(line, JSV_STR("\r\n" PING "\n"));
        const char *expected = extra ? TOO_LARGE PING_GOOD : PING_GOOD PING_GOOD;
        expect_text(fixture, jsv_buf_str(line), expected, !extra);
    }
}

static void test_line_too_long(void **state)
{
    struct json_fixture *fixture = *state;
    struct check_stream *lines = check_stream_new(&options);
    assert_int_equal(check_stream_counts(lines).invalid, 0);
    assert_int_equal(check_stream_too_long(lines, &fixture->out), 0);
    json_fixture_expect(fixture, TOO_LARGE);
    assert_int_equal(check_stream_counts(lines).invalid, 1);
    check_stream_free(lines);
}

static void test_answers_are_paired(void **state)
{
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    static const char response[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
    static const char good[] = "{\"ok\":true,\"kind\":\"request\",\"method\":\"tools/list\","
                               "\"definition\":\"ListToolsRequest\"}\n";
    static const char bad[] =
        "{\"ok\":false,\"layer\":\"mcp\",\"code\":-32600,\"errors\":[{"
        "\"path\":\"/result\",\"msg\":\"missing property \\\"tools\\\"\"}]}\n";
    static const char any[] =
        "{\"ok\":true,\"kind\":\"response\",\"definition\":\"JSONRPCResponse\"}\n";
    char text[1024];
    char verdicts[1024];
    snprintf(text, sizeof(text), "%s%s%s", request, response, response);
    snprintf(verdicts, sizeof(verdicts), "%s%s%s", good, bad, any);
    expect_line(*state, text, verdicts, false);
}

static void test_one_definition_for_all_lines(void **state)
{
    options.as = "Role";
    assert_int_equal(
        mcp_definitions_find(
            options.definitions, options.version, JSV_STR("Role"), &options.as_schema),
        0);
    expect_line(
        *state,
        "\"user\"\n\"someone\"\n",
        "{\"ok\":true,\"definition\":\"Role\"}\n"
        "{\"ok\":false,\"layer\":\"mcp\",\"code\":-32600,\"errors\":[{\"path\":\"\","
        "\"msg\":\"expected one of \\\"assistant\\\", \\\"user\\\"\"}]}\n",
        false);
    options.as = NULL;
    options.as_schema = NULL;
}

static void test_full_buffer(void **state)
{
    (void)state;
    struct check_stream *lines = check_stream_new(&options);
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 10);
    assert_int_equal(check_stream_text(lines, JSV_STR(PING "\n"), &out), -ENOBUFS);
    jsv_buf_done(&out);
    check_stream_free(lines);
}

static void test_stream_without_memory(void **state)
{
    (void)state;
    unsigned at = 0;
    bool hit;
    do {
        struct jsv_buf out;
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        jsv_buf_init(&out, os_allocator(), 4096);
        struct check_stream *lines = check_stream_new(&options);
        int r = lines ? check_stream_text(lines, JSV_STR("{\n" PING "\n7\n"), &out) : -ENOMEM;
        check_stream_free(lines);
        jsv_buf_done(&out);
        hit = fault.hit;
        assert_int_equal(r, hit ? -ENOMEM : 0);
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
    } while (hit);
    assert_true(at > 5);
}

int main(void)
{
    const struct CMUnitTest check_pending_tests[] = {
        PENDING_TEST(test_lookup_returns_method_and_version),
        PENDING_TEST(test_a_request_is_taken_once),
        PENDING_TEST(test_ids_are_equal_by_value),
        PENDING_TEST(test_later_request_is_answered_first),
        PENDING_TEST(test_long_ids_are_not_kept),
        PENDING_TEST(test_oldest_request_is_dropped),
        PENDING_TEST(test_many_requests_with_one_id),
        cmocka_unit_test(test_pending_without_memory),
    };
    const struct CMUnitTest check_output_tests[] = {
        JSON_TEST(test_valid_as_json),
        JSON_TEST(test_invalid_as_json),
        JSON_TEST(test_text_output),
        cmocka_unit_test(test_error_sticks),
    };
    const struct CMUnitTest check_line_tests[] = {
        JSON_TEST(test_lines),
        JSON_TEST(test_line_that_is_not_json),
        JSON_TEST(test_line_sizes),
        JSON_TEST(test_line_too_long),
        JSON_TEST(test_answers_are_paired),
        JSON_TEST(test_one_definition_for_all_lines),
        cmocka_unit_test(test_full_buffer),
        cmocka_unit_test(test_stream_without_memory),
    };
    int failed = 0;
    failed += cmocka_run_group_tests(check_pending_tests, NULL, NULL);
    failed += cmocka_run_group_tests(check_output_tests, NULL, NULL);
    failed += cmocka_run_group_tests(check_line_tests, open_definitions, close_definitions);
    return failed;
}
