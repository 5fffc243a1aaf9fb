#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "jsv/base/number.h"
#include "support/json_fixture.h"
#include "support/random.h"
#include "support/slowness.h"

static void expect_canon(
    struct json_fixture *fixture, const char *text, enum jsv_canon form, const char *expected)
{
    struct jsv_value value = json_fixture_read(fixture, text);
    assert_int_equal(jsv_canon_write(value, form, &fixture->scratch, &fixture->out, NULL), 0);
    json_fixture_expect(fixture, expected);
}

static void both_forms(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const cases[][2] = {
        {" null ", "null"},
        {"true", "true"},
        {"false", "false"},
        {"[ ]", "[]"},
        {"{ }", "{}"},
        {"\"\\u0041\\/\\u0009\\u001F\\\"\\\\\"", "\"A/\\t\\u001f\\\"\\\\\""},
        {"[3, 1, [ ], {} , 2]", "[3,1,[],{},2]"},
        {"{\"b\":1, \"a\":2, \"\":3, \"B\":4}", "{\"\":3,\"B\":4,\"a\":2,\"b\":1}"},
        {"{\"b\":{\"d\":[{\"z\":1,\"y\":2}],\"c\":3},\"a\":[{\"q\":{},\"p\":4}],\"c\":0}",
         "{\"a\":[{\"p\":4,\"q\":{}}],\"b\":{\"c\":3,\"d\":[{\"y\":2,\"z\":1}]},\"c\":0}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_canon(fixture, cases[i][0], JSV_CANON_UTF8, cases[i][1]);
        expect_canon(fixture, cases[i][0], JSV_CANON_ASCII, cases[i][1]);
    }
}

static void beyond_ascii(void **state)
{
    struct json_fixture *fixture = *state;
    expect_canon(fixture, "\"a\\u007f\"", JSV_CANON_UTF8, "\"a\x7f\"");
    expect_canon(fixture, "\"a\\u007f\"", JSV_CANON_ASCII, "\"a\\u007f\"");
    /* By code point: U+FFFF comes before U+1F600, unlike in UTF-16. */
    const char *text = "{\"\\ud83d\\ude00\":\"\\u20AC\",\"\\uFFFF\":1,\"\\u00e9\":2,\"z\":3}";
    expect_canon(
        fixture,
        text,
        JSV_CANON_UTF8,
        "{\"z\":3,\"\xc3\xa9\":2,\"\xef\xbf\xbf\":1,\"\xf0\x9f\x98\x80\":\"\xe2\x82\xac\"}");
    expect_canon(
        fixture,
        text,
        JSV_CANON_ASCII,
        "{\"z\":3,\"\\u00e9\":2,\"\\uffff\":1,\"\\ud83d\\ude00\":\"\\u20ac\"}");
}

static void numbers(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const cases[][2] = {
        {"0", "0"},
        {"-0", "-0"},
        {"-0.0", "0"},
        {"0e5", "0"},
        {"12", "12"},
        {"-12", "-12"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"1.0", "1"},
        {"1.50", "1.5"},
        {"15e-1", "1.5"},
        {"1E2", "100"},
        {"1e20", "100000000000000000000"},
        {"1e21", "1e+21"},
        {"0.000001", "0.000001"},
        {"0.0000001", "1e-7"},
        {"-1e-7", "-1e-7"},
        {"0.1000000000000000055511151231257827", "0.1"},
        {"9007199254740993.0", "9007199254740992"},
        {"1e-400", "0"},
        {"1.7976931348623157e308", "1.7976931348623157e+308"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        expect_canon(fixture, cases[i][0], JSV_CANON_UTF8, cases[i][1]);
        expect_canon(fixture, cases[i][1], JSV_CANON_ASCII, cases[i][1]);
    }
}

/* Decimals of every length and size, as the printer of doubles has them. */
static void decimals_as_doubles_print(void **state)
{
    static const char no_digits[] = "0000000000";
    uint64_t random = 7;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        char printed[JSV_NUMBER_PRINT_MAX + 1];
        unsigned whole = (unsigned)(random_below(&random, 3) * random_below(&random, 100000));
        int zeros = (int)random_below(&random, 9);
        uint64_t digits = random_next(&random) >> random_below(&random, 60);
        snprintf(text, sizeof(text), "%u.%.*s%" PRIu64, whole, zeros, no_digits, digits);
        printed[jsv_number_print(strtod(text, NULL), printed)] = '\0';
        expect_canon(*state, text, JSV_CANON_UTF8, printed);
    }
}

static void numbers_out_of_range(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value value = json_fixture_read(fixture, "{\"a\":[1,{\"b\":-1e400}],\"c\":1e999}");
    struct jsv_value fault = {0};
    int r = jsv_canon_write(value, JSV_CANON_UTF8, &fixture->scratch, &fixture->out, &fault);
    assert_int_equal(r, -ERANGE);
    assert_true(jsv_str_equal(jsv_value_span(fault), JSV_STR("-1e400")));
    r = jsv_canon_write(value, JSV_CANON_UTF8, &fixture->scratch, &fixture->out, NULL);
    assert_int_equal(r, -ERANGE);
}

static void nothing_is_null(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value none = {0};
    int r = jsv_canon_write(none, JSV_CANON_UTF8, &fixture->scratch, &fixture->out, NULL);
    assert_int_equal(r, 0);
    json_fixture_expect(fixture, "null");
}

/* Earlier contents of the buffer do not count, even if a comma seems due behind them. */
static void appends(void **state)
{
    struct json_fixture *fixture = *state;
    jsv_buf_append_str(&fixture->out, JSV_STR("req:x"));
    expect_canon(fixture, "[1, 2]", JSV_CANON_ASCII, "req:x[1,2]");
}

static void the_ceiling(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value value = json_fixture_read(fixture, "{\"b\":[1.5,\"\\n\"],\"a\":{}}");
    const size_t needed = JSV_STR("{\"a\":{},\"b\":[1.5,\"\\n\"]}").size;
    struct jsv_value fault = {0};
    for (size_t size_max = 0; size_max <= needed; size_max++) {
        struct jsv_buf small;
        jsv_buf_init(&small, NULL, size_max);
        int r = jsv_canon_write(value, JSV_CANON_UTF8, &fixture->scratch, &small, &fault);
        assert_int_equal(r, size_max < needed ? -ENOBUFS : 0);
        jsv_buf_done(&small);
    }
    assert_null(fault.node);
}

static int write_canon(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    return jsv_canon_write(
        *(const struct jsv_value *)data, JSV_CANON_UTF8, scratch, &fixture->out, NULL);
}

static void memory_runs_out(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value value = json_fixture_read(
        fixture, "{\"b\":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]],\"a\":{\"d\":0,\"c\":{}}}");
    assert_int_equal(json_fixture_starve(fixture, write_canon, &value), 0);
    json_fixture_expect(
        fixture, "{\"a\":{\"c\":{},\"d\":0},\"b\":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}");
}

static void depth_costs_no_stack(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value value = json_fixture_read_nested(fixture, "{\"b\": ", "2", ",\"a\": 1}");
    assert_int_equal(json_fixture_on_small_stack(fixture, write_canon, &value), 0);
    assert_int_equal(
        fixture->out.size, JSON_FIXTURE_DEPTH_MAX * JSV_STR("{\"a\":1,\"b\":}").size + 1);
}

static void large_objects(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *text = json_fixture_buf(fixture);
    struct jsv_buf *expected = json_fixture_buf(fixture);
    for (int i = 0; i < 100000; i++) {
        json_fixture_print(text, "%c\"a common start %06d\":1", i ? ',' : '{', 99999 - i);
        json_fixture_print(expected, "%c\"a common start %06d\":1", i ? ',' : '{', i);
    }
    jsv_buf_append_byte(text, '}');
    jsv_buf_append_str(expected, (struct jsv_str){"}", 2});
    struct jsv_value value = json_fixture_read_str(fixture, jsv_buf_str(text), 0);
    double start = cpu_seconds();
    int r = jsv_canon_write(value, JSV_CANON_UTF8, &fixture->scratch, &fixture->out, NULL);
    assert_int_equal(r, 0);
    assert_true(cpu_seconds() - start < 1.0 * SLOWNESS);
    json_fixture_expect(fixture, expected->data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(both_forms),
        JSON_TEST(beyond_ascii),
        JSON_TEST(numbers),
        JSON_TEST(decimals_as_doubles_print),
        JSON_TEST(numbers_out_of_range),
        JSON_TEST(nothing_is_null),
        JSON_TEST(appends),
        JSON_TEST(the_ceiling),
        JSON_TEST(memory_runs_out),
        JSON_TEST(depth_costs_no_stack),
        JSON_TEST(large_objects),
    };
    return cmocka_run_group_tests_name("json/canon", tests, NULL, NULL);
}
