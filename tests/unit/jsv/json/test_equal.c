#include <errno.h>

#include "support/json_fixture.h"
#include "support/slowness.h"

static int equal(struct json_fixture *fixture, const char *a, const char *b)
{
    return jsv_value_equal(
        json_fixture_read(fixture, a), json_fixture_read(fixture, b), &fixture->scratch);
}

static void equal_values(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const pairs[][2] = {
        {"null", " null "},
        {"true", "true"},
        {"false", "false"},
        {"1", "1.0"},
        {"1", "10e-1"},
        {"1", "1"},
        {"-1.5e3", "-1.5e3"},
        {"0", "-0.0e5"},
        {"123456789012345678901234567890", "123456789012345678901234567890"},
        {"123456789012345678901234567890", "12345678901234567890123456789e1"},
        {"\"a\"", "\"\\u0061\""},
        {"\"longer than a word\"", "\"longer than a w\\u006frd\""},
        {"[]", "[ ]"},
        {"{}", "{ }"},
        {"[1,[2,{\"a\":3}]]", "[1.0,[2.0,{\"\\u0061\":3.0}]]"},
        {"{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}"},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"},
        {"{\"a\":[0],\"b\":2,\"c\":3}", "{\"a\":[0],\"c\":3,\"b\":2}"},
        {"{\"a\":{\"x\":1,\"y\":[2,{\"p\":3,\"q\":4}]},\"b\":[{\"m\":5,\"n\":6}]}",
         "{\"b\":[{\"n\":6,\"m\":5}],\"a\":{\"y\":[2,{\"q\":4,\"p\":3}],\"x\":1}}"},
        {"[{\"a\":[],\"b\":{}},{\"c\":1}]", "[{\"b\":{},\"a\":[]},{\"c\":1}]"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_int_equal(equal(fixture, pairs[i][0], pairs[i][1]), 1);
        assert_int_equal(equal(fixture, pairs[i][1], pairs[i][0]), 1);
    }
}

static void different_values(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const pairs[][2] = {
        {"null", "false"},
        {"true", "false"},
        {"true", "1"},
        {"0", "false"},
        {"\"\"", "null"},
        {"1", "\"1\""},
        {"1", "-1"},
        {"1e5", "1e6"},
        {"123456789012345678901234567890", "123456789012345678901234567891"},
        {"9007199254740993", "9007199254740992"},
        {"9007199254740993", "9007199254740993.00000000000000000001"},
        {"\"a\"", "\"b\""},
        {"\"a\"", "\"a\\u0000\""},
        {"\"longer than a word\"", "\"longer than a wird\""},
        {"[]", "{}"},
        {"[1]", "[]"},
        {"[1,2]", "[2,1]"},
        {"[[],1]", "[[1]]"},
        {"[[1],[]]", "[[],[1]]"},
        {"{\"a\":1}", "{\"b\":1}"},
        {"{\"a\":1}", "{\"a\":2}"},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}"},
        {"{\"a\":1,\"b\":2}", "{\"b\":1,\"a\":2}"},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"c\":1}"},
        {"{\"a\":[1],\"b\":2}", "{\"b\":2,\"a\":[2]}"},
        {"{\"a\":[1],\"b\":[2]}", "{\"b\":[3],\"a\":[1]}"},
        {"{\"a\":[1],\"b\":[2]}", "{\"b\":[2],\"a\":[3]}"},
        {"{\"a\":[1],\"b\":2}", "{\"b\":2,\"a\":[1,1]}"},
        {"{\"a\":{\"x\":1,\"y\":2},\"b\":2}", "{\"b\":2,\"a\":{\"y\":1,\"x\":2}}"},
        {"[{\"a\":1,\"b\":2},3]", "[{\"b\":2,\"a\":1},4]"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_int_equal(equal(fixture, pairs[i][0], pairs[i][1]), 0);
        assert_int_equal(equal(fixture, pairs[i][1], pairs[i][0]), 0);
    }
}

static void nothing_equals_only_nothing(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value none = {0};
    struct jsv_value null = json_fixture_read(fixture, "null");
    assert_int_equal(jsv_value_equal(none, none, &fixture->scratch), 1);
    assert_int_equal(jsv_value_equal(none, null, &fixture->scratch), 0);
    assert_int_equal(jsv_value_equal(null, none, &fixture->scratch), 0);
}

/* In agreement, values of any size are compared without memory. */
static void same_order_needs_no_memory(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value a = json_fixture_read(fixture, "{\"a\":[{\"b\":1,\"c\":[]}],\"d\":{}}");
    struct jsv_value b = json_fixture_read(fixture, "{\"a\":[{\"b\":1,\"c\":[]}],\"d\":{}}");
    struct jsv_arena nothing;
    jsv_arena_init(&nothing, NULL, 0);
    assert_int_equal(jsv_value_equal(a, b, &nothing), 1);
}

static int compare_pair(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    const struct jsv_value *pair = data;
    return jsv_value_equal(pair[0], pair[1], scratch);
}

static void memory_runs_out(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value pair[] = {
        json_fixture_read(fixture, "{\"a\":[1],\"b\":{\"c\":[2],\"d\":3}}"),
        json_fixture_read(fixture, "{\"b\":{\"d\":3,\"c\":[2]},\"a\":[1]}"),
    };
    assert_int_equal(json_fixture_starve(fixture, compare_pair, pair), 1);
    struct jsv_value larger[] = {
        json_fixture_read(
            fixture,
            "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":0}"),
        json_fixture_read(
            fixture,
            "{\"j\":0,\"i\":9,\"h\":8,\"g\":7,\"f\":6,\"e\":5,\"d\":4,\"c\":3,\"b\":2,\"a\":1}"),
    };
    assert_int_equal(json_fixture_starve(fixture, compare_pair, larger), 1);
}

static void depth_costs_no_stack(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value pair[] = {
        json_fixture_read_nested(fixture, "{\"a\":1,\"b\":", "2", "}"),
        json_fixture_read_nested(fixture, "{\"b\":", "2.0", ",\"a\":1}"),
    };
    assert_int_equal(json_fixture_on_small_stack(fixture, compare_pair, pair), 1);
}

static struct jsv_value read_many(struct json_fixture *fixture, int first, int last, int step)
{
    struct jsv_buf *text = json_fixture_buf(fixture);
    for (int i = first; i != last + step; i += step) {
        json_fixture_print(
            text, "%c\"a common start %06d\":{\"v\":%d}", i == first ? '{' : ',', i, i);
    }
    jsv_buf_append_byte(text, '}');
    return json_fixture_read_str(fixture, jsv_buf_str(text), 0);
}

/* Quadratic work would take minutes here. */
static void large_objects_in_reverse_order(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value up = read_many(fixture, 0, 99999, 1);
    struct jsv_value down = read_many(fixture, 99999, 0, -1);
    struct jsv_value shifted = read_many(fixture, 100000, 1, -1);
    double start = cpu_seconds();
    assert_int_equal(jsv_value_equal(up, down, &fixture->scratch), 1);
    assert_int_equal(jsv_value_equal(up, shifted, &fixture->scratch), 0);
    assert_true(cpu_seconds() - start < 1.0 * SLOWNESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(equal_values),
        JSON_TEST(different_values),
        JSON_TEST(nothing_equals_only_nothing),
        JSON_TEST(same_order_needs_no_memory),
        JSON_TEST(memory_runs_out),
        JSON_TEST(depth_costs_no_stack),
        JSON_TEST(large_objects_in_reverse_order),
    };
    return cmocka_run_group_tests_name("json/equal", tests, NULL, NULL);
}
