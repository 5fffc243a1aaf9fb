#include <errno.h>
#include <stdio.h>

#include "cli/check_line.h"
#include "support/json_fixture.h"
#include "unit/os/fault.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"
#define PING_GOOD                                                                                  \
    "{\"ok\":true,\"kind\":\"request\",\"method\":\"ping\",\"definition\":\"PingRequest\"}\n"
#define BAD_JSON                                                                                   \
    "{\"ok\":false,\"layer\":\"json\",\"code\":-32700,\"errors\":[{\"path\":\"\",\"msg\":"
#define TOO_LARGE BAD_JSON "\"payload_too_large\"}]}\n"

static struct check_line_options options;

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
    struct check_lines *lines = check_lines_new(&options);
    assert_non_null(lines);
    assert_int_equal(check_lines_text(lines, text, &fixture->out), 0);
    json_fixture_expect(fixture, verdicts);
    assert_int_equal(check_lines_counts(lines).invalid == 0, valid);
    check_lines_free(lines);
}

static void expect(struct json_fixture *fixture, const char *text, const char *verdicts, bool valid)
{
    expect_text(fixture, jsv_str_from(text), verdicts, valid);
}

static void test_lines(void **state)
{
    expect(*state, "", "", true);
    expect(*state, PING, PING_GOOD, true);
    expect(*state, PING "\n", PING_GOOD, true);
    expect(*state, PING "\r\n\n \t\r\n" PING "\n\n", PING_GOOD PING_GOOD, true);
    expect(*state, "  " PING "  \n", PING_GOOD, true);
}

static void test_no_json(void **state)
{
    expect(
        *state,
        "{\n" PING "\n\f\n",
        BAD_JSON
        "\"unexpected end of input; expected a member name in double quotes\"}]}\n" PING_GOOD
            BAD_JSON "\"expected a value\"}]}\n",
        false);
    expect(
        *state,
        "{\"a\":{\"b\":1,\"b\":2}}\n",
        "{\"ok\":false,\"layer\":\"json\",\"code\":-32700,\"errors\":[{\"path\":\"/a/b\","
        "\"msg\":\"duplicate member name\"}]}\n",
        false);
}

/* A server takes as much and no more. */
static void test_sizes(void **state)
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

static void test_too_long(void **state)
{
    struct json_fixture *fixture = *state;
    struct check_lines *lines = check_lines_new(&options);
    assert_int_equal(check_lines_counts(lines).invalid, 0);
    assert_int_equal(check_lines_too_long(lines, &fixture->out), 0);
    json_fixture_expect(fixture, TOO_LARGE);
    assert_int_equal(check_lines_counts(lines).invalid, 1);
    check_lines_free(lines);
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
    expect(*state, text, verdicts, false);
}

static void test_as(void **state)
{
    options.as = "Role";
    assert_int_equal(
        mcp_definitions_find(
            options.definitions, options.version, JSV_STR("Role"), &options.as_schema),
        0);
    expect(
        *state,
        "\"user\"\n\"nobody\"\n",
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
    struct check_lines *lines = check_lines_new(&options);
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 10);
    assert_int_equal(check_lines_text(lines, JSV_STR(PING "\n"), &out), -ENOBUFS);
    jsv_buf_done(&out);
    check_lines_free(lines);
}

static void test_no_memory(void **state)
{
    (void)state;
    unsigned at = 0;
    bool hit;
    do {
        struct jsv_buf out;
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        jsv_buf_init(&out, os_allocator(), 4096);
        struct check_lines *lines = check_lines_new(&options);
        int r = lines ? check_lines_text(lines, JSV_STR("{\n" PING "\n7\n"), &out) : -ENOMEM;
        check_lines_free(lines);
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
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_lines),
        JSON_TEST(test_no_json),
        JSON_TEST(test_sizes),
        JSON_TEST(test_too_long),
        JSON_TEST(test_answers_are_paired),
        JSON_TEST(test_as),
        cmocka_unit_test(test_full_buffer),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, open_definitions, close_definitions);
}
