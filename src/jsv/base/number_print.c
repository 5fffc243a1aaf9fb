/*
 * From double to the shortest decimal that reads back as the same double, laid
 * out as ECMAScript's Number::toString does.
 *
 * The decimals that read back as x are in an interval around x that reaches
 * half way to its neighbours. printf gives the decimal of k digits nearest to
 * x. The first k for which that is in the interval is the answer, because if any
 * decimal of k digits is in it, the nearest is. Except at powers of two: the
 * neighbour below is twice as near as the one above, so the nearest decimal may
 * be just below the interval while the next one up is inside.
 *
 * Any decimal of 15 digits survives the way to a normal double and back, so
 * with 15 digits, less the zeros at the end, all shorter ones are tried at
 * once. Subnormal numbers have less precision and are tried from one digit on.
 * With 17 digits every double reads back.
 */
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsv/base/number.h"

/* All integers up to here are different doubles, and their digits are the shortest. */
#define EXACT_INTEGER_MAX 9007199254740992.0

/* ECMAScript writes 21 digits before the point and 6 zeros behind it without an exponent. */
#define PLAIN_POINT_MAX 21
#define PLAIN_POINT_MIN (-5)

/* The decimal of so many digits nearest to a positive number. */
static struct jsv_number nearest_decimal(double number, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, number);
    struct jsv_number decimal = {0};
    const char *cursor = text;
    for (; *cursor != 'e'; cursor++) {
        /* Skip the decimal point, which depends on the locale and may have several bytes. */
        if (*cursor >= '0' && *cursor <= '9') {
            decimal.significand = decimal.significand * 10 + (uint64_t)(*cursor - '0');
        }
    }
    decimal.exponent = strtol(cursor + 1, NULL, 10) - (digits - 1);
    return decimal;
}

static bool reads_back(const struct jsv_number *decimal, double number)
{
    return jsv_number_double(decimal) == number;
}

/* Of a normal number: whether its neighbour below is nearer than the one above. */
static bool is_power_of_two(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits << (64 - (DBL_MANT_DIG - 1)) == 0;
}

static struct jsv_number shortest_decimal(double number)
{
    bool uneven = is_power_of_two(number);
    for (int digits = number < DBL_MIN ? 1 : DBL_DIG; digits < DBL_DECIMAL_DIG; digits++) {
        struct jsv_number decimal = nearest_decimal(number, digits);
        if (reads_back(&decimal, number)) {
            return decimal;
        }
        decimal.significand++;
        if (uneven && reads_back(&decimal, number)) {
            return decimal;
        }
    }
    return nearest_decimal(number, DBL_DECIMAL_DIG);
}

static char *put_zeros(char *out, int64_t count)
{
    memset(out, '0', (size_t)count);
    return out + count;
}

static char *put_digits(char *out, const char *digits, int64_t count)
{
    memcpy(out, digits, (size_t)count);
    return out + count;
}

/* Digits d1 d2 … of a value 0.d1d2… * 10^point. */
static char *put_plain(char *out, const char *digits, int64_t count, int64_t point)
{
    if (point <= 0) {
        out = put_digits(out, "0.", 2);
        out = put_zeros(out, -point);
        return put_digits(out, digits, count);
    }
    if (count <= point) {
        out = put_digits(out, digits, count);
        return put_zeros(out, point - count);
    }
    out = put_digits(out, digits, point);
    *out++ = '.';
    return put_digits(out, digits + point, count - point);
}

static char *put_exponential(char *out, const char *digits, int64_t count, int64_t point)
{
    *out++ = digits[0];
    if (count > 1) {
        *out++ = '.';
        out = put_digits(out, digits + 1, count - 1);
    }
    return out + snprintf(out, sizeof "e+308", "e%+" PRId64, point - 1);
}

size_t jsv_number_print(double number, char out[static JSV_NUMBER_PRINT_MAX])
{
    assert(isfinite(number));
    char *end = out;
    if (number < 0) {
        *end++ = '-';
        number = -number;
    }
    struct jsv_number decimal = {0};
    if (number <= EXACT_INTEGER_MAX && number == (double)(uint64_t)number) {
        decimal.significand = (uint64_t)number;
    } else {
        decimal = shortest_decimal(number);
    }
    while (decimal.significand % 10 == 0 && decimal.significand != 0) {
        decimal.significand /= 10;
        decimal.exponent++;
    }
    char digits[24];
    int64_t count = snprintf(digits, sizeof digits, "%" PRIu64, decimal.significand);
    int64_t point = decimal.exponent + count;
    if (point >= PLAIN_POINT_MIN && point <= PLAIN_POINT_MAX) {
        end = put_plain(end, digits, count, point);
    } else {
        end = put_exponential(end, digits, count, point);
    }
    return (size_t)(end - out);
}
