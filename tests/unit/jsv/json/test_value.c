#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/json/node.h"
#include "support/json_fixture.h"

static void assert_str(struct jsv_str actual, const char *expected)
{
    assert_int_equal(actual.size, strlen(expected));
    assert_memory_equal(actual.data, expected, actual.size);
}

static void types_and_their_names(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const names[] = {
        "null", "boolean", "boolean", "number", "string", "array", "object"};
    struct jsv_value root = json_fixture_read(fixture, "[null,true,false,1,\"s\",[],{}]");
    for (size_t i = 0; i < 7; i++) {
        assert_string_equal(jsv_type_name(jsv_value_type(jsv_value_at(root, i))), names[i]);
    }
    assert_string_equal(jsv_type_name(jsv_value_type(jsv_value_at(root, 7))), "none");
}

static void nothing_is_accepted_everywhere(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value nothing = jsv_value_get(json_fixture_read(fixture, "{}"), JSV_STR("a"));
    int64_t integer = 5;

    assert_int_equal(jsv_value_type(nothing), JSV_TYPE_NONE);
    assert_int_equal(jsv_value_type(jsv_value_get(nothing, JSV_STR("a"))), JSV_TYPE_NONE);
    assert_int_equal(jsv_value_type(jsv_value_at(nothing, 0)), JSV_TYPE_NONE);
    assert_int_equal(jsv_value_count(nothing), 0);
    assert_false(jsv_value_bool(nothing));
    assert_null(jsv_value_text(nothing).data);
    assert_null(jsv_value_span(nothing).data);
    assert_int_equal(jsv_value_span(nothing).size, 0);
    assert_int_equal(jsv_value_offset(nothing), 0);
    assert_int_equal(jsv_value_int64(nothing, &integer), -EINVAL);
    assert_int_equal(integer, 5);
    assert_true(jsv_value_double(nothing) == 0);
    struct jsv_iter iter = jsv_value_iter(nothing);
    assert_false(jsv_iter_next(&iter));
}

static void members_by_name(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value object = json_fixture_read(
        fixture,
        "{\"\":0,\"a\":1,\"a\\u0000\":2,\"12345678\":3,\"123456789\":4,\"12345678x\":5,"
        "\"nested\":{\"a\":9},\"esc\\u0061ped\":6,\"\\u00e9\":7,\"a\\tlonger escaped name\":8}");
    struct {
        struct jsv_str name;
        int64_t expected;
    } cases[] = {
        {{NULL, 0}, 0},
        {JSV_STR(""), 0},
        {JSV_STR("a"), 1},
        {JSV_STR("a\0"), 2},
        {JSV_STR("12345678"), 3},
        {JSV_STR("123456789"), 4},
        {JSV_STR("12345678x"), 5},
        {JSV_STR("escaped"), 6},
        {JSV_STR("\xc3\xa9"), 7},
        {JSV_STR("a\tlonger escaped name"), 8},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t integer = -1;
        assert_int_equal(jsv_value_int64(jsv_value_get(object, cases[i].name), &integer), 0);
        assert_int_equal(integer, cases[i].expected);
    }
    struct jsv_str absent[] = {
        JSV_STR("b"), JSV_STR("1234567"), JSV_STR("12345678y"), JSV_STR("1234567890")};
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        assert_int_equal(jsv_value_type(jsv_value_get(object, absent[i])), JSV_TYPE_NONE);
    }
    /* A value after an object is not one of its members. */
    struct jsv_value pair = json_fixture_read(fixture, "[{\"a\":1},\"b\",2]");
    assert_int_equal(
        jsv_value_type(jsv_value_get(jsv_value_at(pair, 0), JSV_STR("b"))), JSV_TYPE_NONE);
    assert_int_equal(
        jsv_value_type(jsv_value_get(json_fixture_read(fixture, "[\"a\"]"), JSV_STR("a"))),
        JSV_TYPE_NONE);
}

/* Names around the largest size that fits a node. */
static void long_names(void **state)
{
    struct json_fixture *fixture = *state;
    for (size_t size = JSV_STRING_SHORT_MAX - 1; size <= JSV_STRING_SHORT_MAX + 2; size++) {
        struct jsv_buf *text = json_fixture_buf(fixture);
        struct jsv_buf *name = json_fixture_buf(fixture);
        for (size_t i = 0; i < size; i++) {
            jsv_buf_append_byte(name, (char)('a' + i % 26));
        }
        jsv_buf_append_str(text, JSV_STR("{\"\":0,\""));
        jsv_buf_append_str(text, jsv_buf_str(name));
        jsv_buf_append_str(text, JSV_STR("\":true,\"\\n"));
        jsv_buf_append_str(text, jsv_buf_str(name));
        jsv_buf_append_str(text, JSV_STR("\":null}"));
        struct jsv_value object = json_fixture_read_str(fixture, jsv_buf_str(text), 0);

        struct jsv_iter iter = jsv_value_iter(object);
        assert_true(jsv_iter_next(&iter));
        assert_true(jsv_iter_next(&iter));
        assert_int_equal(jsv_value_text(iter.key).size, size);
        assert_int_equal(jsv_value_span(iter.key).size, size + 2);
        assert_true(jsv_value_bool(jsv_value_get(object, jsv_buf_str(name))));
        assert_true(jsv_iter_next(&iter));
        assert_int_equal(jsv_value_text(iter.key).size, size + 1);
        assert_int_equal(jsv_value_span(iter.key).size, size + 4);
        name->data[size - 1] = '!';
        assert_int_equal(jsv_value_type(jsv_value_get(object, jsv_buf_str(name))), JSV_TYPE_NONE);
        name->size--;
        assert_int_equal(jsv_value_type(jsv_value_get(object, jsv_buf_str(name))), JSV_TYPE_NONE);
    }
}

static void elements_by_index(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value array = json_fixture_read(fixture, "[10,[1,[2]],{\"a\":[3]},13]");
    int64_t integer;

    assert_int_equal(jsv_value_count(array), 4);
    assert_int_equal(jsv_value_int64(jsv_value_at(array, 0), &integer), 0);
    assert_int_equal(integer, 10);
    assert_int_equal(jsv_value_type(jsv_value_at(array, 1)), JSV_TYPE_ARRAY);
    assert_int_equal(jsv_value_count(jsv_value_at(array, 1)), 2);
    assert_int_equal(jsv_value_count(jsv_value_at(array, 2)), 1);
    assert_int_equal(jsv_value_int64(jsv_value_at(array, 3), &integer), 0);
    assert_int_equal(integer, 13);
    assert_int_equal(jsv_value_type(jsv_value_at(array, 4)), JSV_TYPE_NONE);
    assert_int_equal(jsv_value_type(jsv_value_at(array, SIZE_MAX)), JSV_TYPE_NONE);
    assert_int_equal(
        jsv_value_type(jsv_value_at(json_fixture_read(fixture, "{\"0\":1}"), 0)), JSV_TYPE_NONE);
}

/* A count that does not fit its 24 bits is found by walking. */
static void counts_beyond_24_bits(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const texts[] = {"[1,[2,3],{\"a\":4}]", "{\"a\":1,\"b\":[2,3],\"c\":{}}"};
    for (size_t i = 0; i < 2; i++) {
        struct jsv_value value = json_fixture_read(fixture, texts[i]);
        struct jsv_node *copy = malloc(value.document->node_count * sizeof(*copy));
        assert_non_null(copy);
        memcpy(copy, value.node, value.document->node_count * sizeof(*copy));
        copy->head |= (uint64_t)JSV_COUNT_MANY << JSV_NODE_COUNT_SHIFT;
        assert_int_equal(jsv_value_count((struct jsv_value){value.document, copy}), 3);
        free(copy);
    }
}

static void booleans(void **state)
{
    struct json_fixture *fixture = *state;
    assert_true(jsv_value_bool(json_fixture_read(fixture, "true")));
    assert_false(jsv_value_bool(json_fixture_read(fixture, "false")));
    assert_false(jsv_value_bool(json_fixture_read(fixture, "1")));
    assert_false(jsv_value_bool(json_fixture_read(fixture, "\"true\"")));
}

static void texts(void **state)
{
    struct json_fixture *fixture = *state;
    assert_str(jsv_value_text(json_fixture_read(fixture, "\"plain\"")), "plain");
    assert_str(jsv_value_text(json_fixture_read(fixture, "\"\\u0041\\n\"")), "A\n");
    struct jsv_str empty = jsv_value_text(json_fixture_read(fixture, "\"\""));
    assert_non_null(empty.data);
    assert_int_equal(empty.size, 0);
    assert_null(jsv_value_text(json_fixture_read(fixture, "1")).data);
}

static void spans_of_every_kind(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const spellings[] = {
        "null",
        "true",
        "false",
        "0",
        "-0",
        "12",
        "-1.50e+03",
        "1990.9E19",
        "1E-2",
        "123456789012345678901234567890",
        "1e-99999999999",
        "\"\"",
        "\"text\"",
        "\"\\u0041\\\\\"",
        "\"\\\"\"",
        "[]",
        "[1, 2]",
        "{}",
        "{ \"a\" : [ ] }",
    };
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        struct jsv_buf *text = json_fixture_buf(fixture);
        /* Alone, where the text ends with the value, and between others. */
        assert_str(jsv_value_span(json_fixture_read(fixture, spellings[i])), spellings[i]);
        json_fixture_print(text, " [ %s,%s ,\n%s]", spellings[i], spellings[i], spellings[i]);
        struct jsv_value array = json_fixture_read_str(fixture, jsv_buf_str(text), 0);
        size_t size = strlen(spellings[i]);
        for (size_t j = 0; j < 3; j++) {
            assert_str(jsv_value_span(jsv_value_at(array, j)), spellings[i]);
        }
        assert_int_equal(jsv_value_offset(jsv_value_at(array, 0)), 3);
        assert_int_equal(jsv_value_offset(jsv_value_at(array, 1)), 3 + size + 1);
        assert_int_equal(jsv_value_offset(jsv_value_at(array, 2)), 3 + 2 * size + 4);
        assert_int_equal(jsv_value_offset(array), 1);
        assert_int_equal(jsv_value_span(array).size, text->size - 1);
    }
}

static void integers(void **state)
{
    struct json_fixture *fixture = *state;
    struct {
        const char *text;
        int result;
        int64_t integer;
    } cases[] = {
        {"7", 0, 7},
        {"7.0", 0, 7},
        {"70e-1", 0, 7},
        {"0.7e1", 0, 7},
        {"-0", 0, 0},
        {"9223372036854775807", 0, INT64_MAX},
        {"-9223372036854775808", 0, INT64_MIN},
        {"9223372036854775808", -ERANGE, 0},
        {"-9223372036854775809", -ERANGE, 0},
        {"1e400", -ERANGE, 0},
        {"100000000000000000000000000000e-28", 0, 10},
        {"7.5", -EINVAL, 0},
        {"1e-400", -EINVAL, 0},
        {"\"7\"", -EINVAL, 0},
        {"true", -EINVAL, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t integer = 0;
        struct jsv_value value = json_fixture_read(fixture, cases[i].text);
        assert_int_equal(jsv_value_int64(value, &integer), cases[i].result);
        assert_true(integer == cases[i].integer);
    }
}

static void doubles(void **state)
{
    struct json_fixture *fixture = *state;
    assert_true(jsv_value_double(json_fixture_read(fixture, "0.1")) == 0.1);
    assert_true(jsv_value_double(json_fixture_read(fixture, "-2.5e10")) == -2.5e10);
    assert_true(
        jsv_value_double(json_fixture_read(fixture, "123456789012345678901234567890")) ==
        123456789012345678901234567890.0);
    assert_true(jsv_value_double(json_fixture_read(fixture, "5e-324")) == 5e-324);
    assert_true(isinf(jsv_value_double(json_fixture_read(fixture, "1e400"))));
    assert_true(jsv_value_double(json_fixture_read(fixture, "\"1\"")) == 0);
}

static void exact_numbers(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_number number = jsv_value_number(json_fixture_read(fixture, "-12.50"));
    assert_true(number.negative);
    assert_false(number.big);
    struct jsv_number expected = jsv_number_from(JSV_STR("-125e-1"));
    assert_true(jsv_number_equal(&number, &expected));

    number = jsv_value_number(json_fixture_read(fixture, "123456789012345678901234567890.5"));
    assert_true(number.big);
    expected = jsv_number_from(JSV_STR("1234567890123456789012345678905e-1"));
    assert_true(jsv_number_equal(&number, &expected));
}

static void iteration(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_iter iter =
        jsv_value_iter(json_fixture_read(fixture, "{\"a\":[1,2],\"b\":{\"x\":0},\"c\":3}"));
    static const char *const keys[] = {"a", "b", "c"};
    static const enum jsv_type types[] = {JSV_TYPE_ARRAY, JSV_TYPE_OBJECT, JSV_TYPE_NUMBER};
    for (size_t i = 0; i < 3; i++) {
        assert_true(jsv_iter_next(&iter));
        assert_str(jsv_value_text(iter.key), keys[i]);
        assert_int_equal(jsv_value_type(iter.value), types[i]);
    }
    assert_false(jsv_iter_next(&iter));
    assert_int_equal(jsv_value_type(iter.key), JSV_TYPE_NONE);
    assert_int_equal(jsv_value_type(iter.value), JSV_TYPE_NONE);
    assert_false(jsv_iter_next(&iter));

    iter = jsv_value_iter(json_fixture_read(fixture, "[[],4]"));
    assert_true(jsv_iter_next(&iter));
    assert_int_equal(jsv_value_type(iter.key), JSV_TYPE_NONE);
    assert_int_equal(jsv_value_type(iter.value), JSV_TYPE_ARRAY);
    assert_true(jsv_iter_next(&iter));
    assert_int_equal(jsv_value_type(iter.value), JSV_TYPE_NUMBER);
    assert_false(jsv_iter_next(&iter));

    iter = jsv_value_iter(json_fixture_read(fixture, "3"));
    assert_false(jsv_iter_next(&iter));
}

static void strings_across_documents(void **state)
{
    struct json_fixture *fixture = *state;
    static const char *const spellings[][2] = {
        {"\"a\"", "\"\\u0061\""},
        {"\"12345678\"", "\"1234567\\u0038\""},
        {"\"a longer text\"", "\"\\u0061 longer text\""},
    };
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            struct jsv_value a = json_fixture_read(fixture, spellings[i][0]);
            struct jsv_value b = json_fixture_read(fixture, spellings[j][1]);
            assert_int_equal(jsv_strings_equal(a.document, a.node, b.document, b.node), i == j);
        }
    }
    struct jsv_value a = json_fixture_read(fixture, "\"a longer text\"");
    struct jsv_value b = json_fixture_read(fixture, "\"a longer tExt\"");
    assert_false(jsv_strings_equal(a.document, a.node, b.document, b.node));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(types_and_their_names),
        JSON_TEST(nothing_is_accepted_everywhere),
        JSON_TEST(members_by_name),
        JSON_TEST(long_names),
        JSON_TEST(elements_by_index),
        JSON_TEST(counts_beyond_24_bits),
        JSON_TEST(booleans),
        JSON_TEST(texts),
        JSON_TEST(spans_of_every_kind),
        JSON_TEST(integers),
        JSON_TEST(doubles),
        JSON_TEST(exact_numbers),
        JSON_TEST(iteration),
        JSON_TEST(strings_across_documents),
    };
    return cmocka_run_group_tests_name("json/value", tests, NULL, NULL);
}
