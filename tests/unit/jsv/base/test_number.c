#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/number.h"
#include "support/random.h"
#include "support/spelling.h"

static struct jsv_number number(const char *spelling)
{
    return jsv_number_from(jsv_str_from(spelling));
}

static int compare(const char *a, const char *b)
{
    struct jsv_number number_a = number(a);
    struct jsv_number number_b = number(b);
    int order = jsv_number_compare(&number_a, &number_b);
    int back = jsv_number_compare(&number_b, &number_a);
    assert_int_equal((order > 0) - (order < 0), (back < 0) - (back > 0));
    assert_int_equal(jsv_number_equal(&number_a, &number_b), order == 0);
    if (order == 0) {
        assert_true(jsv_number_hash(&number_a, 1) == jsv_number_hash(&number_b, 1));
    }
    return (order > 0) - (order < 0);
}

static void test_small_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *spelling;
        bool negative;
        uint64_t significand;
        int64_t exponent;
    } cases[] = {
        {"0", false, 0, 0},
        {"-0", true, 0, 0},
        {"0.0", false, 0, 0},
        {"-0.000e-7", true, 0, 0},
        {"0e99999999999999999999999", false, 0, 0},
        {"0.00000000000000000000000000000000", false, 0, 0},
        {"7", false, 7, 0},
        {"-12", true, 12, 0},
        {"1.5", false, 15, -1},
        {"-0.25", true, 25, -2},
        {"1e3", false, 1, 3},
        {"1E+3", false, 1, 3},
        {"1.25e-3", false, 125, -5},
        {"9999999999999999999", false, 9999999999999999999u, 0},
        {"10000000000000000001", false, 10000000000000000001u, 0},
        {"18446744073709551615", false, UINT64_MAX, 0},
        {"1.8446744073709551615", false, UINT64_MAX, -19},
        {"1.00000000000000000000000000000000", false, 1, 0},
        {"100000000000000000000000000000000", false, 1, 32},
        {"0.000000000000000000000000000000012", false, 12, -33},
        {"1e9999999999999999", false, 1, 9999999999999999},
        {"1e99999999999999999", false, 1, 99999999999999999},
        {"1e-99999999999999999", false, 1, -99999999999999999},
        {"10e-100000000000000000", false, 1, -99999999999999999},
        {"1e00000000000000000000000000000003", false, 1, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_number actual = number(cases[i].spelling);
        assert_false(actual.big);
        assert_int_equal(actual.negative, cases[i].negative);
        assert_true(actual.significand == cases[i].significand);
        assert_true(actual.exponent == cases[i].exponent);
    }
}

static void test_big_numbers(void **state)
{
    (void)state;
    static const char *const spellings[] = {
        "18446744073709551616",
        "18446744073709551617",
        "-99999999999999999999",
        "123456789012345678901",
        "1.2345678901234567890123e5",
        "1e100000000000000000",
        "1e-100000000000000000",
        "0.1e100000000000000001",
        "-1e99999999999999999999999999",
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        struct jsv_number actual = number(spellings[i]);
        assert_true(actual.big);
        assert_int_equal(actual.negative, spellings[i][0] == '-');
        assert_ptr_equal(actual.spelling.data, spellings[i]);
        assert_int_equal(actual.spelling.size, strlen(spellings[i]));
        assert_false(jsv_number_is_zero(&actual));
    }
}

/* A spelling ends where its size says, whatever comes behind it. */
static void test_nothing_behind_is_read(void **state)
{
    (void)state;
    static const char *const spellings[] = {
        "0",
        "-0",
        "7",
        "-12.5",
        "0.25",
        "5e0",
        "5e-00",
        "1e3",
        "1.00000000000000000000000000000000",
        "5e00000000000000000000000000000000",
        "18446744073709551616",
        "18446744073709551616.5",
        "18446744073709551616e0",
        "1e100000000000000000",
    };
    static const char *const behind[] = {"0", "00", "7", ".5", "e9", "0e9", "-1"};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        struct jsv_number expected = number(spellings[i]);
        for (size_t j = 0; j < sizeof behind / sizeof behind[0]; j++) {
            char text[64];
            snprintf(text, sizeof text, "%s%s", spellings[i], behind[j]);
            struct jsv_number actual =
                jsv_number_from((struct jsv_str){text, strlen(spellings[i])});
            assert_int_equal(actual.big, expected.big);
            assert_true(actual.exponent == expected.exponent);
            assert_true(jsv_number_equal(&actual, &expected));
            assert_true(jsv_number_hash(&actual, 3) == jsv_number_hash(&expected, 3));
        }
    }
}

/* Each is less than the next. */
static void test_order(void **state)
{
    (void)state;
    static const char *const rising[] = {
        "-1e99999999999999999999999",
        "-1e99999999999999999999998",
        "-1e400",
        "-123456789012345678901234567891",
        "-123456789012345678901234567890",
        "-18446744073709551616",
        "-18446744073709551615",
        "-2",
        "-1.1",
        "-1",
        "-1e-18",
        "-1e-19",
        "-1e-30",
        "-1e-99999999999999999999999",
        "0",
        "1e-99999999999999999999999",
        "1e-99999999999999999999998",
        "1E-9999999999",
        "1e-30",
        "1e-19",
        "1e-18",
        "18446744073709551615e-30",
        "0.00999999999999999999999999999999",
        "0.01",
        "0.010000000000000000000000000000001",
        "0.1",
        "0.10000000000000000000000000000000000001",
        "0.3",
        "0.30000000000000004",
        "1",
        "1.0000000000000000000000000000001",
        "9",
        "10",
        "99",
        "9007199254740992",
        "9007199254740993",
        "1e19",
        "18446744073709551615",
        "18446744073709551615.5",
        "18446744073709551616",
        "18446744073709551617",
        "2e19",
        "18446744073709551615e1",
        "1e21",
        "123456789012345678901234567890",
        "123456789012345678901234567890.5",
        "123456789012345678901234567891",
        "9e29",
        "1e30",
        "18446744073709551615e18",
        "18446744073709551615e19",
        "1e308",
        "1e309",
        "1e9999999999",
        "9e99999999999999998",
        "9e99999999999999999",
        "1e100000000000000000",
        "1e99999999999999999999998",
        "1e99999999999999999999999",
        "1.5e99999999999999999999999",
        "1e100000000000000000000000",
    };
    const size_t count = sizeof rising / sizeof rising[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            assert_int_equal(compare(rising[i], rising[j]), (i > j) - (i < j));
        }
    }
}

static void test_equal_however_written(void **state)
{
    (void)state;
    static const char *const equal[][2] = {
        {"0", "-0"},
        {"0", "-0.0e5"},
        {"1", "1.0"},
        {"1", "10e-1"},
        {"1", "0.1e1"},
        {"1", "1.00000000000000000000000000000000000000000000000000"},
        {"100", "1e2"},
        {"-1.5", "-15e-1"},
        {"123456789012345678901234567890", "1.2345678901234567890123456789e29"},
        {"123456789012345678901234567890", "123456789012345678901234567890.000"},
        {"1e99999999999999999999999", "10e99999999999999999999998"},
        {"1e100000000000000000000000", "0.01e100000000000000000000002"},
        {"1e100000000000000000", "10e99999999999999999"},
        {"1e99999999999999999", "0.1e100000000000000000"},
        {"18446744073709551616", "18446744073709551616.0"},
        {"18446744073709551610", "1844674407370955161e1"},
    };
    for (size_t i = 0; i < sizeof equal / sizeof equal[0]; i++) {
        assert_int_equal(compare(equal[i][0], equal[i][1]), 0);
    }
}

static void test_hash_tells_apart(void **state)
{
    (void)state;
    static const char *const different[] = {
        "0",
        "1",
        "-1",
        "10",
        "0.1",
        "-0.1",
        "12",
        "21",
        "18446744073709551615",
        "18446744073709551616",
        "-18446744073709551616",
        "18446744073709551616e1",
        "1e100000000000000000",
        "1e-100000000000000000",
    };
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        struct jsv_number a = number(different[i]);
        assert_true(jsv_number_hash(&a, 1) != jsv_number_hash(&a, 2));
        for (size_t j = 0; j < i; j++) {
            struct jsv_number b = number(different[j]);
            assert_true(jsv_number_hash(&a, 1) != jsv_number_hash(&b, 1));
        }
    }
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *spelling;
        int result;
        int64_t integer;
    } cases[] = {
        {"0", 0, 0},
        {"-0", 0, 0},
        {"-0.0e-40", 0, 0},
        {"0e400", 0, 0},
        {"7", 0, 7},
        {"-7", 0, -7},
        {"7.0", 0, 7},
        {"70e-1", 0, 7},
        {"0.7e1", 0, 7},
        {"-1.5e1", 0, -15},
        {"1e18", 0, 1000000000000000000},
        {"1000000000000000000e-18", 0, 1},
        {"10000000000000000000e-19", 0, 1},
        {"9223372036854775807", 0, INT64_MAX},
        {"-9223372036854775808", 0, INT64_MIN},
        {"-9223372036854775808.000000000000000000000", 0, INT64_MIN},
        {"922337203685477580.7e1", 0, INT64_MAX},
        {"9223372036854775808", -ERANGE, 0},
        {"-9223372036854775809", -ERANGE, 0},
        {"18446744073709551615", -ERANGE, 0},
        {"1e19", -ERANGE, 0},
        {"2e19", -ERANGE, 0},
        {"1e20", -ERANGE, 0},
        {"123456789012345678901234567890", -ERANGE, 0},
        {"-1e99999999999999999999", -ERANGE, 0},
        {"1.2345678901234567890123e22", -ERANGE, 0},
        {"1.5", -EINVAL, 0},
        {"1e-1", -EINVAL, 0},
        {"1e-20", -EINVAL, 0},
        {"1E-9999999999", -EINVAL, 0},
        {"1e-99999999999999999999", -EINVAL, 0},
        {"15e-1", -EINVAL, 0},
        {"123456789012345678901234567890.5", -EINVAL, 0},
        {"1.2345678901234567890123e21", -EINVAL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct jsv_number actual = number(cases[i].spelling);
        int64_t integer = 77;
        assert_int_equal(jsv_number_int64(&actual, &integer), cases[i].result);
        assert_true(integer == (cases[i].result ? 77 : cases[i].integer));
        assert_int_equal(jsv_number_is_integer(&actual), cases[i].result != -EINVAL);
    }
}

/* More zeros than jsv_number_from leaves in a significand, but others may. */
static void test_integer_of_twenty_digits(void **state)
{
    (void)state;
    struct jsv_number one = {.significand = 10000000000000000000u, .exponent = -19};
    struct jsv_number less = {.significand = 10000000000000000000u, .exponent = -20};
    int64_t integer;
    assert_int_equal(jsv_number_int64(&one, &integer), 0);
    assert_int_equal(integer, 1);
    assert_int_equal(jsv_number_int64(&less, &integer), -EINVAL);
}

static void test_from_int64(void **state)
{
    (void)state;
    static const int64_t integers[] = {0, 1, -1, 42, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        struct jsv_number actual = jsv_number_from_int64(integers[i]);
        char spelling[32];
        snprintf(spelling, sizeof spelling, "%" PRId64, integers[i]);
        struct jsv_number expected = number(spelling);
        assert_true(jsv_number_equal(&actual, &expected));
        int64_t back;
        assert_int_equal(jsv_number_int64(&actual, &back), 0);
        assert_true(back == integers[i]);
    }
    struct jsv_number zero = jsv_number_from_int64(0);
    struct jsv_number one = jsv_number_from_int64(1);
    assert_true(jsv_number_is_zero(&zero));
    assert_false(jsv_number_is_zero(&one));
}

/*
 * Numbers m * 10^e with e from -9 to 9, so that times 10^9 they are integers
 * of 128 bits, with which everything can be said the simple way.
 */
struct sample {
    __int128 scaled; /* value * 10^9 */
    struct jsv_number number;
    char spelling[32 + SPELLING_EXTRA];
};

static void make_sample(struct sample *sample, uint64_t *random)
{
    uint64_t bound = random_below(random, 3) == 0 ? 20 : 1000000000;
    uint64_t significand = random_below(random, bound);
    int exponent = (int)random_below(random, 19) - 9;
    bool negative = random_below(random, 2);
    sample->scaled = negative ? -(__int128)significand : (__int128)significand;
    for (int i = -9; i < exponent; i++) {
        sample->scaled *= 10;
    }
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, significand);
    size_t size = spelling_write(sample->spelling, negative, digits, exponent, random);
    sample->number = jsv_number_from((struct jsv_str){sample->spelling, size});
}

static void check_pair(const struct sample *a, const struct sample *b)
{
    int order = (a->scaled > b->scaled) - (a->scaled < b->scaled);
    if (compare(a->spelling, b->spelling) != order) {
        fail_msg("compare %s with %s", a->spelling, b->spelling);
    }
    if (b->scaled != 0 &&
        jsv_number_multiple_of(&a->number, &b->number) != (a->scaled % b->scaled == 0)) {
        fail_msg("%s a multiple of %s?", a->spelling, b->spelling);
    }
}

static void check_single(const struct sample *sample)
{
    const __int128 one = 1000000000;
    bool integer = sample->scaled % one == 0;
    assert_int_equal(jsv_number_is_integer(&sample->number), integer);
    assert_int_equal(jsv_number_is_zero(&sample->number), sample->scaled == 0);
    int64_t actual = 0;
    int error = jsv_number_int64(&sample->number, &actual);
    __int128 value = sample->scaled / one;
    bool fits = value >= INT64_MIN && value <= INT64_MAX;
    assert_int_equal(error, !integer ? -EINVAL : fits ? 0 : -ERANGE);
    assert_true(error || actual == value);
}

static void test_against_wide_integers(void **state)
{
    (void)state;
    uint64_t random = 2024;
    for (int i = 0; i < 200000; i++) {
        struct sample a;
        struct sample b;
        struct sample c;
        make_sample(&a, &random);
        make_sample(&b, &random);
        make_sample(&c, &random);
        check_single(&a);
        check_pair(&a, &b);
        check_pair(&b, &c);
        check_pair(&c, &a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_numbers),
        cmocka_unit_test(test_big_numbers),
        cmocka_unit_test(test_nothing_behind_is_read),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_equal_however_written),
        cmocka_unit_test(test_hash_tells_apart),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_integer_of_twenty_digits),
        cmocka_unit_test(test_from_int64),
        cmocka_unit_test(test_against_wide_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
