/*
 * Whether x / y is an integer, exactly, for any exponents.
 *
 * Write x = X 10^e and y = Y 10^f with integers X and Y, and let d = e - f:
 * the question is whether Y divides X 10^d. Powers of ten are never computed.
 *
 *   d < 0: Y 10^-d must divide X. For normalised numbers X does not end in a
 *          zero, so it cannot.
 *   d > 0: the factors 2 and 5 of Y, up to d of each, cancel against
 *          10^d; the rest of Y is coprime to the rest of 10^d and must divide
 *          X itself.
 *
 * Integers of up to 16,384 digits are kept as limbs of 64 bits, the lowest
 * first. All division here is exact division from the low end (Hensel,
 * Montgomery): for an odd divisor there is always a multiple of it that clears
 * the lowest limb, found by one multiplication with the inverse modulo 2^64.
 * No quotients are guessed, no division instruction is used, and the whole is
 * quadratic in the digits with a small constant.
 */
#include <assert.h>
#include <string.h>

#include "jsv/base/decimal.h"

typedef unsigned __int128 uint128;

/* 10^19 is the largest power of ten that fits a limb. */
#define CHUNK_DIGITS 19
/* Limbs of the largest number: 19 digits take less than one. */
#define LIMBS_MAX (JSV_NUMBER_SIZE_MAX / CHUNK_DIGITS + 1)

struct integer {
    size_t count; /* no zero limb at the top */
    uint64_t limbs[LIMBS_MAX];
};

/* integer = integer * factor + addend */
static void integer_multiply_add(struct integer *integer, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < integer->count; i++) {
        uint128 product = (uint128)integer->limbs[i] * factor + carry;
        integer->limbs[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry != 0) {
        integer->limbs[integer->count++] = carry;
    }
}

static void integer_from_decimal(struct integer *integer, const struct jsv_decimal *decimal)
{
    const char *cursor = decimal->digits.data;
    size_t left = decimal->count;
    integer->count = 0;
    while (left > 0) {
        size_t size = left < CHUNK_DIGITS ? left : CHUNK_DIGITS;
        uint64_t chunk = 0;
        uint64_t power = 1;
        for (size_t i = 0; i < size; i++) {
            chunk = chunk * 10 + jsv_decimal_next(&cursor);
            power *= 10;
        }
        integer_multiply_add(integer, power, chunk);
        left -= size;
    }
}

/* Drop zero limbs at the top. No integer here is zero. */
static void integer_trim(struct integer *integer)
{
    while (integer->limbs[integer->count - 1] == 0) {
        integer->count--;
    }
}

/* Divide by two as often as it goes. @return how often. */
static int64_t integer_strip_twos(struct integer *integer)
{
    size_t words = 0;
    /* NOLINTNEXTLINE(clang-analyzer-core.*): up to the count all are written, one is not 0 */
    while (integer->limbs[words] == 0) {
        words++;
    }
    unsigned bits = (unsigned)__builtin_ctzll(integer->limbs[words]);
    integer->count -= words;
    memmove(integer->limbs, integer->limbs + words, integer->count * sizeof integer->limbs[0]);
    if (bits > 0) {
        for (size_t i = 0; i < integer->count; i++) {
            uint64_t above = i + 1 < integer->count ? integer->limbs[i + 1] : 0;
            integer->limbs[i] = integer->limbs[i] >> bits | above << (64 - bits);
        }
        integer_trim(integer);
    }
    return (int64_t)(words * 64 + bits);
}

/* The inverse of an odd number modulo 2^64; every step doubles the bits that are right. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t guess = odd * 3 ^ 2; /* five bits */
    for (int bits = 5; bits < 64; bits *= 2) {
        guess *= 2 - odd * guess;
    }
    return guess;
}

/* Divide by an odd number. @return false, with the integer unchanged, when it does not divide. */
static bool integer_divide_exact(struct integer *integer, uint64_t divisor)
{
    struct integer quotient;
    uint64_t divisor_inverse = inverse(divisor);
    uint64_t borrow = 0;
    for (size_t i = 0; i < integer->count; i++) {
        uint64_t limb = integer->limbs[i];
        uint64_t digit = (limb - borrow) * divisor_inverse;
        quotient.limbs[i] = digit;
        borrow = (uint64_t)((uint128)digit * divisor >> 64) + (limb < borrow);
    }
    if (borrow != 0) {
        return false;
    }
    memcpy(integer->limbs, quotient.limbs, integer->count * sizeof integer->limbs[0]);
    integer_trim(integer);
    return true;
}

/* Divide by five as often as it goes, but at most so often. */
static void integer_strip_fives(struct integer *integer, int64_t times_max)
{
    static const struct {
        int times;
        uint64_t power;
    } steps[] = {{27, 7450580596923828125u}, {9, 1953125}, {3, 125}, {1, 5}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        while (times_max >= steps[i].times && integer_divide_exact(integer, steps[i].power)) {
            times_max -= steps[i].times;
        }
    }
}

/* limbs -= digit * divisor, over count limbs. @return the borrow from the next limb. */
static uint64_t
subtract_product(uint64_t *limbs, const uint64_t *divisor, size_t count, uint64_t digit)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < count; i++) {
        uint128 product = (uint128)digit * divisor[i] + carry;
        uint64_t low = (uint64_t)product;
        carry = (uint64_t)(product >> 64) + (limbs[i] < low);
        limbs[i] -= low;
    }
    return carry;
}

static bool all_zero(const uint64_t *limbs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (limbs[i] != 0) {
            return false;
        }
    }
    return true;
}

/*
 * Whether an odd divisor divides the integer, which is used up.
 *
 * If it does, the quotient has at most as many limbs as there are steps, and
 * the steps find it from the lowest limb on: each takes away the one multiple
 * that clears the lowest limb left. So after the last step nothing remains.
 */
static bool integer_divides(const struct integer *divisor, struct integer *integer)
{
    if (divisor->count > integer->count) {
        return false;
    }
    const size_t last = integer->count - divisor->count;
    const uint64_t divisor_inverse = inverse(divisor->limbs[0]);
    uint64_t *limbs = integer->limbs;
    uint128 borrow = 0;
    for (size_t i = 0; i < last; i++) {
        uint64_t *next = &limbs[i + divisor->count];
        uint64_t digit = limbs[i] * divisor_inverse;
        borrow += subtract_product(limbs + i, divisor->limbs, divisor->count, digit);
        uint128 rest = *next - borrow;
        *next = (uint64_t)rest;
        borrow = rest >> 64 != 0;
    }
    uint64_t digit = limbs[last] * divisor_inverse;
    borrow += subtract_product(limbs + last, divisor->limbs, divisor->count, digit);
    return borrow == 0 && all_zero(limbs + last, divisor->count);
}

static bool multiple_of_big(const struct jsv_number *number, const struct jsv_number *divisor)
{
    struct jsv_decimal decimal_x;
    struct jsv_decimal decimal_y;
    jsv_decimal_init(&decimal_x, number);
    jsv_decimal_init(&decimal_y, divisor);
    int64_t shift = jsv_exponent_difference(&decimal_x.exponent, &decimal_y.exponent);
    if (shift < 0) {
        return false;
    }
    struct integer x;
    struct integer y;
    integer_from_decimal(&x, &decimal_x);
    integer_from_decimal(&y, &decimal_y);
    if (integer_strip_twos(&y) > integer_strip_twos(&x) + shift) {
        return false;
    }
    integer_strip_fives(&y, shift);
    return integer_divides(&y, &x);
}

static bool multiple_of_small(const struct jsv_number *number, const struct jsv_number *divisor)
{
    uint64_t x = number->significand;
    uint64_t y = divisor->significand;
    int64_t shift = number->exponent - divisor->exponent;
    for (; shift < 0; shift++) {
        if (x % 10 != 0) {
            return false;
        }
        x /= 10;
    }
    for (int64_t i = shift; i > 0 && y % 2 == 0; i--) {
        y /= 2;
    }
    for (int64_t i = shift; i > 0 && y % 5 == 0; i--) {
        y /= 5;
    }
    return x % y == 0;
}

bool jsv_number_multiple_of(const struct jsv_number *number, const struct jsv_number *divisor)
{
    assert(!jsv_number_is_zero(divisor));
    if (jsv_number_is_zero(number)) {
        return true;
    }
    return number->big || divisor->big ? multiple_of_big(number, divisor)
                                       : multiple_of_small(number, divisor);
}
