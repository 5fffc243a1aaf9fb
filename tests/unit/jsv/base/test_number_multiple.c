#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/number.h"
#include "support/random.h"
#include "support/slowness.h"
#include "support/spelling.h"

static bool multiple(const char *a, const char *b)
{
    struct jsv_number number = jsv_number_from(jsv_str_from(a));
    struct jsv_number divisor = jsv_number_from(jsv_str_from(b));
    return jsv_number_multiple_of(&number, &divisor);
}

static void test_known(void **state)
{
    (void)state;
    static const struct {
        const char *number, *divisor;
        bool multiple;
    } cases[] = {
        {"0", "7", true},
        {"-0", "1e400", true},
        {"0", "1e99999999999999999999999", true},
        {"10", "5", true},
        {"10", "-5", true},
        {"-10", "5", true},
        {"10", "3", false},
        {"0.1", "0.01", true},
        {"0.3", "0.1", true},
        {"19.99", "0.01", true},
        {"19.999", "0.01", false},
        {"4.5", "1.5", true},
        {"35", "1.5", false},
        {"0.0075", "0.0001", true},
        {"0.00751", "0.0001", false},
        {"1e308", "1e-308", true},
        {"1e308", "0.123456789", false},
        {"1e308", "0.5", true},
        {"1e308", "3", false},
        {"3e308", "3", true},
        {"1e-308", "1e308", false},
        {"9007199254740993", "2", false},
        {"9007199254740992", "2", true},
        {"9007199254740993", "3", true},
        {"12391239123", "1e-8", true},
        {"100", "1e2", true},
        {"100", "1e3", false},
        {"1000", "1e3", true},
        {"1024", "512e-9", true},
        {"8", "0.125", true},
        {"1", "1024", false},
        {"1e10", "1024", true},
        {"1e9", "1024", false},
        {"1e10", "9765625", true},
        {"1e9", "9765625", false},
        {"1E-9999999999", "1", false},
        {"1E-9999999999", "1E-9999999999", true},
        {"1E-9999999999", "3E-9999999999", false},
        {"6E-9999999999", "3E-9999999999", true},
        {"1", "1E-9999999999", true},
        {"1", "3E-9999999999", false},
        {"1E9999999999", "7", false},
        {"7E9999999999", "7", true},
        {"1e99999999999999999999999", "1e99999999999999999999998", true},
        {"1e99999999999999999999998", "1e99999999999999999999999", false},
        {"1e99999999999999999999998", "0.1e99999999999999999999999", true},
        {"1e99999999999999999999999", "2e99999999999999999999998", true},
        {"1e99999999999999999999999", "3e99999999999999999999998", false},
        {"1e99999999999999999999999", "16e99999999999999999999998", false},
        {"1e99999999999999999999999", "1024", true},
        {"1e99999999999999999999999", "1e-99999999999999999999999", true},
        {"1e99999999999999999999999", "3", false},
        {"123456789012345678901234567890", "10", true},
        {"123456789012345678901234567890", "100", false},
        {"123456789012345678901234567890", "9", true},
        {"123456789012345678901234567890", "7", true},
        {"123456789012345678901234567890", "17", false},
        {"123456789012345678901234567890.5", "0.5", true},
        {"123456789012345678901234567890.5", "0.25", true},
        {"123456789012345678901234567890.5", "1", false},
        {"123456789012345678901234567891", "123456789012345678901234567890", false},
        {"123456789012345678901234567890", "123456789012345678901234567890", true},
        {"5", "123456789012345678901234567890", false},
        {"340282366920938463463374607431768211456", "18446744073709551616", true},
        {"340282366920938463463374607431768211456", "36893488147419103232", true},
        {"340282366920938463463374607431768211455", "18446744073709551615", true},
        {"340282366920938463463374607431768211455", "18446744073709551617", true},
        {"340282366920938463463374607431768211455", "18446744073709551616", false},
        {"18446744073709551616", "340282366920938463463374607431768211456", false},
        {"1e20", "7450580596923828125", false},
        {"1e27", "7450580596923828125", true},
        {"1e28", "37252902984619140625", true},
        {"1e27", "37252902984619140625", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (multiple(cases[i].number, cases[i].divisor) != cases[i].multiple) {
            fail_msg("%s a multiple of %s?", cases[i].number, cases[i].divisor);
        }
    }
}

/* ---- decimal arithmetic on text, as done by hand ---- */

#define DIGITS_MAX 400

/* Random digits, the first not zero; often with runs of zeros and nines. */
static void random_digits(char *out, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t kind = random_below(random, 4);
        out[i] = kind == 0 ? '0' : kind == 1 ? '9' : (char)('0' + random_below(random, 10));
    }
    out[0] = (char)('1' + random_below(random, 9));
    out[count] = '\0';
}

static void multiply(char *out, const char *a, const char *b)
{
    size_t size_a = strlen(a);
    size_t size_b = strlen(b);
    size_t size = size_a + size_b;
    unsigned *places = calloc(size, sizeof *places); /* the last digit first */
    assert_non_null(places);
    for (size_t i = 0; i < size_a; i++) {
        for (size_t j = 0; j < size_b; j++) {
            places[i + j] +=
                (unsigned)(a[size_a - 1 - i] - '0') * (unsigned)(b[size_b - 1 - j] - '0');
        }
    }
    for (size_t i = 0; i + 1 < size; i++) {
        places[i + 1] += places[i] / 10;
        places[i] %= 10;
    }
    size -= places[size - 1] == 0;
    for (size_t i = 0; i < size; i++) {
        out[i] = (char)('0' + places[size - 1 - i]);
    }
    out[size] = '\0';
    free(places);
}

/* Add one; the digits must not all be nines. */
static void increment(char *digits)
{
    size_t i = strlen(digits) - 1;
    for (; digits[i] == '9'; i--) {
        digits[i] = '0';
    }
    digits[i]++;
}

static bool all_nines(const char *digits)
{
    return strspn(digits, "9") == strlen(digits);
}

static void test_products_are_multiples(void **state)
{
    (void)state;
    uint64_t random = 77;
    for (int i = 0; i < 20000; i++) {
        char divisor[DIGITS_MAX];
        char factor[DIGITS_MAX];
        char product[2 * DIGITS_MAX];
        random_digits(divisor, 1 + random_below(&random, i % 10 ? 60 : DIGITS_MAX - 1), &random);
        random_digits(factor, 1 + random_below(&random, i % 10 ? 60 : DIGITS_MAX - 1), &random);
        multiply(product, divisor, factor);
        int64_t exponent = (int64_t)random_below(&random, 2000) - 1000;
        char divisor_text[DIGITS_MAX + SPELLING_EXTRA];
        char product_text[2 * DIGITS_MAX + SPELLING_EXTRA];
        spelling_write(divisor_text, i & 1, divisor, exponent, &random);
        spelling_write(product_text, i & 2, product, exponent, &random);
        if (!multiple(product_text, divisor_text)) {
            fail_msg("%s is a multiple of %s", product_text, divisor_text);
        }
        if (strcmp(divisor, "1") != 0 && !all_nines(product)) {
            increment(product);
            spelling_write(product_text, i & 2, product, exponent, &random);
            if (multiple(product_text, divisor_text)) {
                fail_msg("%s is not a multiple of %s", product_text, divisor_text);
            }
        }
    }
}

/* 2^n and 5^n divide 10^m exactly when n <= m, whatever else is multiplied in. */
static void test_twos_and_fives(void **state)
{
    (void)state;
    static const char *const bases[] = {"2", "5"};
    uint64_t random = 13;
    for (size_t base = 0; base < 2; base++) {
        char power[DIGITS_MAX] = "1";
        for (int64_t n = 0; n < 300; n++) {
            char odd[] = "123456789012345678901234567890123456789"; /* not of 2, not of 5 */
            odd[20 + random_below(&random, 19)] = '\0';
            odd[strlen(odd) - 1] = "1379"[random_below(&random, 4)];
            char product[DIGITS_MAX + sizeof odd];
            multiply(product, power, odd);
            char divisor[sizeof product + SPELLING_EXTRA];
            char number[sizeof odd + SPELLING_EXTRA];
            for (int64_t m = n > 2 ? n - 2 : 0; m < n + 3; m++) {
                spelling_write(divisor, false, product, 17, &random);
                spelling_write(number, false, odd, 17 + m, &random);
                assert_int_equal(multiple(number, divisor), n <= m);
            }
            char next[DIGITS_MAX];
            multiply(next, power, bases[base]);
            memcpy(power, next, sizeof power);
        }
    }
}

/* ---- the largest numbers there are ---- */

static char *repeat(const char *pattern, size_t size)
{
    char *text = malloc(size + 1);
    assert_non_null(text);
    size_t pattern_size = strlen(pattern);
    for (size_t i = 0; i < size; i++) {
        text[i] = pattern[i % pattern_size];
    }
    text[size] = '\0';
    return text;
}

/* 5^n with about as many digits as a number may have: all of it has to be divided away. */
static char *large_power_of_five(void)
{
    char *digits = malloc(JSV_NUMBER_SIZE_MAX + 1); /* the last digit first */
    assert_non_null(digits);
    size_t count = 1;
    digits[0] = '1';
    while (count + 3 <= JSV_NUMBER_SIZE_MAX) {
        unsigned carry = 0;
        for (size_t i = 0; i < count; i++) {
            carry += (unsigned)(digits[i] - '0') * 125;
            digits[i] = (char)('0' + carry % 10);
            carry /= 10;
        }
        for (; carry > 0; carry /= 10) {
            digits[count++] = (char)('0' + carry % 10);
        }
    }
    for (size_t i = 0; i < count / 2; i++) {
        char digit = digits[i];
        digits[i] = digits[count - 1 - i];
        digits[count - 1 - i] = digit;
    }
    digits[count] = '\0';
    return digits;
}

static double milliseconds_for(const char *a, const char *b, bool expected)
{
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double start = cpu_seconds();
        assert_int_equal(multiple(a, b), expected);
        double time = (cpu_seconds() - start) * 1e3;
        best = time < best ? time : best;
    }
    return best;
}

/* Quadratic work takes 2 ms; the bounds allow for sanitizers and busy machines. */
static void test_largest_numbers_are_quick(void **state)
{
    (void)state;
    char *whole = repeat("7", JSV_NUMBER_SIZE_MAX);
    char *half = repeat("7", JSV_NUMBER_SIZE_MAX / 2);
    char *less = repeat("7", JSV_NUMBER_SIZE_MAX / 2 - 1);
    char *fives = large_power_of_five();
    char *sevens = repeat("7", JSV_NUMBER_SIZE_MAX);
    memcpy(sevens + JSV_NUMBER_SIZE_MAX - 6, "e99999", 6);
    assert_true(milliseconds_for(whole, half, true) < 50);
    assert_true(milliseconds_for(whole, less, false) < 50);
    assert_true(milliseconds_for(whole, whole, true) < 50);
    assert_true(milliseconds_for(whole, "7", true) < 50);
    assert_true(milliseconds_for(whole, "0.03", false) < 50);
    assert_true(milliseconds_for("1e99999", fives, true) < 50);
    assert_true(milliseconds_for("1e9999", fives, false) < 50);
    assert_true(milliseconds_for(sevens, fives, true) < 50);
    assert_true(milliseconds_for(fives, fives, true) < 50);
    free(whole);
    free(half);
    free(less);
    free(fives);
    free(sevens);
}

static void test_large_exponents_are_quick(void **state)
{
    (void)state;
    assert_true(milliseconds_for("1E-9999999999", "1", false) < 10);
    assert_true(milliseconds_for("1", "1E-9999999999", true) < 10);
    assert_true(milliseconds_for("1e99999999999999999999999", "1E-9999999999", true) < 10);
    assert_true(milliseconds_for("1e99999999999999999999999", "3", false) < 10);
}

static void *use_everything(void *argument)
{
    const char *spelling = argument;
    struct jsv_number number = jsv_number_from(jsv_str_from(spelling));
    char text[JSV_NUMBER_PRINT_MAX];
    bool good = jsv_number_multiple_of(&number, &number);
    good = good && jsv_number_hash(&number, 1) != 0;
    size_t size = jsv_number_print(jsv_number_double(&number), text);
    good = good && jsv_str_equal((struct jsv_str){text, size}, JSV_STR("1.345678912345679"));
    return good ? argument : NULL;
}

/* Everything about a number fits into the stack of a modest thread. */
static void test_little_stack_is_enough(void **state)
{
    (void)state;
    char *digits = repeat("123456789", JSV_NUMBER_SIZE_MAX);
    digits[1] = '.';
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 128 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, use_everything, digits), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, digits);
    pthread_attr_destroy(&attributes);
    free(digits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_products_are_multiples),
        cmocka_unit_test(test_twos_and_fives),
        cmocka_unit_test(test_largest_numbers_are_quick),
        cmocka_unit_test(test_large_exponents_are_quick),
        cmocka_unit_test(test_little_stack_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
