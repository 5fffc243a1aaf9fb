#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/regex/charset.h"
#include "support/random.h"
#include "support/torture.h"

static bool contains(const struct jsv_charset *set, uint32_t code_point)
{
    for (size_t i = 0; i < set->count; i++) {
        if (code_point >= set->ranges[i].first && code_point <= set->ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* Sorted, not touching, and without bounds among the surrogates. */
static void assert_canonical(const struct jsv_charset *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct jsv_range *range = &set->ranges[i];
        assert_true(range->first <= range->last);
        assert_true(range->last <= JSV_CODE_POINT_MAX);
        assert_false(jsv_is_surrogate(range->first));
        assert_false(jsv_is_surrogate(range->last));
        if (i > 0) {
            uint32_t before = set->ranges[i - 1].last;
            assert_true(range->first > before + 1);
            assert_false(
                before == JSV_SURROGATE_FIRST - 1 && range->first == JSV_SURROGATE_LAST + 1);
        }
    }
}

static struct jsv_charset
build(struct jsv_arena *arena, const struct jsv_range *ranges, size_t count, bool negated)
{
    struct jsv_charset_builder builder = jsv_charset_builder_on(arena);
    struct jsv_charset set;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(jsv_charset_add(&builder, ranges[i].first, ranges[i].last), 0);
    }
    assert_int_equal(jsv_charset_build(&builder, negated, &set), 0);
    assert_canonical(&set);
    return set;
}

static void expect_ranges(struct jsv_charset set, const struct jsv_range *ranges, size_t count)
{
    assert_int_equal(set.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(set.ranges[i].first, ranges[i].first);
        assert_int_equal(set.ranges[i].last, ranges[i].last);
    }
}

#define RANGES(...)                                                                                \
    (const struct jsv_range[]){__VA_ARGS__},                                                       \
        sizeof((const struct jsv_range[]){__VA_ARGS__}) / sizeof(struct jsv_range)

static void test_join(void **state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    expect_ranges(build(&arena, RANGES({5, 9}, {1, 2}), false), RANGES({1, 2}, {5, 9}));
    expect_ranges(build(&arena, RANGES({5, 9}, {1, 4}), false), RANGES({1, 9}));
    expect_ranges(build(&arena, RANGES({5, 9}, {1, 7}), false), RANGES({1, 9}));
    expect_ranges(build(&arena, RANGES({1, 9}, {3, 4}), false), RANGES({1, 9}));
    expect_ranges(build(&arena, RANGES({3, 3}, {3, 3}), false), RANGES({3, 3}));
    assert_int_equal(build(&arena, NULL, 0, false).count, 0);
    jsv_arena_done(&arena);
}

static void test_negation(void **state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    expect_ranges(build(&arena, NULL, 0, true), RANGES({0, 0x10FFFF}));
    expect_ranges(build(&arena, RANGES({'a', 'z'}), true), RANGES({0, 0x60}, {0x7B, 0x10FFFF}));
    expect_ranges(build(&arena, RANGES({0, 9}), true), RANGES({10, 0x10FFFF}));
    expect_ranges(build(&arena, RANGES({10, 0x10FFFF}), true), RANGES({0, 9}));
    assert_int_equal(build(&arena, RANGES({0, 0x10FFFF}), true).count, 0);
    jsv_arena_done(&arena);
}

static void test_surrogates(void **state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, SIZE_MAX);
    assert_int_equal(build(&arena, RANGES({0xD800, 0xDFFF}), false).count, 0);
    expect_ranges(build(&arena, RANGES({0xD800, 0xDFFF}), true), RANGES({0, 0x10FFFF}));
    expect_ranges(build(&arena, RANGES({0xD7FF, 0xE000}), false), RANGES({0xD7FF, 0xE000}));
    expect_ranges(
        build(&arena, RANGES({0xD7FF, 0xD7FF}, {0xE000, 0xE000}), false), RANGES({0xD7FF, 0xE000}));
    expect_ranges(build(&arena, RANGES({0xD000, 0xD900}), false), RANGES({0xD000, 0xD7FF}));
    expect_ranges(build(&arena, RANGES({0xD900, 0xE100}), false), RANGES({0xE000, 0xE100}));
    expect_ranges(build(&arena, RANGES({0xE000, 0x10FFFF}), true), RANGES({0, 0xD7FF}));
    expect_ranges(build(&arena, RANGES({0, 0xD7FF}), true), RANGES({0xE000, 0x10FFFF}));
    expect_ranges(
        build(&arena, RANGES({0xE000, 0xE000}), true), RANGES({0, 0xD7FF}, {0xE001, 0x10FFFF}));
    jsv_arena_done(&arena);
}

/* Compared with a bitmap of the first few thousand code points. */
static void test_random_sets(void **state)
{
    (void)state;
    enum {
        SPACE = 4096
    };
    uint64_t random = 1;
    for (int round = 0; round < 200; round++) {
        struct jsv_arena arena;
        jsv_arena_init(&arena, NULL, SIZE_MAX);
        struct jsv_charset_builder builder = jsv_charset_builder_on(&arena);
        bool expected[SPACE] = {false};
        bool negated = round % 2;
        for (uint64_t n = random_below(&random, 60); n > 0; n--) {
            uint32_t first = (uint32_t)random_below(&random, SPACE);
            uint32_t last = first + (uint32_t)random_below(&random, SPACE - first) / 40;
            assert_int_equal(jsv_charset_add(&builder, first, last), 0);
            memset(expected + first, true, last - first + 1);
        }
        struct jsv_charset set;
        assert_int_equal(jsv_charset_build(&builder, negated, &set), 0);
        assert_canonical(&set);
        for (uint32_t i = 0; i < SPACE; i++) {
            assert_int_equal(contains(&set, i), expected[i] != negated);
        }
        assert_int_equal(contains(&set, JSV_CODE_POINT_MAX), negated);
        jsv_arena_done(&arena);
    }
}

static void test_sort(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (size_t count = 0; count < 200; count++) {
        struct jsv_range ranges[200];
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            ranges[i].first = ranges[i].last = (uint32_t)random_below(&random, count);
            sum += ranges[i].first * (uint64_t)ranges[i].first;
        }
        jsv_ranges_sort(ranges, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(i == 0 || ranges[i - 1].first <= ranges[i].first);
            assert_int_equal(ranges[i].first, ranges[i].last);
            sum -= ranges[i].first * (uint64_t)ranges[i].first;
        }
        assert_int_equal(sum, 0);
    }
}

static void test_predefined(void **state)
{
    (void)state;
    assert_canonical(&jsv_charset_digit);
    assert_canonical(&jsv_charset_word);
    assert_canonical(&jsv_charset_space);
    assert_canonical(&jsv_charset_newline);
}

/* All kinds of parts at once; with properties the set is marked as negated. */
static int mix(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_arena arena;
    jsv_arena_init(&arena, allocator, SIZE_MAX);
    struct jsv_charset_builder first = jsv_charset_builder_on(&arena);
    struct jsv_charset_builder second = jsv_charset_builder_on(&arena);
    struct jsv_property property = {"", "Lu", true};
    struct jsv_charset inner;
    struct jsv_charset set;
    struct jsv_charset outside;
    int error = jsv_charset_complement(first.arena, &jsv_charset_digit, &outside);
    error = error ? error : jsv_charset_add_set(&first, &outside);
    error = error ? error : jsv_charset_add_property(&first, &property, true);
    error = error ? error : jsv_charset_build(&first, false, &inner);
    for (uint32_t i = 0; i < 500 && !error; i++) {
        error = jsv_charset_add(&second, 1000 - 2 * i, 1000 - 2 * i);
    }
    error = error ? error : jsv_charset_add_set(&second, &inner);
    error = error ? error : jsv_charset_add_set(&second, &jsv_charset_space);
    error = error ? error : jsv_charset_build(&second, true, &set);
    if (!error) {
        assert_true(set.negated);
        assert_non_null(set.properties);
        assert_null(set.properties->next);
        assert_true(set.properties->negated);
        assert_string_equal(set.properties->property.name, "Lu");
        assert_true(contains(&set, 'a'));
        assert_false(contains(&set, '1'));
        assert_true(contains(&set, '2'));
    }
    jsv_arena_done(&arena);
    return error;
}

static void test_torture(void **state)
{
    (void)state;
    assert_true(torture_run(mix, NULL) > 0);
}

/* Every allocation fails once. */
static void test_budgets(void **state)
{
    (void)state;
    struct jsv_charset_builder builder;
    struct jsv_charset set;
    struct jsv_property property = {"", "Lu", true};
    struct jsv_arena arena;
    jsv_arena_init(&arena, NULL, 0);
    builder = jsv_charset_builder_on(&arena);
    assert_int_equal(jsv_charset_add(&builder, 1, 2), -ENOMEM);
    assert_int_equal(jsv_charset_add_set(&builder, &jsv_charset_space), -ENOMEM);
    assert_int_equal(jsv_charset_complement(&arena, &jsv_charset_space, &set), -ENOMEM);
    assert_int_equal(jsv_charset_add_property(&builder, &property, false), -ENOMEM);
    assert_int_equal(jsv_charset_build(&builder, true, &set), -ENOMEM);
    assert_int_equal(jsv_charset_build(&builder, false, &set), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_negation),
        cmocka_unit_test(test_surrogates),
        cmocka_unit_test(test_random_sets),
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_predefined),
        cmocka_unit_test(test_torture),
        cmocka_unit_test(test_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
