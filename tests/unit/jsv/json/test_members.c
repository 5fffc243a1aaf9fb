#include <errno.h>

#include "jsv/json/members.h"
#include "support/json_fixture.h"

static void expect_order(
    struct json_fixture *fixture,
    struct jsv_value object,
    const struct jsv_str *names,
    size_t count)
{
    struct jsv_members members = jsv_members_on(&fixture->scratch);
    assert_int_equal(jsv_members_push(&members, object), 0);
    assert_int_equal(members.sorted.count, count);
    for (size_t i = 0; i < count; i++) {
        struct jsv_str name = jsv_string_text(object.document, jsv_members_key(&members, i));
        assert_true(jsv_str_equal(name, names[i]));
    }
}

static void by_code_point(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value object = json_fixture_read(
        fixture,
        "{\"\\ud83d\\ude00\":0,\"\\uffff\":0,\"b\":0,\"a\":0,\"\\u00e9\":0,\"\":0,\"aa\":0,"
        "\"A\":0,\"a\\u0000\":0,\"12345678b\":0,\"12345678a\":0,\"12345678\":0}");
    const struct jsv_str names[] = {
        JSV_STR(""),
        JSV_STR("12345678"),
        JSV_STR("12345678a"),
        JSV_STR("12345678b"),
        JSV_STR("A"),
        JSV_STR("a"),
        JSV_STR("a\0"),
        JSV_STR("aa"),
        JSV_STR("b"),
        JSV_STR("\xc3\xa9"),
        JSV_STR("\xef\xbf\xbf"),
        JSV_STR("\xf0\x9f\x98\x80"),
    };
    expect_order(fixture, object, names, sizeof(names) / sizeof(names[0]));
}

/* A long name's node holds its size instead of its first bytes. */
static void long_names(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_buf *text = json_fixture_buf(fixture);
    struct jsv_buf *name = json_fixture_buf(fixture);
    for (size_t i = 0; i <= JSV_STRING_SHORT_MAX; i++) {
        jsv_buf_append_byte(name, 'm');
    }
    json_fixture_print(text, "{\"z\":0,\"");
    jsv_buf_append_str(text, jsv_buf_str(name));
    json_fixture_print(text, "\":0,\"mmmmmmmmm\":0,\"a\":0}");
    const struct jsv_str names[] = {
        JSV_STR("a"), JSV_STR("mmmmmmmmm"), jsv_buf_str(name), JSV_STR("z")};
    expect_order(fixture, json_fixture_read_str(fixture, jsv_buf_str(text), 0), names, 4);
}

static void several_objects_lie_above_each_other(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value first = json_fixture_read(fixture, "{\"b\":0,\"a\":0}");
    struct jsv_value second = json_fixture_read(fixture, "{\"y\":0,\"x\":0}");
    struct jsv_value none = {0};
    struct jsv_members members = jsv_members_on(&fixture->scratch);
    assert_int_equal(jsv_members_push(&members, first), 0);
    assert_int_equal(jsv_members_push(&members, none), 0);
    assert_int_equal(jsv_members_push(&members, second), 0);
    assert_int_equal(members.sorted.count, 4);
    assert_memory_equal(&jsv_members_key(&members, 0)->body, "a", 2);
    assert_memory_equal(&jsv_members_key(&members, 1)->body, "b", 2);
    assert_memory_equal(&jsv_members_key(&members, 2)->body, "x", 2);
    assert_memory_equal(&jsv_members_key(&members, 3)->body, "y", 2);
}

static int push_members(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    struct jsv_members members = jsv_members_on(scratch);
    return jsv_members_push(&members, *(const struct jsv_value *)data);
}

static void memory_runs_out(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value object = json_fixture_read(fixture, "{\"b\":0,\"a\":0}");
    assert_int_equal(json_fixture_starve(fixture, push_members, &object), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(by_code_point),
        JSON_TEST(long_names),
        JSON_TEST(several_objects_lie_above_each_other),
        JSON_TEST(memory_runs_out),
    };
    return cmocka_run_group_tests_name("json/members", tests, NULL, NULL);
}
