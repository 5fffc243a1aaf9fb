#define _GNU_SOURCE /* nftw() */
#include "unit/tools/calling.h"

static void test_as_it_is_spelled(void **state)
{
    (void)state;
    fixture_write(
        "schemas/a.schema.json",
        "{ 'z': 1.50,\n 'version': '2', 'a': [12345678901234567890, 1E3], 'n': '\\u0041/' }\n");
    calling_run(
        "get_schema",
        "{'name': 'a'}",
        TOOL_VERDICT_OK,
        "{'ok':true,'schema':{'z':1.50,'version':'2','a':[12345678901234567890,1E3],"
        "'n':'\\u0041/'},'version':'2'}");
}

static void test_boolean_schema(void **state)
{
    (void)state;
    fixture_write("schemas/all.schema.json", "true");
    calling_run(
        "get_schema", "{'name': 'all'}", TOOL_VERDICT_OK, "{'ok':true,'schema':true,'version':''}");
}

static void test_not_found(void **state)
{
    (void)state;
    static const char *const names[] = {"b", "A", "a.schema.json", "sub/a", "%2e%2e/a", "./a"};
    fixture_write("schemas/a.schema.json", "{}");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char arguments[64];
        snprintf(arguments, sizeof(arguments), "{'name': '%s'}", names[i]);
        calling_run(
            "get_schema", arguments, TOOL_VERDICT_FAILED, "{'ok':false,'reason':'not_found'}");
    }
}

static void test_invalid_path(void **state)
{
    (void)state;
    static const char *const names[] = {"", "/", "/etc/passwd", "..", "a/..", "./../a", "a\\u0000"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char arguments[64];
        snprintf(arguments, sizeof(arguments), "{'name': '%s'}", names[i]);
        calling_run(
            "get_schema",
            arguments,
            TOOL_VERDICT_FAILED,
            "{'ok':false,'reason':'validation_failed',"
            "'errors':[{'path':'/name','msg':'invalid_path'}]}");
    }
}

static void test_answer_has_a_limit(void **state)
{
    (void)state;
    fixture_write("schemas/a.schema.json", "{'title': 'longer than the buffer has room for'}");
    calling_start("get_schema", "{'name': 'a'}");
    jsv_buf_done(&calling.out);
    jsv_buf_init(&calling.out, NULL, 40);
    assert_int_equal(tool_run(&calling.call), -ENOBUFS);
}

static void test_takes_a_string(void **state)
{
    (void)state;
    calling_refuse("get_schema", "{}");
    calling_refuse("get_schema", "{'name': 5}");
    calling_refuse("get_schema", "{'name': 'a', 'x': 1}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CALLING_TEST(test_as_it_is_spelled),
        CALLING_TEST(test_boolean_schema),
        CALLING_TEST(test_not_found),
        CALLING_TEST(test_invalid_path),
        CALLING_TEST(test_answer_has_a_limit),
        CALLING_TEST(test_takes_a_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
