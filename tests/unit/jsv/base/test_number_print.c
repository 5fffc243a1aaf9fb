#include <inttypes.h>
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

struct printed {
    char text[JSV_NUMBER_PRINT_MAX + 1];
};

static struct printed print(double number)
{
    struct printed printed;
    memset(printed.text, '#', sizeof printed.text);
    size_t size = jsv_number_print(number, printed.text);
    assert_in_range(size, 1, 25);
    assert_int_equal(printed.text[JSV_NUMBER_PRINT_MAX], '#');
    printed.text[size] = '\0';
    return printed;
}

/* As an ECMAScript engine prints them. */
static void test_known(void **state)
{
    (void)state;
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-1, "-1"},
        {10, "10"},
        {100000, "100000"},
        {299792458, "299792458"},
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {-1e21, "-1e+21"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {21e20, "2.1e+21"},
        {123456789012345680000.0, "123456789012345680000"},
        {1234567890123456800000.0, "1.2345678901234568e+21"},
        {999999999999999900000.0, "999999999999999900000"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {-1.5, "-1.5"},
        {100.25, "100.25"},
        {4.35, "4.35"},
        {4.349999999999999, "4.349999999999999"},
        {123456.789, "123456.789"},
        {1234567.1234567, "1234567.1234567"},
        {1.0000000000000002, "1.0000000000000002"},
        {0.9999999999999999, "0.9999999999999999"},
        {0.1f, "0.10000000149011612"},
        {1e-5, "0.00001"},
        {1e-6, "0.000001"},
        {1.5e-6, "0.0000015"},
        {0.0000012345678901234567, "0.0000012345678901234567"},
        {1e-7, "1e-7"},
        {-1.5e-7, "-1.5e-7"},
        {4.9e-7, "4.9e-7"},
        {0.000123456789, "0.000123456789"},
        {6.02214076e23, "6.02214076e+23"},
        {6.62607015e-34, "6.62607015e-34"},
        {1e300, "1e+300"},
        {1e-300, "1e-300"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {-1.7976931348623157e308, "-1.7976931348623157e+308"},
        {9007199254740991.0, "9007199254740991"},
        {9007199254740992.0, "9007199254740992"},
        {9007199254740993.0, "9007199254740992"},
        {9007199254740994.0, "9007199254740994"},
        {-9007199254740992.0, "-9007199254740992"},
        {4503599627370495.5, "4503599627370495.5"},
        {0x1p54, "18014398509481984"},
        {0x1p55, "36028797018963970"},
        {0x1p63, "9223372036854776000"},
        {0x1p64, "18446744073709552000"},
        {0x1p70, "1.1805916207174113e+21"},
        {0x1p100, "1.2676506002282294e+30"},
        {0x1p1023, "8.98846567431158e+307"},
        /* Powers of two whose nearest 16 digits do not read back, but the next up do. */
        {0x1p-24, "5.960464477539063e-8"},
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p-100, "7.888609052210118e-31"},
        {0x1p-958, "4.1045368012983762e-289"},
        /* Subnormal numbers, and the smallest normal one. */
        {0x1p-1022, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {0x1p-1074, "5e-324"},
        {-0x1p-1074, "-5e-324"},
        {0x1p-1073, "1e-323"},
        {0x3p-1074, "1.5e-323"},
        {0x4p-1074, "2e-323"},
        {0x13p-1074, "9.4e-323"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(print(cases[i].number).text, cases[i].text);
    }
}

/* How many digits a text has, not counting zeros at either end. */
static int significant_digits(const char *text)
{
    int count = 0;
    int zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        } else if (*text == '0' && count > 0) {
            zeros++;
        }
    }
    return count;
}

/*
 * No decimal with fewer digits reads back. Of those the candidates are the
 * nearest to the number and its two neighbours; everything else is further off.
 */
static bool shorter_exists(double number, int digits)
{
    if (digits == 1) {
        return false;
    }
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 2, fabs(number));
    char *exponent_part = strchr(text, 'e');
    assert_non_null(exponent_part);
    long exponent = strtol(exponent_part + 1, NULL, 10) - (digits - 2);
    int64_t significand = 0;
    for (const char *cursor = text; cursor < exponent_part; cursor++) {
        significand = *cursor == '.' ? significand : significand * 10 + *cursor - '0';
    }
    for (int64_t step = -1; step <= 1; step++) {
        snprintf(text, sizeof text, "%" PRId64 "e%ld", significand + step, exponent);
        if (strtod(text, NULL) == fabs(number)) {
            return true;
        }
    }
    return false;
}

static void check(double number)
{
    struct printed printed = print(number);
    if (strtod(printed.text, NULL) != number) {
        fail_msg("%a printed as %s does not read back", number, printed.text);
    }
    if (shorter_exists(number, significant_digits(printed.text))) {
        fail_msg("%a printed as %s has a shorter form", number, printed.text);
    }
}

static double double_from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void test_random_bits(void **state)
{
    (void)state;
    uint64_t random = 31;
    for (int i = 0; i < 15000; i++) {
        uint64_t bits = random_next(&random);
        double number = double_from_bits(bits);
        if (isfinite(number)) {
            check(number);
        }
        check(double_from_bits(bits >> 12)); /* subnormal */
        check(double_from_bits(bits >> (12 + random_below(&random, 40)) | 1));
        check((double)(bits % 100000000) / 1000);
        check((double)bits);
    }
}

static void test_powers_of_two_and_their_neighbours(void **state)
{
    (void)state;
    for (uint64_t exponent = 1; exponent < 2047; exponent++) {
        uint64_t power = exponent << 52;
        check(double_from_bits(power - 1));
        check(double_from_bits(power));
        check(double_from_bits(power + 1));
    }
    for (unsigned bit = 0; bit < 52; bit++) {
        check(double_from_bits(UINT64_C(1) << bit));
    }
}

static void test_locale_does_not_matter(void **state)
{
    (void)state;
    if (!comma_locale_enter()) {
        print_message("no locale with a decimal comma (Debian: locales-all)\n");
        skip();
    }
    struct printed printed[] = {print(1.5), print(0.1), print(1.0 / 3), print(1.25e-310)};
    comma_locale_leave();
    assert_string_equal(printed[0].text, "1.5");
    assert_string_equal(printed[1].text, "0.1");
    assert_string_equal(printed[2].text, "0.3333333333333333");
    assert_string_equal(printed[3].text, "1.25e-310");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_random_bits),
        cmocka_unit_test(test_powers_of_two_and_their_neighbours),
        cmocka_unit_test(test_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
