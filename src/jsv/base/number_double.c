/*
 * From decimal to the nearest double.
 *
 * When the digits fit 53 bits and the power of ten is itself a double (up to
 * 10^22), one multiplication or division rounds once, and so correctly
 * (Clinger 1990). Everything else goes to the C library, which rounds
 * correctly, but must not use the locale of the program.
 */
#define _GNU_SOURCE 1 /* strtod_l */

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "jsv/base/decimal.h"

#define EXACT_SIGNIFICAND_MAX (UINT64_C(1) << 53)
#define EXACT_POWER_MAX       22

/*
 * A number halfway between two doubles has fewer digits than this, so of all
 * that follows only matters whether it is zero.
 */
#define DIGITS_MAX 800

/* Powers of ten of the leading digit beyond which a number is infinite or zero for certain. */
#define LEADING_MAX 309
#define LEADING_MIN (-325)

static const double exact_power_ten[EXACT_POWER_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static bool is_exact(const struct jsv_number *number)
{
    return !number->big && number->significand <= EXACT_SIGNIFICAND_MAX &&
           number->exponent >= -EXACT_POWER_MAX && number->exponent <= EXACT_POWER_MAX;
}

static double exact_magnitude(const struct jsv_number *number)
{
    double significand = (double)number->significand;
    return number->exponent < 0 ? significand / exact_power_ten[-number->exponent]
                                : significand * exact_power_ten[number->exponent];
}

/* Making the "C" locale neither allocates nor fails in the C library. */
static double read_double(const char *text)
{
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double number = strtod_l(text, NULL, locale);
    freelocale(locale);
    return number;
}

static double read_magnitude(const struct jsv_decimal *decimal, int64_t exponent)
{
    char text[DIGITS_MAX + 32];
    size_t size = decimal->count < DIGITS_MAX ? decimal->count : DIGITS_MAX;
    const char *cursor = decimal->digits.data;
    for (size_t i = 0; i < size; i++) {
        text[i] = (char)('0' + jsv_decimal_next(&cursor));
    }
    exponent += (int64_t)(decimal->count - size);
    if (size < decimal->count) {
        /* The last digit is not zero: add a digit for the part that was cut. */
        text[size++] = '1';
        exponent--;
    }
    snprintf(text + size, sizeof text - size, "e%lld", (long long)exponent);
    return read_double(text);
}

static double magnitude(const struct jsv_number *number)
{
    if (jsv_number_is_zero(number)) {
        return 0;
    }
    if (is_exact(number)) {
        return exact_magnitude(number);
    }
    struct jsv_decimal decimal;
    jsv_decimal_init(&decimal, number);
    int64_t exponent = jsv_decimal_exponent(&decimal);
    int64_t leading = exponent + (int64_t)decimal.count - 1;
    if (leading > LEADING_MAX) {
        return INFINITY;
    }
    return leading < LEADING_MIN ? 0 : read_magnitude(&decimal, exponent);
}

double jsv_number_double(const struct jsv_number *number)
{
    return number->negative ? -magnitude(number) : magnitude(number);
}
