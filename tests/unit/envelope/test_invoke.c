#include "envelope/invoke.h"
#include "unit/envelope/quoted.h"

static const struct jsv_str no_tool = {0};

static void expect(
    struct json_fixture *fixture,
    const char *params,
    struct jsv_str asked,
    const char *tool_id,
    const char *arguments)
{
    struct envelope_invoke invoke = {0};
    struct jsv_problem problem = {0};
    assert_true(envelope_invoke_read(quoted_read(fixture, params), asked, &invoke, &problem));
    assert_true(jsv_str_equal(invoke.tool_id, jsv_str_from(tool_id)));
    assert_true(jsv_str_equal(jsv_value_span(invoke.arguments), quoted(fixture, arguments)));
    assert_null(problem.message.data);
}

static void test_both_ways(void **state)
{
    struct json_fixture *fixture = *state;
    expect(fixture, "{'toolId':'a','arguments':{'q':1}}", no_tool, "a", "{'q':1}");
    expect(fixture, "{'tool':'a','input':{'q':1},'x':1}", no_tool, "a", "{'q':1}");
    expect(fixture, "{'toolId':'a','tool':'\\u0061'}", no_tool, "a", "");
    expect(fixture, "{'arguments':{}}", JSV_STR("b"), "b", "{}");
    expect(fixture, "{'tool':'b','input':{}}", JSV_STR("b"), "b", "{}");
    expect(fixture, "{'toolId':''}", no_tool, "", "");
    expect(fixture, "{'toolId':'a','arguments':{},'input':5}", no_tool, "a", "{}");
}

static void test_problems(void **state)
{
    struct json_fixture *fixture = *state;
    static const struct {
        const char *params;
        const char *asked;
        const char *path;
        const char *message;
    } cases[] = {
        {"{}", NULL, "/toolId", "missing property \"toolId\""},
        {"[]", NULL, "/toolId", "missing property \"toolId\""},
        {"{'toolId':5}", NULL, "/toolId", "expected string"},
        {"{'tool':null}", NULL, "/tool", "expected string"},
        {"{'toolId':'a','tool':'b'}", NULL, "/tool", "differs from the tool requested"},
        {"{'toolId':'a'}", "b", "/toolId", "differs from the tool requested"},
        {"{'toolId':'a','arguments':[]}", NULL, "/arguments", "expected object"},
        {"{'toolId':'a','arguments':null}", NULL, "/arguments", "expected object"},
        {"{'tool':'a','input':'x'}", NULL, "/input", "expected object"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct envelope_invoke invoke = {0};
        struct jsv_problem problem = {0};
        struct jsv_str asked = cases[i].asked ? jsv_str_from(cases[i].asked) : no_tool;
        struct jsv_value params = quoted_read(fixture, cases[i].params);
        assert_false(envelope_invoke_read(params, asked, &invoke, &problem));
        assert_null(invoke.tool_id.data);
        assert_string_equal(problem.path.data, cases[i].path);
        assert_string_equal(problem.message.data, cases[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(test_both_ways),
        JSON_TEST(test_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
