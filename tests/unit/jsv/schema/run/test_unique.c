#include <errno.h>
#include <string.h>

#include "jsv/schema/run/unique.h"
#include "support/count_of.h"
#include "support/json_fixture.h"
#include "support/json_random.h"
#include "support/random.h"

static int test(struct json_fixture *fixture, struct jsv_value array, size_t equal[2])
{
    struct jsv_equality equality = jsv_equality_on(&fixture->scratch);
    struct jsv_unique unique = jsv_unique_on(&fixture->scratch, &equality);
    equal[0] = equal[1] = SIZE_MAX;
    return jsv_unique_test(&unique, array, equal);
}

/* Values that are all different, two of them equal to others in another spelling. */
static const char *const values[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "1.5",
    "\"\"",
    "\"a\"",
    "\"1\"",
    "\"null\"",
    "[]",
    "{}",
    "[0]",
    "[1]",
    "[[]]",
    "[{}]",
    "[null]",
    "{\"a\":1}",
    "{\"b\":1}",
    "{\"a\":[]}",
    "{\"a\":{}}",
    "[1,2]",
    "[2,1]",
    "{\"a\":1,\"b\":2}",
    "{\"a\":2,\"b\":1}",
    "[false]",
    "[true]",
    "1e400",
    "123456789012345678901234567890",
    "\"longer than eight bytes\"",
    "[[1],2]",
    "[1,[2]]",
};

static const struct {
    const char *value;
    const char *same;
} twins[] = {
    {"1", "1.0"},
    {"1", "10e-1"},
    {"0", "-0.0"},
    {"\"a\"", "\"\\u0061\""},
    {"{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}"},
    {"[[1],2]", "[[1e0],2]"},
    {"123456789012345678901234567890", "12345678901234567890123456789e1"},
    {"null", "null"},
    {"{}", "{ }"},
};

static void append(struct jsv_buf *text, const char *value)
{
    jsv_buf_append_byte(text, text->size ? ',' : '[');
    jsv_buf_append_str(text, jsv_str_from(value));
}

/* The first count values, and then perhaps one more. */
static int
test_values(struct json_fixture *fixture, size_t count, const char *last, size_t equal[2])
{
    struct jsv_buf *text = json_fixture_buf(fixture);
    for (size_t i = 0; i < count; i++) {
        append(text, values[i]);
    }
    if (last) {
        append(text, last);
    }
    jsv_buf_append_str(text, count || last ? JSV_STR("]") : JSV_STR("[]"));
    return test(fixture, json_fixture_read_str(fixture, jsv_buf_str(text), 0), equal);
}

static void all_different(void **state)
{
    size_t equal[2];
    for (size_t count = 0; count <= COUNT_OF(values); count++) {
        assert_int_equal(test_values(*state, count, NULL, equal), 1);
    }
}

static void two_equal(void **state)
{
    for (size_t i = 0; i < COUNT_OF(twins); i++) {
        size_t at = 0;
        while (strcmp(values[at], twins[i].value) != 0) {
            at++;
        }
        /* compared each with each, and hashed */
        for (size_t count = at + 1; count <= COUNT_OF(values); count++) {
            size_t equal[2];
            assert_int_equal(test_values(*state, count, twins[i].same, equal), 0);
            assert_int_equal(equal[0], at);
            assert_int_equal(equal[1], count);
        }
    }
}

/* Against comparing all pairs, on arrays of few different values. */
static void like_comparing_all(void **state)
{
    struct json_fixture *fixture = *state;
    uint64_t random = 7;
    for (int round = 0; round < 300; round++) {
        struct jsv_buf *text = json_fixture_buf(fixture);
        size_t count = 1 + random_below(&random, 40);
        for (size_t i = 0; i < count; i++) {
            append(text, values[random_below(&random, COUNT_OF(values))]);
        }
        jsv_buf_append_byte(text, ']');
        struct jsv_value array = json_fixture_read_str(fixture, jsv_buf_str(text), 0);
        size_t first = SIZE_MAX;
        for (size_t i = 0; i < count && first == SIZE_MAX; i++) {
            for (size_t j = 0; j < i && first == SIZE_MAX; j++) {
                int r = jsv_value_equal(
                    jsv_value_at(array, i), jsv_value_at(array, j), &fixture->scratch);
                first = r ? i : SIZE_MAX;
            }
        }
        size_t equal[2];
        assert_int_equal(test(fixture, array, equal), first == SIZE_MAX);
        assert_int_equal(equal[1], first);
    }
}

/* Scratch memory is used again: many arrays take no more than the largest. */
static void memory_is_reused(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_equality equality = jsv_equality_on(&fixture->scratch);
    struct jsv_unique unique = jsv_unique_on(&fixture->scratch, &equality);
    struct jsv_buf *text = json_fixture_buf(fixture);
    for (int i = 0; i < 1000; i++) {
        json_fixture_print(text, "%s{\"a\":%d,\"b\":[%d]}", i ? "," : "[", i, i);
    }
    jsv_buf_append_byte(text, ']');
    struct jsv_value array = json_fixture_read_str(fixture, jsv_buf_str(text), 0);
    size_t equal[2];
    assert_int_equal(jsv_unique_test(&unique, array, equal), 1);
    size_t held = fixture->scratch.held;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(jsv_unique_test(&unique, array, equal), 1);
    }
    assert_int_equal(fixture->scratch.held, held);
}

static int test_on(struct json_fixture *fixture, struct jsv_arena *scratch, void *data)
{
    (void)fixture;
    struct jsv_equality equality = jsv_equality_on(scratch);
    struct jsv_unique unique = jsv_unique_on(scratch, &equality);
    size_t equal[2];
    return jsv_unique_test(&unique, *(struct jsv_value *)data, equal);
}

static void too_little_memory(void **state)
{
    struct json_fixture *fixture = *state;
    struct jsv_value pairs = json_fixture_read(
        fixture, "[{\"a\":[{\"x\":1,\"y\":2}],\"b\":2},{\"b\":2,\"a\":[{\"y\":2,\"x\":1}]}]");
    assert_int_equal(json_fixture_starve(fixture, test_on, &pairs), 0);
    struct jsv_buf *text = json_fixture_buf(fixture);
    for (int i = 0; i < 20; i++) {
        json_fixture_print(text, "%s%d", i ? "," : "[", i);
    }
    jsv_buf_append_str(text, JSV_STR(",[[[]]],{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]"));
    struct jsv_value many = json_fixture_read_str(fixture, jsv_buf_str(text), 0);
    assert_int_equal(json_fixture_starve(fixture, test_on, &many), 0);
}

/* Deeper than recursion could go: at every level 17 elements, the last one a level deeper. */
static void deep_elements(void **state)
{
    struct jsv_value deep =
        json_fixture_read_nested(*state, "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,", "16", "]");
    assert_int_equal(json_fixture_on_small_stack(*state, test_on, &deep), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(all_different),
        JSON_TEST(two_equal),
        JSON_TEST(like_comparing_all),
        JSON_TEST(memory_is_reused),
        JSON_TEST(too_little_memory),
        JSON_TEST(deep_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
