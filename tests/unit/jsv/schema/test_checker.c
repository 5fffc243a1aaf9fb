#include <string.h>

#include <jsv/schema.h>

#include "support/json_fixture.h"
#include "support/torture.h"

static const struct jsv_str schema = {"{\"properties\":{\"n\":{\"maximum\":60}}}", 35};

static void tells_valid_from_invalid(void **state)
{
    (void)state;
    struct jsv_checker *checker = jsv_checker_new(NULL, schema, NULL);
    struct jsv_problems problems;
    assert_int_equal(jsv_checker_status(checker, NULL), 0);
    assert_int_equal(jsv_check(checker, JSV_STR("{\"n\":60}"), &problems), 1);
    assert_int_equal(problems.count, 0);
    assert_int_equal(jsv_check(checker, JSV_STR("{\"n\":61}"), &problems), 0);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0].message.data, "must be at most 60");
    assert_int_equal(problems.items[0].kind, JSV_PROBLEM_TOO_LARGE);
    assert_int_equal(problems.items[0].offset, 5);
    assert_int_equal(jsv_check(checker, JSV_STR("{\"n\":61}"), NULL), 0);
    jsv_checker_free(checker);
}

static void a_text_that_is_not_json_is_a_problem(void **state)
{
    (void)state;
    struct jsv_checker *checker = jsv_checker_new(NULL, schema, NULL);
    struct jsv_problems problems;
    assert_int_equal(jsv_check(checker, JSV_STR("{\"n\":}"), &problems), 0);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0].message.data, "expected a value");
    assert_int_equal(problems.items[0].kind, JSV_PROBLEM_NOT_JSON);
    assert_int_equal(problems.items[0].offset, 5);
    assert_true(jsv_str_equal(problems.items[0].path, JSV_STR("/n")));
    assert_int_equal(jsv_check(checker, JSV_STR("{\"n\":"), NULL), 0);
    jsv_checker_free(checker);
}

static void a_bad_schema_checks_nothing(void **state)
{
    (void)state;
    static const struct {
        struct jsv_str text;
        size_t line;
        size_t column;
        const char *message;
    } cases[] = {
        {{"{\"type\":\n \"strin\"}", 18},
         2,
         2,
         "expected one of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", "
         "\"string\""},
        {{"{\n", 2}, 1, 2, "unexpected end of input; expected a member name in double quotes"},
        {{"{\"$ref\":\"http://h/x\"}", 21}, 1, 9, "cannot find http://h/x"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_checker *checker = jsv_checker_new(NULL, cases[i].text, NULL);
        struct jsv_error error = {0};
        assert_int_equal(jsv_check(checker, JSV_STR("1"), NULL), JSV_BAD_TEXT);
        assert_int_equal(jsv_checker_status(checker, &error), JSV_BAD_TEXT);
        assert_string_equal(error.message.data, cases[i].message);
        assert_int_equal(error.line, cases[i].line);
        assert_int_equal(error.column, cases[i].column);
        jsv_checker_free(checker);
    }
}

static void options_count(void **state)
{
    (void)state;
    /* a caller whose struct ends before assert_content, which is not looked at */
    struct jsv_schema_options options = {
        .struct_size = offsetof(struct jsv_schema_options, assert_content),
        .assert_format = true,
        .assert_content = true,
    };
    struct jsv_str text =
        JSV_STR("{\"$schema\":\"http://json-schema.org/draft-07/schema\",\"format\":\"date\","
                "\"contentEncoding\":\"base64\"}");
    struct jsv_checker *checker = jsv_checker_new(NULL, text, &options);
    assert_int_equal(jsv_check(checker, JSV_STR("\"2024-02-29\""), NULL), 1);
    assert_int_equal(jsv_check(checker, JSV_STR("\"2023-02-29\""), NULL), 0);
    jsv_checker_free(checker);
}

static int check_once(const struct jsv_allocator *allocator, void *context)
{
    (void)context;
    struct jsv_problems problems;
    struct jsv_checker *checker = jsv_checker_new(allocator, schema, NULL);
    int r = jsv_check(checker, JSV_STR("{\"n\":61}"), &problems);
    jsv_checker_free(checker);
    return r;
}

static void memory_that_runs_out(void **state)
{
    (void)state;
    assert_int_equal(jsv_check(NULL, JSV_STR("1"), NULL), JSV_NO_MEMORY);
    assert_true(torture_run(check_once, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_valid_from_invalid),
        cmocka_unit_test(a_text_that_is_not_json_is_a_problem),
        cmocka_unit_test(a_bad_schema_checks_nothing),
        cmocka_unit_test(options_count),
        cmocka_unit_test(memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
