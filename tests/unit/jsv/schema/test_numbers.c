/*
 * Sets of numbers: what is equal is found, however it is written, whether the
 * numbers are few or many, short or long.
 */
#include "jsv/schema/numbers.h"
#include "support/schema_fixture.h"

static const struct schema_verdict_case cases[] = {
    {"{'enum':[1]}", "1", 1},
    {"{'enum':[1]}", "1.0", 1},
    {"{'enum':[1]}", "10e-1", 1},
    {"{'enum':[1]}", "-1", 0},
    {"{'enum':[0]}", "-0.0", 1},
    {"{'enum':[0]}", "0e99999999999999999999", 1},
    {"{'enum':[0]}", "1e-99999999999999999999", 0},
    {"{'enum':[10000000000000000000]}", "1e19", 1},
    {"{'enum':[10000000000000000000]}", "1e20", 0},
    {"{'enum':[1e20]}", "100000000000000000000", 1},
    {"{'enum':[1e20]}", "100000000000000000000.00000000000000000000000", 1},
    {"{'enum':[-1,10e1,2.0,3.5]}", "-1", 1},
    {"{'enum':[-1,10e1,2.0,3.5]}", "1", 0},
    {"{'enum':[-1,10e1,2.0,3.5]}", "100", 1},
    {"{'enum':[-1,10e1,2.0,3.5]}", "2", 1},
    {"{'enum':[-1,10e1,2.0,3.5]}", "35", 0},
    {"{'enum':[-1,10e1,2.0,3.5]}", "3.5", 1},
    {"{'enum':[-1,10e1,2.0,3.5]}", "20e-1", 1},
    {"{'enum':[-0]}", "0", 1},
    {"{'enum':[0]}", "-0", 1},
    {"{'enum':[1e19,7]}", "10000000000000000000", 1},
    {"{'enum':[1e19,7]}", "7", 1},
    {"{'enum':[18446744073709551615]}", "18446744073709551615", 1},
    {"{'enum':[1.5,'1',null,2.5,true]}", "2.50", 1},
    {"{'enum':[1.5,'1',null,2.5,true]}", "2", 0},
    {"{'enum':[1,2,3,4,5,6,7,8,9,10]}", "10", 1},
    {"{'enum':[1,2,3,4,5,6,7,8,9,10]}", "0.7e1", 1},
    {"{'enum':[1,2,3,4,5,6,7,8,9,10]}", "11", 0},
    {"{'enum':[1,1.0,1e0,10e-1,100e-2,0.1e1]}", "1", 1},
    {"{'const':123456789012345678901234567890}", "123456789012345678901234567890.0", 1},
    {"{'const':123456789012345678901234567890}", "1234567890123456789012345678.90e2", 1},
    {"{'const':123456789012345678901234567890}", "123456789012345678901234567891", 0},
    {"{'const':123456789012345678901234567890}", "-123456789012345678901234567890", 0},
    {"{'const':123456789012345678901234567890}", "123456789012345678901234567890e1", 0},
    {"{'const':123456789012345678901234567890}", "1", 0},
    {"{'const':1e123456789012345678901}", "10e123456789012345678900", 1},
    {"{'const':1e123456789012345678901}", "1e-123456789012345678901", 0},
};

static void equal_numbers_are_found(void **state)
{
    struct schema_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        schema_fixture_use(fixture, cases[i].schema);
        struct jsv_value value = schema_fixture_read(fixture, cases[i].instance);
        if (schema_fixture_verdict(fixture, value) != cases[i].verdict) {
            fail_msg("%s: %s", cases[i].schema, cases[i].instance);
        }
    }
}

/* All numbers of a text that is an array, as a set. */
static const struct jsv_numbers *make(struct jsv_arena *arena, struct jsv_value array)
{
    const struct jsv_node *values[64];
    uint32_t count = 0;
    for (struct jsv_iter iter = jsv_value_iter(array); jsv_iter_next(&iter);) {
        values[count++] = iter.value.node;
    }
    return jsv_numbers_make(arena, array.document, values, count);
}

static void many_are_found_by_hash(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, 65536);
    struct jsv_value few = schema_fixture_read(fixture, "[1,2.5,3,4]");
    struct jsv_value many = schema_fixture_read(fixture, "[1,2.5,3,4,5,6e2,7,8,9,10,1.0]");
    struct jsv_value large = schema_fixture_read(fixture, "[123456789012345678901]");
    assert_int_equal(make(&arena, few)->mask, 0);
    assert_true(make(&arena, large)->mask > 0);
    const struct jsv_numbers *numbers = make(&arena, many);
    assert_true(numbers->mask > 0);
    for (int i = 0; i <= 1000; i++) {
        struct jsv_number number = jsv_number_from_int64(i);
        bool expected = (i > 0 && i <= 10 && i != 2 && i != 6) || i == 600;
        assert_int_equal(jsv_numbers_have(numbers, &number), expected);
    }
    jsv_arena_done(&arena);
}

static void memory_runs_out(void **state)
{
    struct schema_fixture *fixture = *state;
    struct jsv_value many = schema_fixture_read(fixture, "[1,2.5,3,4,5,6e2,7,8,9,10,1.0]");
    int failures = 0;
    for (size_t budget = 0; budget < 4096; budget += 64) {
        struct jsv_arena arena;
        jsv_arena_init(&arena, NULL, budget);
        failures += make(&arena, many) == NULL;
        jsv_arena_done(&arena);
    }
    assert_true(failures > 0 && failures < 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCHEMA_TEST(equal_numbers_are_found),
        SCHEMA_TEST(many_are_found_by_hash),
        SCHEMA_TEST(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
