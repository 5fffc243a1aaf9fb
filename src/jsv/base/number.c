/*
 * Numbers in 64 bits: reading, comparing, and the questions about integers.
 *
 * Nearly every number is small, and small numbers are handled here with a few
 * machine words. A number is big exactly
 * when, after dropping the zeros at its end, its digits do not fit 64 bits or
 * its exponent is 10^17 or beyond. That is a matter of its value, not of how
 * it is spelled, so a big number never equals a small one. Big numbers go to
 * decimal.c and number_multiple.c.
 */
#include "jsv/base/number.h"

#include <assert.h>
#include <errno.h>

#include "jsv/base/decimal.h"
#include "jsv/base/hash.h"

typedef __int128 int128;

/* Any so many digits fit 64 bits. */
#define DIGITS_SAFE 19
/* A significand times this power of ten fits 128 bits with a sign. */
#define SHIFT_MAX 18
/* Longer spellings have too many digits, or zeros that are soon passed over. */
#define SPELLING_SHORT 64
/* Exponents this long are below 10^16, so moving the point keeps them below 10^17. */
#define EXPONENT_SAFE 16

const uint64_t jsv_power_ten[JSV_POWER_TEN_MAX + 1] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

/* Digits from the cursor on, appended to value; wraps when there are too many. */
static inline const char *read_digits(const char *cursor, const char *end, uint64_t *value)
{
    uint64_t result = *value;
    unsigned digit;
    while (cursor < end && (digit = (unsigned)*cursor - '0') < 10) {
        result = result * 10 + digit;
        cursor++;
    }
    *value = result;
    return cursor;
}

/* The digits of a view in 64 bits. @return false when they do not fit. */
static bool decimal_significand(const struct jsv_decimal *decimal, uint64_t *ret_significand)
{
    if (decimal->count > DIGITS_SAFE + 1) {
        return false;
    }
    uint64_t significand = 0;
    const char *cursor = decimal->digits.data;
    for (size_t i = 0; i < decimal->count; i++) {
        unsigned digit = jsv_decimal_next(&cursor);
        if (__builtin_mul_overflow(significand, 10, &significand) ||
            __builtin_add_overflow(significand, digit, &significand)) {
            return false;
        }
    }
    *ret_significand = significand;
    return true;
}

/* Any spelling, also one that fits only without trailing zeros: 1.00000000000000000000000. */
static struct jsv_number from_long(struct jsv_str spelling)
{
    struct jsv_number number = {.negative = spelling.data[0] == '-'};
    struct jsv_decimal decimal;
    if (!jsv_decimal_init_spelling(&decimal, spelling)) {
        return number;
    }
    int64_t exponent = jsv_decimal_exponent(&decimal);
    if (exponent > -JSV_EXPONENT_FAR && exponent < JSV_EXPONENT_FAR &&
        decimal_significand(&decimal, &number.significand)) {
        number.exponent = exponent;
    } else {
        number.big = true;
        number.spelling = spelling;
    }
    return number;
}

struct jsv_number jsv_number_from(struct jsv_str spelling)
{
    assert(spelling.size > 0 && spelling.size <= JSV_NUMBER_SIZE_MAX);
    if (spelling.size > SPELLING_SHORT) {
        return from_long(spelling);
    }
    const char *cursor = spelling.data;
    const char *end = cursor + spelling.size;
    struct jsv_number number = {.negative = *cursor == '-'};
    cursor += number.negative;

    const char *digits = cursor;
    cursor = read_digits(cursor, end, &number.significand);
    ptrdiff_t count = cursor - digits;
    if (cursor < end && *cursor == '.') {
        const char *fraction = ++cursor;
        cursor = read_digits(cursor, end, &number.significand);
        number.exponent = fraction - cursor;
        count += cursor - fraction;
    }
    if (cursor < end) {
        uint64_t written = 0;
        cursor++;
        bool negative = *cursor == '-';
        cursor += negative || *cursor == '+';
        if (end - cursor > EXPONENT_SAFE) {
            return from_long(spelling);
        }
        read_digits(cursor, end, &written);
        number.exponent += negative ? -(int64_t)written : (int64_t)written;
    }
    if (count > DIGITS_SAFE) {
        return from_long(spelling);
    }
    if (number.significand == 0) {
        number.exponent = 0;
    }
    return number;
}

struct jsv_number jsv_number_from_int64(int64_t integer)
{
    return (struct jsv_number){
        .negative = integer < 0,
        .significand = integer < 0 ? -(uint64_t)integer : (uint64_t)integer,
    };
}

bool jsv_number_is_zero(const struct jsv_number *number)
{
    return !number->big && number->significand == 0;
}

/* Orders absolute values of numbers other than zero, digit by digit. */
static int compare_magnitude(const struct jsv_number *a, const struct jsv_number *b)
{
    struct jsv_decimal decimal_a;
    struct jsv_decimal decimal_b;
    jsv_decimal_init(&decimal_a, a);
    jsv_decimal_init(&decimal_b, b);
    return jsv_decimal_compare(&decimal_a, &decimal_b);
}

static int number_sign(const struct jsv_number *number)
{
    if (jsv_number_is_zero(number)) {
        return 0;
    }
    return number->negative ? -1 : 1;
}

/* Any two numbers, however large or far apart. */
static __attribute__((noinline)) int
compare_far(const struct jsv_number *a, const struct jsv_number *b)
{
    int sign = number_sign(a);
    int sign_b = number_sign(b);
    if (sign != sign_b) {
        return sign - sign_b;
    }
    return sign == 0 ? 0 : sign * compare_magnitude(a, b);
}

/* The value of a small number times 10^(shift - exponent). */
static inline int128 scaled(const struct jsv_number *number, int64_t shift)
{
    int128 magnitude = (int128)number->significand * jsv_power_ten[shift];
    return number->negative ? -magnitude : magnitude;
}

/* Mostly both fit 128 bits when they are taken times the same power of ten. */
int jsv_number_compare(const struct jsv_number *a, const struct jsv_number *b)
{
    int64_t shift = a->exponent - b->exponent;
    if (a->big || b->big || shift > SHIFT_MAX || shift < -SHIFT_MAX) {
        return compare_far(a, b);
    }
    int128 scaled_a = scaled(a, shift > 0 ? shift : 0);
    int128 scaled_b = scaled(b, shift < 0 ? -shift : 0);
    return (scaled_a > scaled_b) - (scaled_a < scaled_b);
}

/* Whether a significand times a power of ten is another one. */
static bool is_shifted(uint64_t significand, int64_t shift, uint64_t other)
{
    uint64_t product;
    return shift <= JSV_POWER_TEN_MAX &&
           !__builtin_mul_overflow(significand, jsv_power_ten[shift], &product) && product == other;
}

bool jsv_number_equal(const struct jsv_number *a, const struct jsv_number *b)
{
    if (a->big || b->big) {
        return a->big && b->big && a->negative == b->negative && compare_magnitude(a, b) == 0;
    }
    if (a->significand == 0 || b->significand == 0) {
        return a->significand == b->significand;
    }
    int64_t shift = a->exponent - b->exponent;
    return a->negative == b->negative &&
           (shift >= 0 ? is_shifted(a->significand, shift, b->significand)
                       : is_shifted(b->significand, -shift, a->significand));
}

bool jsv_number_is_integer(const struct jsv_number *number)
{
    if (number->big) {
        struct jsv_decimal decimal;
        jsv_decimal_init(&decimal, number);
        return jsv_decimal_exponent(&decimal) >= 0;
    }
    if (number->exponent >= 0 || number->significand == 0) {
        return true;
    }
    return number->exponent >= -JSV_POWER_TEN_MAX &&
           number->significand % jsv_power_ten[-number->exponent] == 0;
}

int jsv_number_int64(const struct jsv_number *number, int64_t *ret_integer)
{
    if (!jsv_number_is_integer(number)) {
        return -EINVAL;
    }
    uint64_t magnitude = number->significand;
    if (number->big) {
        return -ERANGE;
    }
    if (magnitude != 0 && number->exponent < 0) {
        magnitude /= jsv_power_ten[-number->exponent];
    } else if (magnitude != 0 && number->exponent > 0) {
        if (number->exponent > JSV_POWER_TEN_MAX ||
            __builtin_mul_overflow(magnitude, jsv_power_ten[number->exponent], &magnitude)) {
            return -ERANGE;
        }
    }
    if (magnitude > (uint64_t)INT64_MAX + number->negative) {
        return -ERANGE;
    }
    *ret_integer = (int64_t)(number->negative ? -magnitude : magnitude);
    return 0;
}

uint64_t jsv_number_hash(const struct jsv_number *number, uint64_t seed)
{
    if (number->big) {
        struct jsv_decimal decimal;
        jsv_decimal_init(&decimal, number);
        return jsv_decimal_hash(&decimal, number->negative ? ~seed : seed);
    }
    uint64_t words[2] = {0, 0};
    if (number->significand != 0) {
        int64_t exponent = number->exponent;
        words[0] = number->significand;
        while (words[0] % 10 == 0) {
            words[0] /= 10;
            exponent++;
        }
        words[1] = (uint64_t)exponent << 1 | number->negative;
    }
    return jsv_hash((struct jsv_str){(const char *)words, sizeof words}, seed);
}
