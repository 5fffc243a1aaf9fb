#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "jsv/json/write.h"
#include "support/json_fixture.h"

static void commas_come_by_themselves(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_object_begin(&writer);
    jsv_write_member_array_begin(&writer, JSV_STR("a"));
    jsv_write_array_end(&writer);
    jsv_write_member_array_begin(&writer, JSV_STR("b"));
    jsv_write_bool(&writer, true);
    jsv_write_bool(&writer, false);
    jsv_write_null(&writer);
    jsv_write_string(&writer, JSV_STR(""));
    jsv_write_int64(&writer, 1);
    jsv_write_object_begin(&writer);
    jsv_write_object_end(&writer);
    jsv_write_array_begin(&writer);
    jsv_write_uint64(&writer, 2);
    jsv_write_array_end(&writer);
    jsv_write_double(&writer, 2.5);
    jsv_write_span(&writer, JSV_STR("{ }"));
    jsv_write_span(&writer, JSV_STR("3"));
    jsv_write_array_end(&writer);
    jsv_write_member_string(&writer, JSV_STR("c:"), JSV_STR("{"));
    jsv_write_member_string(&writer, JSV_STR("d"), JSV_STR("["));
    jsv_write_member_null(&writer, JSV_STR("e"));
    jsv_write_object_end(&writer);
    json_fixture_expect(
        fixture,
        "{\"a\":[],\"b\":[true,false,null,\"\",1,{},[2],2.5,{ },3],\"c:\":\"{\",\"d\":\"[\","
        "\"e\":null}");
}

/* Earlier contents of the buffer do not matter. */
static void starts_where_the_buffer_ends(void **state)
{
    struct json_fixture *fixture = *state;
    jsv_buf_append_str(&fixture->out, JSV_STR("prefix"));
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_array_begin(&writer);
    jsv_write_null(&writer);
    jsv_write_array_end(&writer);
    json_fixture_expect(fixture, "prefix[null]");
}

static void strings_are_escaped(void **state)
{
    struct json_fixture *fixture = *state;
    struct {
        struct jsv_str text;
        const char *expected;
    } cases[] = {
        {JSV_STR(""), "\"\""},
        {{NULL, 0}, "\"\""},
        {JSV_STR("\"\\/"), "\"\\\"\\\\/\""},
        {JSV_STR("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
        {JSV_STR("\0\x01\x1f\x20"), "\"\\u0000\\u0001\\u001f \""},
        {JSV_STR("\x7f"), "\"\x7f\""},
        {JSV_STR("\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80"),
         "\"\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\""},
        {JSV_STR("plain text longer than a word"), "\"plain text longer than a word\""},
        {JSV_STR("\"12345678\n12345678\\"), "\"\\\"12345678\\n12345678\\\\\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsv_writer writer = jsv_writer_on(&fixture->out);
        jsv_write_string(&writer, cases[i].text);
        json_fixture_expect(fixture, cases[i].expected);
    }
}

/* Every byte at every place of a word, seen by the eight-at-once test or not. */
static void every_byte_at_every_place(void **state)
{
    struct json_fixture *fixture = *state;
    for (unsigned byte = 0; byte < 0x80; byte++) {
        for (size_t place = 0; place < 20; place++) {
            char text[20];
            memset(text, 'x', sizeof(text));
            text[place] = (char)byte;
            struct jsv_writer writer = jsv_writer_on(&fixture->out);
            jsv_write_string(&writer, (struct jsv_str){text, sizeof(text)});
            bool escaped = byte < 0x20 || byte == '"' || byte == '\\';
            size_t extra = !escaped ? 0 : strchr("\b\f\n\r\t\"\\", (int)byte) && byte ? 1 : 5;
            assert_int_equal(fixture->out.size, sizeof(text) + 2 + extra);
            struct jsv_value value = json_fixture_read_str(fixture, jsv_buf_str(&fixture->out), 0);
            assert_true(jsv_str_equal(jsv_value_text(value), (struct jsv_str){text, sizeof(text)}));
            jsv_buf_reset(&fixture->out);
        }
    }
}

static void ascii_escapes(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_str text = JSV_STR("abcdefgh\xc3\xa9\x7f\xe2\x82\xac\xef\xbf\xbf\xf0\x90\x80\x80"
                                  "\xf4\x8f\xbf\xbf\n\"");
    jsv_escape_append(&fixture->out, text, JSV_ESCAPE_ASCII);
    json_fixture_expect(
        fixture, "\"abcdefgh\\u00e9\\u007f\\u20ac\\uffff\\ud800\\udc00\\udbff\\udfff\\n\\\"\"");
}

static void keys_are_escaped(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_object_begin(&writer);
    jsv_write_member_null(&writer, JSV_STR("a\"\n"));
    jsv_write_object_end(&writer);
    json_fixture_expect(fixture, "{\"a\\\"\\n\":null}");
}

static void integers(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_int64(&writer, 0);
    jsv_write_int64(&writer, -1);
    jsv_write_int64(&writer, INT64_MAX);
    jsv_write_int64(&writer, INT64_MIN);
    jsv_write_uint64(&writer, 0);
    jsv_write_uint64(&writer, UINT64_MAX);
    json_fixture_expect(
        fixture, "0,-1,9223372036854775807,-9223372036854775808,0,18446744073709551615");
}

static void doubles(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_writer writer = jsv_writer_on(&fixture->out);
    jsv_write_double(&writer, 0.1);
    jsv_write_double(&writer, -0.0);
    jsv_write_double(&writer, 1e21);
    jsv_write_double(&writer, 1e20);
    jsv_write_double(&writer, -DBL_MAX);
    jsv_write_double(&writer, 5e-324);
    jsv_write_double(&writer, INFINITY);
    jsv_write_double(&writer, -INFINITY);
    jsv_write_double(&writer, NAN);
    json_fixture_expect(
        fixture,
        "0.1,0,1e+21,100000000000000000000,-1.7976931348623157e+308,5e-324,null,null,null");
}

static void the_ceiling_sticks(void **state)
{
    (void)state;
    struct jsv_buf small;
    jsv_buf_init(&small, NULL, 8);
    struct jsv_writer writer = jsv_writer_on(&small);
    jsv_write_array_begin(&writer);
    jsv_write_string(&writer, JSV_STR("abcdefgh"));
    assert_int_equal(small.error, -ENOBUFS);
    jsv_write_null(&writer);
    jsv_write_string(&writer, JSV_STR("\n\xc3\xa9"));
    jsv_write_array_end(&writer);
    assert_int_equal(small.error, -ENOBUFS);
    assert_true(small.size <= 8);
    jsv_buf_done(&small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(commas_come_by_themselves),
        JSON_TEST(starts_where_the_buffer_ends),
        JSON_TEST(strings_are_escaped),
        JSON_TEST(every_byte_at_every_place),
        JSON_TEST(ascii_escapes),
        JSON_TEST(keys_are_escaped),
        JSON_TEST(integers),
        JSON_TEST(doubles),
        JSON_TEST(the_ceiling_sticks),
    };
    return cmocka_run_group_tests_name("json/write", tests, NULL, NULL);
}
