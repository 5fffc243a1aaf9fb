#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/number.h"
#include "support/comma_locale.h"
#include "support/random.h"
#include "support/spelling.h"

static double double_of(const char *spelling)
{
    struct jsv_number number = jsv_number_from(jsv_str_from(spelling));
    return jsv_number_double(&number);
}

/* Bit for bit, which tells -0 from 0. */
static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void test_known(void **state)
{
    (void)state;
    static const struct {
        const char *spelling;
        double expected;
    } cases[] = {
        {"0", 0.0},
        {"-0", -0.0},
        {"0e999999999999999999999", 0.0},
        {"-0.0", -0.0},
        {"1", 1},
        {"-1.5", -1.5},
        {"0.1", 0x1.999999999999ap-4},
        {"1e22", 0x1.0f0cf064dd592p+73},
        {"1e23", 0x1.52d02c7e14af6p+76}, /* a tie, nearly */
        {"9007199254740992", 0x1p53},
        {"9007199254740993", 0x1p53}, /* a tie, to even */
        {"9007199254740995", 0x1.0000000000002p53},
        {"9007199254740993.0000000000000000000000000000000001", 0x1.0000000000001p53},
        {"18446744073709551615", 0x1p64},
        {"18446744073709551616", 0x1p64},
        {"123456789012345678901234567890", 0x1.8ee90ff6c373ep+96},
        {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
        {"1.7976931348623158e308", 0x1.fffffffffffffp1023},
        {"1.7976931348623159e308", INFINITY},
        {"-1.7976931348623159e308", -INFINITY},
        {"1e309", INFINITY},
        {"1e310", INFINITY},
        {"-1e400", -INFINITY},
        {"1e9999999999", INFINITY},
        {"-1e99999999999999999999999", -INFINITY},
        {"2.2250738585072014e-308", 0x1p-1022},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
        {"5e-324", 0x1p-1074},
        {"2.4703282292062328e-324", 0x1p-1074},
        {"2.4703282292062327e-324", 0.0},
        {"-2e-324", -0.0},
        {"1e-325", 0.0},
        {"9e-326", 0.0},
        {"1e-400", 0.0},
        {"-1E-9999999999", -0.0},
        {"1e-99999999999999999999999", 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!same(double_of(cases[i].spelling), cases[i].expected)) {
            fail_msg("%s", cases[i].spelling);
        }
    }
}

/* The C library's own strtod reads JSON's numbers, in the locale the tests run in. */
static void test_against_strtod(void **state)
{
    (void)state;
    uint64_t random = 99;
    for (int i = 0; i < 100000; i++) {
        char digits[] = "17976931348623157081452742373170435679807056752584";
        for (size_t j = 0; j < sizeof digits - 1 && i % 2; j++) {
            digits[j] = (char)('0' + random_below(&random, 10));
        }
        digits[0] = digits[0] == '0' ? '1' : digits[0];
        digits[1 + random_below(&random, sizeof digits - 2)] = '\0';
        char spelling[sizeof digits + SPELLING_EXTRA];
        int64_t range = i % 3 ? 60 : 700;
        int64_t exponent = (int64_t)random_below(&random, (uint64_t)range) - range / 2;
        spelling_write(spelling, i & 4, digits, exponent, &random);
        if (!same(double_of(spelling), strtod(spelling, NULL))) {
            fail_msg("%s", spelling);
        }
    }
}

/* Half way between 2^53 and its neighbour, decided by one digit far behind. */
static void test_a_far_digit_decides(void **state)
{
    (void)state;
    static const size_t sizes[] = {100, 799, 800, 801, 802, 900, JSV_NUMBER_SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *spelling = malloc(sizes[i] + 1);
        assert_non_null(spelling);
        memset(spelling, '0', sizes[i]);
        memcpy(spelling, "9007199254740993.", 17);
        spelling[sizes[i]] = '\0';
        assert_true(same(double_of(spelling), 0x1p53));
        spelling[sizes[i] - 1] = '1';
        assert_true(same(double_of(spelling), 0x1.0000000000001p53));
        free(spelling);
    }
}

/* The longest midpoint of all: half of the smallest double, 751 digits; and one digit more. */
static void test_longest_midpoint(void **state)
{
    (void)state;
    char spelling[1200];
    int size = snprintf(spelling, sizeof spelling, "%.1075f", 0x1p-1074);
    assert_int_equal(size, 1077);
    /* Half of it, by hand, from the left. */
    int rest = 0;
    for (int i = 2; i < size; i++) {
        int value = rest * 10 + spelling[i] - '0';
        spelling[i] = (char)('0' + value / 2);
        rest = value % 2;
    }
    assert_int_equal(rest, 0);
    assert_true(same(double_of(spelling), 0.0)); /* a tie, to even */
    memcpy(spelling + size, "0001", 5);
    assert_true(same(double_of(spelling), 0x1p-1074));
}

static void test_locale_does_not_matter(void **state)
{
    (void)state;
    if (!comma_locale_enter()) {
        print_message("no locale with a decimal comma (Debian: locales-all)\n");
        skip();
    }
    char probe[16];
    snprintf(probe, sizeof probe, "%.1f", 1.5);
    double doubles[] = {
        double_of("0.1"),
        double_of("3.14159265358979323846264338327950288"),
        double_of("123456789012345678901234567890.125"),
        double_of("1.5e-310"),
    };
    comma_locale_leave();
    assert_string_equal(probe, "1,5");
    assert_true(same(doubles[0], 0.1));
    assert_true(same(doubles[1], 3.14159265358979323846264338327950288));
    assert_true(same(doubles[2], 123456789012345678901234567890.125));
    assert_true(same(doubles[3], 1.5e-310));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_against_strtod),
        cmocka_unit_test(test_a_far_digit_decides),
        cmocka_unit_test(test_longest_midpoint),
        cmocka_unit_test(test_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
