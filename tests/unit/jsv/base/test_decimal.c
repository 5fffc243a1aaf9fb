#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/decimal.h"
#include "support/random.h"
#include "support/spelling.h"

/* The digits of a view without the point. */
static const char *digits_of(const struct jsv_decimal *decimal, char out[static 64])
{
    const char *cursor = decimal->digits.data;
    for (size_t i = 0; i < decimal->count; i++) {
        out[i] = (char)('0' + jsv_decimal_next(&cursor));
    }
    assert_ptr_equal(cursor, decimal->digits.data + decimal->digits.size);
    out[decimal->count] = '\0';
    return out;
}

static void test_spellings_are_normalised(void **state)
{
    (void)state;
    static const struct {
        const char *spelling, *digits;
        int64_t exponent;
    } cases[] = {
        {"1", "1", 0},
        {"-1", "1", 0},
        {"100", "1", 2},
        {"120", "12", 1},
        {"1.0", "1", 0},
        {"1.20", "12", -1},
        {"10.50", "105", -1},
        {"0.5", "5", -1},
        {"0.0050", "5", -3},
        {"0.00501", "501", -5},
        {"100.001", "100001", -3},
        {"1e5", "1", 5},
        {"1E+05", "1", 5},
        {"1e-5", "1", -5},
        {"12.5e1", "125", 0},
        {"-0.00120e+45", "12", 41},
        {"1000e-3", "1", 0},
        {"5e0", "5", 0},
        {"5e-0", "5", 0},
        {"5e00000000000000000000000000000000000000000001", "5", 1},
        {"123456789012345678901234567890", "12345678901234567890123456789", 1},
        {"0.1e99999999999999999", "1", 99999999999999998},
        {"1e99999999999999999", "1", 99999999999999999},
        {"1e100000000000000000", "1", JSV_EXPONENT_FAR},
        {"1e-100000000000000000", "1", -JSV_EXPONENT_FAR},
        {"1e999999999999999999999999999", "1", JSV_EXPONENT_FAR},
        {"1e-999999999999999999999999999", "1", -JSV_EXPONENT_FAR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_decimal decimal;
        char digits[64];
        assert_true(jsv_decimal_init_spelling(&decimal, jsv_str_from(cases[i].spelling)));
        assert_string_equal(digits_of(&decimal, digits), cases[i].digits);
        assert_true(jsv_decimal_exponent(&decimal) == cases[i].exponent);
    }
}

static void test_zero_has_no_view(void **state)
{
    (void)state;
    static const char *const zeros[] = {"0", "-0", "0.0", "0e5", "0.000e-99999999999999999999"};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        struct jsv_decimal decimal;
        assert_false(jsv_decimal_init_spelling(&decimal, jsv_str_from(zeros[i])));
    }
}

static void test_small_numbers_have_the_same_view(void **state)
{
    (void)state;
    static const uint64_t significands[] = {1, 10, 120, 100000, 9, 1234567890, UINT64_MAX};
    for (size_t i = 0; i < sizeof significands / sizeof significands[0]; i++) {
        struct jsv_number small = {.significand = significands[i], .exponent = -3};
        char spelling[40];
        snprintf(spelling, sizeof spelling, "%" PRIu64 "e-3", significands[i]);
        struct jsv_number big = {.big = true, .spelling = jsv_str_from(spelling)};
        struct jsv_decimal a;
        struct jsv_decimal b;
        jsv_decimal_init(&a, &small);
        jsv_decimal_init(&b, &big);
        assert_int_equal(jsv_decimal_compare(&a, &b), 0);
        assert_int_equal(a.count, b.count);
        assert_true(jsv_decimal_exponent(&a) == jsv_decimal_exponent(&b));
        assert_true(jsv_decimal_hash(&a, 1) == jsv_decimal_hash(&b, 1));
    }
}

static int64_t difference(const char *a, const char *b)
{
    struct jsv_decimal decimal_a;
    struct jsv_decimal decimal_b;
    assert_true(jsv_decimal_init_spelling(&decimal_a, jsv_str_from(a)));
    assert_true(jsv_decimal_init_spelling(&decimal_b, jsv_str_from(b)));
    return jsv_exponent_difference(&decimal_a.exponent, &decimal_b.exponent);
}

static void test_exponents_of_any_length(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int64_t difference;
    } cases[] = {
        {"1e5", "1e3", 2},
        {"1e-5", "1e3", -8},
        {"1e99999999999999999999999", "1e99999999999999999999998", 1},
        {"1e-99999999999999999999999", "1e-99999999999999999999998", -1},
        {"1e100000000000000000000000", "1e99999999999999999999999", 1},
        {"1e100000000000000000000000", "10e99999999999999999999999", 0},
        {"0.001e100000000000000000002", "1e99999999999999999999", 0},
        {"1e123456789012345678901234567890", "1e123456789012345678901234500000", 67890},
        {"1e100000000000000000000", "1e1", JSV_EXPONENT_FAR},
        {"1e1", "1e100000000000000000000", -JSV_EXPONENT_FAR},
        {"1e-100000000000000000000", "1e100000000000000000000", -JSV_EXPONENT_FAR},
        {"1e90000000000000000", "1e-90000000000000000", JSV_EXPONENT_FAR},
        {"1e-90000000000000000", "1e90000000000000000", -JSV_EXPONENT_FAR},
        {"1e900000000000000000", "1e899999999999999999", 1},
        {"1e499999999999999999", "1e1", JSV_EXPONENT_FAR},
        {"1e500000000000000000", "1e1", JSV_EXPONENT_FAR},
        {"1e1", "1e500000000000000000", -JSV_EXPONENT_FAR},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(difference(cases[i].a, cases[i].b) == cases[i].difference);
    }
}

static void test_exponents_against_arithmetic(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < 100000; i++) {
        /* Of all lengths up to 18 digits. */
        int64_t a = (int64_t)(random_next(&random) >> (4 + random_below(&random, 60)));
        int64_t b = random_below(&random, 2) ? a + (int64_t)random_below(&random, 1000) - 500
                                             : (int64_t)(random_next(&random) >> 10);
        a = random_below(&random, 2) ? -a : a;
        b = random_below(&random, 2) ? -b : b;
        int64_t expected = a - b;
        expected = expected > JSV_EXPONENT_FAR ? JSV_EXPONENT_FAR : expected;
        expected = expected < -JSV_EXPONENT_FAR ? -JSV_EXPONENT_FAR : expected;
        char spelling_a[40];
        char spelling_b[40];
        snprintf(spelling_a, sizeof spelling_a, "1e%" PRId64, a);
        snprintf(spelling_b, sizeof spelling_b, "1e%" PRId64, b);
        assert_true(difference(spelling_a, spelling_b) == expected);
    }
}

static uint64_t hash_of(const char *spelling)
{
    struct jsv_decimal decimal;
    assert_true(jsv_decimal_init_spelling(&decimal, jsv_str_from(spelling)));
    return jsv_decimal_hash(&decimal, 5);
}

static void test_hash_is_of_the_value(void **state)
{
    (void)state;
    static const char *const equal[][2] = {
        {"12.5", "1250e-2"},
        {"123456789012345678901234567890", "1.2345678901234567890123456789e29"},
        {"1e100000000000000000000", "10e99999999999999999999"},
        {"1e100000000000000000000", "0.001e100000000000000000003"},
        {"1e-100000000000000000000", "0.1e-99999999999999999999"},
        {"1e-100000000000000000000", "1000e-100000000000000000003"},
        {"1e99999999999999999999", "0.1e100000000000000000000"},
        {"1e-99999999999999999999", "10e-100000000000000000000"},
        {"1e99999999999999999", "0.1e100000000000000000"},
        {"1e100000000000000000", "10e99999999999999999"},
    };
    for (size_t i = 0; i < sizeof equal / sizeof equal[0]; i++) {
        assert_true(hash_of(equal[i][0]) == hash_of(equal[i][1]));
    }
    static const char *const different[] = {
        "1",
        "1e1",
        "1e-1",
        "11",
        "1e18446744073709551616",  /* 2^64 */
        "1e-18446744073709551616", /* and the other way */
        "1e18446744073709551617",
        "1e36893488147419103232",
        "1e340282366920938463463374607431768211456", /* 2^128 */
        "1e100000000000000000",
        "1e-100000000000000000",
    };
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_true(hash_of(different[i]) != hash_of(different[j]));
        }
    }
}

/* 1e<E> with E = 10^20 + r, and with k zeros moved from the exponent to the digits. */
static void test_hash_with_carries_in_the_exponent(void **state)
{
    (void)state;
    static const char zeros[] = "000000000000000000000000000000000000000000000000000000000000";
    uint64_t random = 8;
    for (int i = 0; i < 20000; i++) {
        unsigned r = 100 + (unsigned)random_below(&random, 1000000);
        unsigned k = 1 + (unsigned)random_below(&random, sizeof zeros - 1);
        char plain[128];
        char moved[128];
        snprintf(plain, sizeof plain, "1e1%020u", r);
        snprintf(moved, sizeof moved, "1%.*se1%020u", (int)k, zeros, r - k);
        assert_true(hash_of(plain) == hash_of(moved));
        snprintf(moved, sizeof moved, "0.%.*s1e1%020u", (int)k - 1, zeros, r + k);
        assert_true(hash_of(plain) == hash_of(moved));
        snprintf(plain, sizeof plain, "1e-1%020u", r);
        snprintf(moved, sizeof moved, "1%.*se-1%020u", (int)k, zeros, r + k);
        assert_true(hash_of(plain) == hash_of(moved));
        snprintf(moved, sizeof moved, "0.%.*s1e-1%020u", (int)k - 1, zeros, r - k);
        assert_true(hash_of(plain) == hash_of(moved));
    }
}

static void test_all_spellings_of_a_number_are_one(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 20000; i++) {
        char digits[] = "9876543210987654321098765432109876543210";
        digits[1 + random_below(&random, sizeof digits - 2)] = '\0';
        int64_t exponent = (int64_t)random_below(&random, 200) - 100;
        char spelling[2][sizeof digits + SPELLING_EXTRA];
        struct jsv_decimal decimals[2];
        for (int j = 0; j < 2; j++) {
            spelling_write(spelling[j], false, digits, exponent, &random);
            assert_true(jsv_decimal_init_spelling(&decimals[j], jsv_str_from(spelling[j])));
        }
        assert_int_equal(jsv_decimal_compare(&decimals[0], &decimals[1]), 0);
        assert_int_equal(decimals[0].count, decimals[1].count);
        assert_true(hash_of(spelling[0]) == hash_of(spelling[1]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings_are_normalised),
        cmocka_unit_test(test_zero_has_no_view),
        cmocka_unit_test(test_small_numbers_have_the_same_view),
        cmocka_unit_test(test_exponents_of_any_length),
        cmocka_unit_test(test_exponents_against_arithmetic),
        cmocka_unit_test(test_hash_is_of_the_value),
        cmocka_unit_test(test_hash_with_carries_in_the_exponent),
        cmocka_unit_test(test_all_spellings_of_a_number_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
