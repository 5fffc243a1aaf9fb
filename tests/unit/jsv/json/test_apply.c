#include <errno.h>

#include "support/json_fixture.h"

static int apply(struct json_fixture *fixture, const char *base, const char *patch)
{
    return jsv_diff_apply(
        json_fixture_read(fixture, base),
        json_fixture_read(fixture, patch),
        &fixture->scratch,
        &fixture->out);
}

static void
expect_result(struct json_fixture *fixture, const char *base, const char *patch, const char *result)
{
    assert_int_equal(apply(fixture, base, patch), 0);
    json_fixture_expect(fixture, result);
}

static void nothing_to_do(void **state)
{
    struct json_fixture *fixture = *state;
    expect_result(fixture, "{ \"b\" : 1.0 , \"a\" : [ ] }", "[]", "{\"b\":1.0,\"a\":[]}");
    expect_result(fixture, " 1e0 ", "[]", "1e0");
}

static void what_stays_keeps_order_and_spelling(void **state)
{
    struct json_fixture *fixture = *state;
    expect_result(
        fixture,
        "{ \"z\" : 1.0, \"\\u0061\" : {\"k\": [ 1, 2 ], \"d\": 0 }, \"r\": 1, \"m\": \"\\u0062\" }",
        "[{\"op\":\"remove\",\"path\":\"/r\"},{\"op\":\"replace\",\"path\":\"/a/d\",\"value\":-0},"
        "{\"op\":\"add\",\"path\":\"/y\",\"value\":[ true ]},"
        "{\"op\":\"add\",\"path\":\"/b\",\"value\":1E5}]",
        "{\"z\":1.0,\"\\u0061\":{\"k\":[1,2],\"d\":-0},\"m\":\"\\u0062\",\"y\":[true],\"b\":1E5}");
}

static void the_root(void **state)
{
    struct json_fixture *fixture = *state;
    expect_result(
        fixture, "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":[1]}]", "[1]");
    expect_result(fixture, "1", "[{\"op\":\"add\",\"path\":\"\",\"value\":{}}]", "{}");
    assert_int_equal(apply(fixture, "1", "[{\"op\":\"remove\",\"path\":\"\"}]"), -EINVAL);
}

/* As RFC 6902 has it. */
static void adding_what_is_there_replaces_it(void **state)
{
    struct json_fixture *fixture = *state;
    expect_result(
        fixture,
        "{\"a\":1,\"b\":2}",
        "[{\"op\":\"add\",\"path\":\"/a\",\"value\":3,\"ignored\":true}]",
        "{\"a\":3,\"b\":2}");
}

static void names_that_need_care(void **state)
{
    struct json_fixture *fixture = *state;
    expect_result(
        fixture,
        "{\"a/b\":1,\"~\":{\"\":2},\"~1\":3,\"a\":4,\"a!\":5,\"ab\":6}",
        "[{\"op\":\"replace\",\"path\":\"/a~1b\",\"value\":10},"
        "{\"op\":\"replace\",\"path\":\"/~0/\",\"value\":20},"
        "{\"op\":\"remove\",\"path\":\"/~01\"},"
        "{\"op\":\"replace\",\"path\":\"/a!\",\"value\":50},"
        "{\"op\":\"remove\",\"path\":\"/a\"},"
        "{\"op\":\"add\",\"path\":\"/n\\\"~1~0\",\"value\":70},"
        "{\"op\":\"add\",\"path\":\"/\",\"value\":80}]",
        "{\"a/b\":10,\"~\":{\"\":20},\"a!\":50,\"ab\":6,\"n\\\"/~\":70,\"\":80}");
}

static void added_members_come_in_patch_order(void **state)
{
    struct json_fixture *fixture = *state;
    expect_result(
        fixture,
        "{\"o\":{}}",
        "[{\"op\":\"add\",\"path\":\"/o/b\",\"value\":1},{\"op\":\"add\",\"path\":\"/"
        "c\",\"value\":2},"
        "{\"op\":\"add\",\"path\":\"/o/a\",\"value\":3},{\"op\":\"add\",\"path\":\"/"
        "b\",\"value\":4}]",
        "{\"o\":{\"b\":1,\"a\":3},\"c\":2,\"b\":4}");
}

static void a_missing_base_counts_as_an_empty_object(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value none = {0};
    struct jsv_arena *scratch = &fixture->scratch;
    struct jsv_value patch =
        json_fixture_read(fixture, "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]");
    assert_int_equal(jsv_diff_apply(none, patch, scratch, &fixture->out), 0);
    json_fixture_expect(fixture, "{\"a\":1}");
    patch = json_fixture_read(fixture, "[]");
    assert_int_equal(jsv_diff_apply(none, patch, scratch, &fixture->out), 0);
    json_fixture_expect(fixture, "{}");
}

static void patches_of_another_kind(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const patches[] = {
        "{}",
        "null",
        "[1]",
        "[[]]",
        "[{}]",
        "[{\"op\":\"add\",\"value\":1}]",
        "[{\"op\":\"add\",\"path\":1,\"value\":1}]",
        "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]",
        "[{\"op\":\"add\",\"path\":\"/~2\",\"value\":1}]",
        "[{\"op\":\"add\",\"path\":\"/x\"}]",
        "[{\"op\":\"replace\",\"path\":\"/a\"}]",
        "[{\"path\":\"/a\"}]",
        "[{\"op\":null,\"path\":\"/a\"}]",
        "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1}]",
        "[{\"op\":\"move\",\"path\":\"/x\",\"from\":\"/a\"}]",
        "[{\"op\":\"ADD\",\"path\":\"/x\",\"value\":1}]",
        /* below an array */
        "[{\"op\":\"replace\",\"path\":\"/l/0\",\"value\":1}]",
        /* inside one another */
        "[{\"op\":\"remove\",\"path\":\"/a\"},{\"op\":\"remove\",\"path\":\"/a\"}]",
        "[{\"op\":\"remove\",\"path\":\"/o\"},{\"op\":\"remove\",\"path\":\"/o/x\"}]",
        "[{\"op\":\"remove\",\"path\":\"/o/x\"},{\"op\":\"remove\",\"path\":\"/o\"}]",
        "[{\"op\":\"replace\",\"path\":\"\",\"value\":{}},{\"op\":\"remove\",\"path\":\"/a\"}]",
    };
    for (size_t i = 0; i < sizeof(patches) / sizeof(patches[0]); i++) {
        assert_int_equal(
            apply(fixture, "{\"a\":1,\"l\":[0],\"o\":{\"x\":1}}", patches[i]), -EINVAL);
    }
    /* "/o!" would stand between the other two if paths were sorted by bytes. */
    const char *apart =
        "[{\"op\":\"remove\",\"path\":\"/o/x\"},{\"op\":\"add\",\"path\":\"/o!\",\"value\":1},"
        "{\"op\":\"remove\",\"path\":\"/o\"}]";
    assert_int_equal(apply(fixture, "{\"o\":{\"x\":1}}", apart), -EINVAL);
    /* So would a NUL, which must not be taken for the smallest byte. */
    apart = "[{\"op\":\"remove\",\"path\":\"/o/x\"},"
            "{\"op\":\"add\",\"path\":\"/o\\u0000\",\"value\":1},"
            "{\"op\":\"remove\",\"path\":\"/o\"}]";
    assert_int_equal(apply(fixture, "{\"o\":{\"x\":1}}", apart), -EINVAL);
    assert_int_equal(apply(fixture, "[1]", "[{\"op\":\"remove\",\"path\":\"/0\"}]"), -EINVAL);
}

static void places_that_are_not_there(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const patches[] = {
        "[{\"op\":\"remove\",\"path\":\"/x\"}]",
        "[{\"op\":\"replace\",\"path\":\"/x\",\"value\":1}]",
        "[{\"op\":\"remove\",\"path\":\"/o/y\"}]",
        "[{\"op\":\"remove\",\"path\":\"/a/x\"}]",
        "[{\"op\":\"add\",\"path\":\"/a/x\",\"value\":1}]",
        "[{\"op\":\"add\",\"path\":\"/x/y\",\"value\":1}]",
        "[{\"op\":\"add\",\"path\":\"/o/x/y\",\"value\":1}]",
    };
    for (size_t i = 0; i < sizeof(patches) / sizeof(patches[0]); i++) {
        assert_int_equal(apply(fixture, "{\"a\":1,\"o\":{\"x\":1}}", patches[i]), -ENOENT);
    }
    assert_int_equal(apply(fixture, "1", "[{\"op\":\"remove\",\"path\":\"/0\"}]"), -ENOENT);
}

static int apply_pair(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    const struct jsv_value *pair = data;
    return jsv_diff_apply(pair[0], pair[1], scratch, &fixture->out);
}

static void memory_runs_out(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value pair[] = {
        json_fixture_read(fixture, "{\"a/b\":1,\"o\":{\"p\":{\"q\":1}}}"),
        json_fixture_read(
            fixture,
            "[{\"op\":\"add\",\"path\":\"/o/p/a longer name than the one before\",\"value\":1},"
            "{\"op\":\"remove\",\"path\":\"/a~1b\"}]"),
    };
    assert_int_equal(json_fixture_starve(fixture, apply_pair, pair), 0);
    json_fixture_expect(
        fixture, "{\"o\":{\"p\":{\"q\":1,\"a longer name than the one before\":1}}}");
}

static void the_ceiling(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const cases[][3] = {
        {"{\"a\":{\"b\":1,\"c\":2}}",
         "[{\"op\":\"add\",\"path\":\"/a/d\",\"value\":3}]",
         "{\"a\":{\"b\":1,\"c\":2,\"d\":3}}"},
        {"{\"a\":1}", "[]", "{\"a\":1}"},
        {"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":[2]}]", "[2]"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_value base = json_fixture_read(fixture, cases[i][0]);
        struct jsv_value patch = json_fixture_read(fixture, cases[i][1]);
        size_t needed = jsv_str_from(cases[i][2]).size;
        for (size_t size_max = 0; size_max <= needed; size_max++) {
            struct jsv_buf small;
            jsv_buf_init(&small, NULL, size_max);
            int r = jsv_diff_apply(base, patch, &fixture->scratch, &small);
            assert_int_equal(r, size_max < needed ? -ENOBUFS : 0);
            jsv_buf_done(&small);
        }
    }
}

static void depth_costs_no_stack(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *path = json_fixture_buf(fixture);
    for (size_t i = 0; i < JSON_FIXTURE_DEPTH_MAX; i++) {
        jsv_pointer_push(path, JSV_STR("a"));
    }
    struct jsv_buf *text = json_fixture_buf(fixture);
    struct jsv_writer writer = jsv_writer_on(text);
    jsv_write_span(&writer, JSV_STR("[{\"op\":\"replace\",\"value\":22,\"path\":"));
    jsv_write_string(&writer, jsv_buf_str(path));
    jsv_buf_append_str(text, JSV_STR("}]"));
    struct jsv_value pair[] = {
        json_fixture_read_nested(fixture, "{\"a\":", "1", "}"),
        json_fixture_read_str(fixture, jsv_buf_str(text), 0),
    };
    assert_int_equal(json_fixture_on_small_stack(fixture, apply_pair, pair), 0);
    assert_int_equal(fixture->out.size, JSON_FIXTURE_DEPTH_MAX * JSV_STR("{\"a\":}").size + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(nothing_to_do),
        JSON_TEST(what_stays_keeps_order_and_spelling),
        JSON_TEST(the_root),
        JSON_TEST(adding_what_is_there_replaces_it),
        JSON_TEST(names_that_need_care),
        JSON_TEST(added_members_come_in_patch_order),
        JSON_TEST(a_missing_base_counts_as_an_empty_object),
        JSON_TEST(patches_of_another_kind),
        JSON_TEST(places_that_are_not_there),
        JSON_TEST(memory_runs_out),
        JSON_TEST(the_ceiling),
        JSON_TEST(depth_costs_no_stack),
    };
    return cmocka_run_group_tests_name("json/apply", tests, NULL, NULL);
}
