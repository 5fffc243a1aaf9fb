#include <errno.h>

#include "support/json_fixture.h"
#include "support/patch.h"
#include "support/slowness.h"

#define ADD(path, value)     "{\"op\":\"add\",\"path\":\"" path "\",\"value\":" value "}"
#define REMOVE(path)         "{\"op\":\"remove\",\"path\":\"" path "\"}"
#define REPLACE(path, value) "{\"op\":\"replace\",\"path\":\"" path "\",\"value\":" value "}"

/* The patch is as expected, and applying it to base gives target. */
static void
expect_patch(struct json_fixture *fixture, const char *base, const char *target, const char *patch)
{
    struct jsv_value before = json_fixture_read(fixture, base);
    struct jsv_value after = json_fixture_read(fixture, target);
    assert_int_equal(jsv_diff_write(before, after, &fixture->scratch, &fixture->out), 0);
    json_fixture_expect(fixture, patch);

    struct jsv_value operations = json_fixture_read(fixture, patch);
    assert_true(patch_apply(before, operations, &fixture->out));
    struct jsv_value result = json_fixture_read_str(fixture, jsv_buf_str(&fixture->out), 0);
    assert_int_equal(jsv_value_equal(result, after, &fixture->scratch), 1);
    jsv_buf_reset(&fixture->out);
}

static void equal_values_have_no_differences(void **state)
{
    struct json_fixture *fixture = *state;
    expect_patch(fixture, "{}", "{ }", "[]");
    expect_patch(fixture, "1", "1.0", "[]");
    expect_patch(fixture, "[1,{\"a\":1,\"b\":2}]", "[1.0,{\"b\":2,\"a\":1}]", "[]");
    expect_patch(
        fixture,
        "{\"a\":{\"b\":[1,2],\"c\":{}},\"d\":\"x\"}",
        "{\"d\":\"\\u0078\",\"a\":{\"c\":{},\"b\":[1.0,2e0]}}",
        "[]");
}

static void members(void **state)
{
    struct json_fixture *fixture = *state;
    expect_patch(fixture, "{}", "{\"a\":1}", "[" ADD("/a", "1") "]");
    expect_patch(fixture, "{\"a\":1}", "{}", "[" REMOVE("/a") "]");
    expect_patch(fixture, "{\"a\":1}", "{\"a\":2}", "[" REPLACE("/a", "2") "]");
    expect_patch(fixture, "{\"a\":1}", "{\"b\":1}", "[" REMOVE("/a") "," ADD("/b", "1") "]");
    expect_patch(fixture, "{\"b\":1}", "{\"a\":1}", "[" ADD("/a", "1") "," REMOVE("/b") "]");
    expect_patch(
        fixture,
        "{\"z\":1,\"keep\":[],\"m\":{\"x\":1,\"y\":2}}",
        "{\"m\":{\"y\":3,\"w\":4},\"keep\":[],\"a\":null}",
        "[" ADD("/a", "null") "," ADD("/m/w", "4") "," REMOVE("/m/x") "," REPLACE(
            "/m/y", "3") "," REMOVE("/z") "]");
}

static void anything_else_is_replaced_whole(void **state)
{
    struct json_fixture *fixture = *state;
    expect_patch(fixture, "{\"a\":[1,2]}", "{\"a\":[1]}", "[" REPLACE("/a", "[1]") "]");
    expect_patch(fixture, "{\"a\":true}", "{\"a\":1}", "[" REPLACE("/a", "1") "]");
    expect_patch(fixture, "{\"a\":{\"b\":1}}", "{\"a\":[]}", "[" REPLACE("/a", "[]") "]");
    expect_patch(fixture, "{\"a\":[]}", "{\"a\":{}}", "[" REPLACE("/a", "{}") "]");
    expect_patch(fixture, "[{\"a\":1}]", "[{\"a\":2}]", "[" REPLACE("", "[{\"a\":2}]") "]");
    expect_patch(fixture, "{}", "[]", "[" REPLACE("", "[]") "]");
    expect_patch(fixture, "null", "{\"a\":1}", "[" REPLACE("", "{\"a\":1}") "]");
    expect_patch(fixture, "1", "\"1\"", "[" REPLACE("", "\"1\"") "]");
}

static void values_keep_their_spelling(void **state)
{
    struct json_fixture *fixture = *state;
    expect_patch(
        fixture,
        "{}",
        "{ \"k\" : { \"\\u0061\" : [ 1.50 , -0 ] } }",
        "[" ADD("/k", "{\"\\u0061\":[1.50,-0]}") "]");
}

static void paths_are_escaped(void **state)
{
    struct json_fixture *fixture = *state;
    expect_patch(fixture, "{}", "{\"\":1}", "[" ADD("/", "1") "]");
    expect_patch(
        fixture,
        "{\"~/\":{\"\\\"\":1},\"\\u00e9\":1}",
        "{\"~/\":{\"\\\"\":2,\"\\n\":3,\"\\u0000\":4}}",
        "[" ADD("/~0~1/\\u0000", "4") "," ADD("/~0~1/\\n", "3") "," REPLACE(
            "/~0~1/\\\"", "2") "," REMOVE("/\xc3\xa9") "]");
}

/* By bytes of the whole path, which is not the order of the names level by level. */
static void sorted_by_path(void **state)
{
    struct json_fixture *fixture = *state;
    expect_patch(
        fixture,
        "{\"a\":{\"x\":1},\"a!\":1,\"a0\":1}",
        "{\"a\":{\"x\":2},\"a!\":2,\"a0\":2}",
        "[" REPLACE("/a!", "2") "," REPLACE("/a/x", "2") "," REPLACE("/a0", "2") "]");
    expect_patch(
        fixture,
        "{\"a\":1,\"a!\":{\"x\":1,\"\":1},\"a!!\":1,\"a!0\":1}",
        "{\"a\":2,\"a!\":{\"x\":2,\"\":2},\"a!!\":2,\"a!0\":2}",
        "[" REPLACE("/a", "2") "," REPLACE("/a!!", "2") "," REPLACE("/a!/", "2") "," REPLACE(
            "/a!/x", "2") "," REPLACE("/a!0", "2") "]");
    /* Escaped, '/' comes behind '~', and both behind the letters. */
    expect_patch(
        fixture,
        "{}",
        "{\"a/\":1,\"a0\":2,\"a~\":3,\"a\\u007f\":4,\"a/b/c\":5}",
        "[" ADD("/a0", "2") "," ADD("/a~0", "3") "," ADD("/a~1", "1") "," ADD(
            "/a~1b~1c", "5") "," ADD("/a\x7f", "4") "]");
}

static void what_is_missing_counts_as_an_empty_object(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value none = {0};
    struct jsv_value object = json_fixture_read(fixture, "{\"a\":1}");
    struct jsv_value scalar = json_fixture_read(fixture, "1");
    struct jsv_arena *scratch = &fixture->scratch;
    assert_int_equal(jsv_diff_write(none, none, scratch, &fixture->out), 0);
    json_fixture_expect(fixture, "[]");
    assert_int_equal(jsv_diff_write(none, object, scratch, &fixture->out), 0);
    json_fixture_expect(fixture, "[" ADD("/a", "1") "]");
    assert_int_equal(jsv_diff_write(object, none, scratch, &fixture->out), 0);
    json_fixture_expect(fixture, "[" REMOVE("/a") "]");
    assert_int_equal(jsv_diff_write(none, scalar, scratch, &fixture->out), 0);
    json_fixture_expect(fixture, "[" REPLACE("", "1") "]");
    assert_int_equal(jsv_diff_write(scalar, none, scratch, &fixture->out), 0);
    json_fixture_expect(fixture, "[" REPLACE("", "{}") "]");
}

static int write_diff(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    const struct jsv_value *pair = data;
    return jsv_diff_write(pair[0], pair[1], scratch, &fixture->out);
}

static void memory_runs_out(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value pair[] = {
        json_fixture_read(
            fixture, "{\"a\":[{\"p\":[],\"q\":1}],\"b/\":1,\"c\":{\"d\":{\"e\":1}},\"f\":0}"),
        json_fixture_read(
            fixture, "{\"c\":{\"d\":{\"g\":2}},\"a\":[{\"q\":1,\"p\":[]}],\"b/\":2,\"h~\":3}"),
    };
    assert_int_equal(json_fixture_starve(fixture, write_diff, pair), 0);
    json_fixture_expect(
        fixture,
        "[" REPLACE("/b~1", "2") "," REMOVE("/c/d/e") "," ADD("/c/d/g", "2") "," REMOVE(
            "/f") "," ADD("/h~0", "3") "]");
    struct jsv_value larger[] = {
        json_fixture_read(
            fixture,
            "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":0}"),
        json_fixture_read(
            fixture,
            "{\"j\":0,\"i\":9,\"h\":8,\"g\":7,\"f\":6,\"e\":5,\"d\":4,\"c\":3,\"b\":2,\"a\":0}"),
    };
    assert_int_equal(json_fixture_starve(fixture, write_diff, larger), 0);
    json_fixture_expect(fixture, "[" REPLACE("/a", "0") "]");
    struct jsv_value roots[] = {
        json_fixture_read(fixture, "[{\"a\":1,\"b\":2}]"),
        json_fixture_read(fixture, "[{\"b\":2,\"a\":1}]"),
    };
    assert_int_equal(json_fixture_starve(fixture, write_diff, roots), 0);
    json_fixture_expect(fixture, "[]");
}

static void the_ceiling(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const pairs[][3] = {
        {"{\"a\":{\"b\":1}}", "{\"a\":{\"c\":2}}", "[" REMOVE("/a/b") "," ADD("/a/c", "2") "]"},
        {"1", "2", "[" REPLACE("", "2") "]"},
        {"1", "1", "[]"},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct jsv_value base = json_fixture_read(fixture, pairs[i][0]);
        struct jsv_value target = json_fixture_read(fixture, pairs[i][1]);
        size_t needed = jsv_str_from(pairs[i][2]).size;
        for (size_t size_max = 0; size_max <= needed; size_max++) {
            struct jsv_buf small;
            jsv_buf_init(&small, NULL, size_max);
            int r = jsv_diff_write(base, target, &fixture->scratch, &small);
            assert_int_equal(r, size_max < needed ? -ENOBUFS : 0);
            jsv_buf_done(&small);
        }
    }
}

static void depth_costs_no_stack(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value pair[] = {
        json_fixture_read_nested(fixture, "{\"a\":", "1", "}"),
        json_fixture_read_nested(fixture, "{\"a\":", "2", "}"),
    };
    assert_int_equal(json_fixture_on_small_stack(fixture, write_diff, pair), 0);
    assert_int_equal(
        fixture->out.size,
        JSV_STR("[" REPLACE("", "2") "]").size + 2 * (size_t)JSON_FIXTURE_DEPTH_MAX);
}

/* A hundred thousand members, all of them changed, in reverse order. */
static void large_objects(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *before = json_fixture_buf(fixture);
    struct jsv_buf *after = json_fixture_buf(fixture);
    for (int i = 0; i < 100000; i++) {
        char separator = i ? ',' : '{';
        json_fixture_print(before, "%c\"a common start %06d\":{\"v\":1}", separator, i);
        json_fixture_print(after, "%c\"a common start %06d\":{\"v\":2}", separator, 99999 - i);
    }
    jsv_buf_append_byte(before, '}');
    jsv_buf_append_byte(after, '}');
    struct jsv_value base = json_fixture_read_str(fixture, jsv_buf_str(before), 0);
    struct jsv_value target = json_fixture_read_str(fixture, jsv_buf_str(after), 0);

    double start = cpu_seconds();
    struct jsv_buf *text = json_fixture_buf(fixture);
    assert_int_equal(jsv_diff_write(base, target, &fixture->scratch, text), 0);
    struct jsv_value patch = json_fixture_read_str(fixture, jsv_buf_str(text), 0);
    assert_int_equal(jsv_value_count(patch), 100000);
    assert_true(cpu_seconds() - start < 3.0 * SLOWNESS);
}

/* Comparing many arrays takes the memory for one. */
static void many_arrays(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *before = json_fixture_buf(fixture);
    struct jsv_buf *after = json_fixture_buf(fixture);
    for (int i = 0; i < 10000; i++) {
        json_fixture_print(before, "%c\"%d\":[{\"a\":1,\"b\":[]}]", i ? ',' : '{', i);
        json_fixture_print(after, "%c\"%d\":[{\"b\":[],\"a\":1}]", i ? ',' : '{', i);
    }
    jsv_buf_append_byte(before, '}');
    jsv_buf_append_byte(after, '}');
    struct jsv_value base = json_fixture_read_str(fixture, jsv_buf_str(before), 0);
    struct jsv_value target = json_fixture_read_str(fixture, jsv_buf_str(after), 0);
    assert_int_equal(jsv_diff_write(base, target, &fixture->scratch, &fixture->out), 0);
    json_fixture_expect(fixture, "[]");
    assert_in_range(fixture->scratch.held, 1, 2 * 1024 * 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(equal_values_have_no_differences),
        JSON_TEST(members),
        JSON_TEST(anything_else_is_replaced_whole),
        JSON_TEST(values_keep_their_spelling),
        JSON_TEST(paths_are_escaped),
        JSON_TEST(sorted_by_path),
        JSON_TEST(what_is_missing_counts_as_an_empty_object),
        JSON_TEST(memory_runs_out),
        JSON_TEST(the_ceiling),
        JSON_TEST(depth_costs_no_stack),
        JSON_TEST(large_objects),
        JSON_TEST(many_arrays),
    };
    return cmocka_run_group_tests_name("json/diff", tests, NULL, NULL);
}
