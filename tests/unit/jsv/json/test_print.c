#include <errno.h>
#include <string.h>

#include "support/json_fixture.h"

static void expect_compact(struct json_fixture *fixture, const char *text, const char *expected)
{
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_value(&writer, json_fixture_read(fixture, text));
    json_fixture_expect(fixture, expected);
}

static void compact_text_comes_back_as_it_was(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const texts[] = {
        "null",
        "true",
        "false",
        "-0",
        "1.50E+003",
        "123456789012345678901234567890",
        "\"\"",
        "\"\\u0041\\/\\\"\"",
        "[]",
        "{}",
        "[[],{},[[]]]",
        "[1,\"a\",null,true,[false,{\"a\":1.0,\"\\u0062\":[{}]}],2]",
        "{\"a b\":\" , : { } [ ] \",\"c\":{\"d\":[\"\\\\\"]},\"e\":\"\"}",
        "[\"a\",\":\"]",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        expect_compact(fixture, texts[i], texts[i]);
    }
}

static void white_space_between_tokens_goes(void **state)
{
    struct json_fixture *fixture = *state;
    expect_compact(fixture, " \t\r\n1 ", "1");
    expect_compact(fixture, "[ ]", "[]");
    expect_compact(fixture, " { } ", "{}");
    expect_compact(fixture, "[1 ,2, 3\n]", "[1,2,3]");
    expect_compact(fixture, "{\"a\" \n\r\t:1,\"b\"\t:2}", "{\"a\":1,\"b\":2}");
    expect_compact(fixture, "{\"a\"\r:1,\"b\"\n:2}", "{\"a\":1,\"b\":2}");
    expect_compact(
        fixture,
        "\n{ \"a b\" : [ 1.0 , \" x \\u0020\" ] ,\r\n\t\"c\":{\"d\"\n:true} , \"e\" :\t[ [ ] ]\n} ",
        "{\"a b\":[1.0,\" x \\u0020\"],\"c\":{\"d\":true},\"e\":[[]]}");
}

static void parts_of_documents(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value root = json_fixture_read(fixture, "{\"k\" : [ 1, 2 ] , \"l\":3 }");
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    struct jsv_iter iter = jsv_value_iter(root);
    jsv_write_array_begin(&writer);
    while (jsv_iter_next(&iter)) {
        jsv_write_value(&writer, iter.key);
        jsv_write_value(&writer, iter.value);
        jsv_write_pretty(&writer, iter.key, 2);
    }
    jsv_write_array_end(&writer);
    json_fixture_expect(fixture, "[\"k\",[1,2],\"k\",\"l\",3,\"l\"]");
}

static void nothing_is_null(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value none = {0};
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_array_begin(&writer);
    jsv_write_value(&writer, none);
    jsv_write_pretty(&writer, none, 2);
    jsv_write_array_end(&writer);
    json_fixture_expect(fixture, "[null,null]");
}

/* Members that the reader has dropped are in the text, but not in the document. */
static void dropped_members_are_left_out(void **state)
{
    struct json_fixture *fixture = *state;
    struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"{\"a\":1,\"a\":2}", "{\"a\":2}"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}"},
        {"{\"b\":2,\"a\":1,\"a\":3}", "{\"b\":2,\"a\":3}"},
        {"{\"a\":\"x}\",\"a\":1}", "{\"a\":1}"},
        {"{\"a\":\"x[\",\"b\":2,\"a\":1}", "{\"b\":2,\"a\":1}"},
        {"[{\"a\":[1,{\"x\":\"]}\\\"\"}],\"b\":{},\"a\":[]},7]", "[{\"b\":{},\"a\":[]},7]"},
        {"{ \"b\":[{}] , \"a\":{\"a\":[],\"a\":\"\"} , \"a\" : { } }", "{\"b\":[{}],\"a\":{}}"},
        {"{\"o\":{\"a\":1,\"a\":2},\"p\":{\"a\":{\"b\":\"\\\\\"},\"a\":true}}",
         "{\"o\":{\"a\":2},\"p\":{\"a\":true}}"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_value value =
            json_fixture_read_str(fixture, jsv_str_from(cases[i].text), JSV_READ_LAST_WINS);
        struct jsv_writer writer = jsv_writer_on(&fixture->out);
        jsv_write_value(&writer, value);
        json_fixture_expect(fixture, cases[i].expected);
    }
}

static void expect_pretty(struct json_fixture *fixture, const char *text, const char *expected)
{
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_pretty(&writer, json_fixture_read(fixture, text), 2);
    json_fixture_expect(fixture, expected);
}

static void pretty(void **state)
{
    struct json_fixture *fixture = *state;
    expect_pretty(fixture, " 1.0 ", "1.0");
    expect_pretty(fixture, "\"a\\u0062\"", "\"a\\u0062\"");
    expect_pretty(fixture, "[ ]", "[]");
    expect_pretty(fixture, "{\n}", "{}");
    expect_pretty(fixture, "[1,[]]", "[\n  1,\n  []\n]");
    expect_pretty(
        fixture,
        "{\"a\":{\"b\":[1,{}],\"c\":\"x\"},\"d\":[[2]]}",
        "{\n"
        "  \"a\": {\n"
        "    \"b\": [\n"
        "      1,\n"
        "      {}\n"
        "    ],\n"
        "    \"c\": \"x\"\n"
        "  },\n"
        "  \"d\": [\n"
        "    [\n"
        "      2\n"
        "    ]\n"
        "  ]\n"
        "}");
}

static void pretty_without_indent(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_pretty(&writer, json_fixture_read(fixture, "[1,2]"), 0);
    json_fixture_expect(fixture, "[\n1,\n2\n]");
}

static void the_ceiling_sticks(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value value = json_fixture_read(fixture, "[1, [2, 3], {\"a\": 4}]");
    for (size_t size_max = 0; size_max < 17; size_max++) {
        struct jsv_buf small;
        jsv_buf_init(&small, NULL, size_max);
        struct jsv_writer writer = jsv_writer_on(&small);
        jsv_write_value(&writer, value);
        assert_int_equal(small.error, -ENOBUFS);
        jsv_buf_reset(&small);
        jsv_write_pretty(&writer, value, 4);
        assert_int_equal(small.error, -ENOBUFS);
        jsv_buf_done(&small);
    }
    /* Dropped white space takes no space in the buffer. */
    struct jsv_buf enough;
    jsv_buf_init(&enough, NULL, strlen("[1,[2,3],{\"a\":4}]"));
    struct jsv_writer writer = jsv_writer_on(&enough);
    jsv_write_value(&writer, value);
    assert_int_equal(enough.error, 0);
    jsv_buf_done(&enough);
}

static int write_both(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)scratch;
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_value(&writer, *(const struct jsv_value *)data);
    writer = jsv_writer_on(&fixture->out);
    jsv_write_pretty(&writer, *(const struct jsv_value *)data, 0);
    return fixture->out.error;
}

static void depth_costs_no_stack(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value value = json_fixture_read_nested(fixture, "[ ", "1", " ]");
    assert_int_equal(json_fixture_on_small_stack(fixture, write_both, &value), 0);
    size_t compact = 2 * (size_t)JSON_FIXTURE_DEPTH_MAX + 1;
    size_t lines = 2 * (size_t)JSON_FIXTURE_DEPTH_MAX;
    assert_int_equal(fixture->out.size, 2 * compact + lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(compact_text_comes_back_as_it_was),
        JSON_TEST(white_space_between_tokens_goes),
        JSON_TEST(parts_of_documents),
        JSON_TEST(nothing_is_null),
        JSON_TEST(dropped_members_are_left_out),
        JSON_TEST(pretty),
        JSON_TEST(pretty_without_indent),
        JSON_TEST(the_ceiling_sticks),
        JSON_TEST(depth_costs_no_stack),
    };
    return cmocka_run_group_tests_name("json/print", tests, NULL, NULL);
}
