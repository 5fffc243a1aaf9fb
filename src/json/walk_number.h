/*
 * Numbers of a walk. What nearly all are, up to 19 digits and a small exponent,
 * stands in the node as an integer and a power of ten; of any other the node
 * keeps only how long it is, and whoever needs its value reads its text. So
 * nothing is rounded.
 */
#pragma once

#include "json/walk.h"

ALWAYS_INLINE bool is_digit(unsigned char byte)
{
    return (unsigned char)(byte - '0') <= 9;
}

/* Eight digits at once, when there are eight. */
ALWAYS_INLINE bool eight_digits(const struct walk *walk, const char *at, uint64_t *ret_value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (walk->end - at < 8) {
        return false;
    }
    uint64_t word;
    memcpy(&word, at, sizeof(word));
    uint64_t digits = word - 0x3030303030303030ull;
    if (((word + 0x4646464646464646ull) | digits) & 0x8080808080808080ull) {
        return false;
    }
    /* join neighbours: eight digits to four pairs, two fours, one eight */
    digits = digits * 10 + (digits >> 8);
    *ret_value = ((digits & 0x000000FF000000FFull) * (100 + (1000000ull << 32)) +
                  (digits >> 16 & 0x000000FF000000FFull) * (1 + (10000ull << 32))) >>
                 32;
    return true;
#else
    (void)walk;
    (void)at;
    (void)ret_value;
    return false;
#endif
}

/* A number as read so far: every digit, the point left out. */
struct digits {
    uint64_t significand; /* meaningless when there are more digits than fit */
    size_t count;
};

/* Most decimal digits that always fit 64 bits. */
#define SIGNIFICAND_DIGITS_MAX 19

ALWAYS_INLINE const char *
read_digits(const struct walk *walk, const char *at, struct digits *digits, bool checked)
{
    const char *start = at;
    uint64_t significand = digits->significand;
    uint64_t eight;
    while (eight_digits(walk, at, &eight)) {
        significand = significand * 100000000 + eight;
        at += 8;
    }
    for (unsigned char byte; is_digit(byte = peek(walk, at, checked)); at++) {
        significand = significand * 10 + (byte - '0');
    }
    digits->significand = significand;
    digits->count += (size_t)(at - start);
    return at;
}

/* Beyond this an exponent cannot fit the node; larger ones are not told apart here. */
#define EXPONENT_CEILING 100000

/* Behind 'e' or 'E': step to the exponent's end. False, at the byte at fault, when it is none. */
ALWAYS_INLINE bool
read_exponent(const struct walk *walk, const char **at, int32_t *ret_exponent, bool checked)
{
    const char *digit = *at;
    unsigned char sign = peek(walk, digit, checked);
    digit += sign == '+' || sign == '-';
    *at = digit;
    int32_t exponent = 0;
    for (unsigned char byte; is_digit(byte = peek(walk, digit, checked)); digit++) {
        exponent = exponent < EXPONENT_CEILING ? exponent * 10 + (byte - '0') : exponent;
    }
    if (digit == *at) {
        return false;
    }
    *at = digit;
    *ret_exponent = sign == '-' ? -exponent : exponent;
    return true;
}

ALWAYS_INLINE fault invalid_number(struct walk *walk, const char *at)
{
    walk->at = at;
    return JSV_ERROR_INVALID_NUMBER;
}

ALWAYS_INLINE void
put_number(struct walk *walk, unsigned flags, int32_t exponent, const char *end, uint64_t body)
{
    walk->node->head = JSV_TYPE_NUMBER | (uint64_t)flags << JSV_NODE_FLAGS_SHIFT |
                       (uint64_t)(uint16_t)exponent << JSV_NODE_SIZE_SHIFT |
                       (uint64_t)offset_of(walk, walk->at) << JSV_NODE_START_SHIFT;
    walk->node->body = body;
    walk->node++;
    walk->at = end;
}

/* Behind a number's integer part: fraction and exponent, and what does not fit a node. */
ALWAYS_INLINE fault read_number_rest(
    struct walk *walk, unsigned flags, const char *at, struct digits digits, bool checked)
{
    int32_t exponent = 0;
    if (peek(walk, at, checked) == '.') {
        flags |= JSV_NODE_DECIMAL;
        at++;
        size_t before = digits.count;
        at = read_digits(walk, at, &digits, checked);
        size_t fraction = digits.count - before;
        if (UNLIKELY(fraction == 0)) {
            return invalid_number(walk, at);
        }
        /* a longer fraction makes a big number, whose exponent is not kept here */
        exponent = -(int32_t)(fraction < EXPONENT_CEILING ? fraction : EXPONENT_CEILING);
    }
    if (UNLIKELY((peek(walk, at, checked) | 0x20) == 'e')) {
        flags |= JSV_NODE_DECIMAL;
        int32_t written;
        at++;
        if (!read_exponent(walk, &at, &written, checked)) {
            return invalid_number(walk, at);
        }
        exponent += written;
    }

    size_t size = (size_t)(at - walk->at);
    uint64_t body = digits.significand;
    if (UNLIKELY(digits.count > SIGNIFICAND_DIGITS_MAX || exponent != (int16_t)exponent)) {
        flags |= JSV_NODE_BIG;
        body = size;
        exponent = 0;
    }
    if (UNLIKELY(size > walk->reader->limits.number_size_max)) {
        return JSV_ERROR_NUMBER_TOO_LONG;
    }
    put_number(walk, flags, exponent, at, body);
    return JSV_ERROR_NONE;
}

/* At '-' or a digit. */
ALWAYS_INLINE fault read_number(struct walk *walk, bool checked)
{
    const char *at = walk->at;
    unsigned flags = *at == '-' ? JSV_NODE_NEGATIVE : 0;
    at += *at == '-';

    unsigned char first = peek(walk, at, checked);
    if (UNLIKELY(!is_digit(first))) {
        return invalid_number(walk, at);
    }
    struct digits digits = {(uint64_t)(first - '0'), 1};
    at++;
    unsigned char byte = peek(walk, at, checked);
    if (is_digit(byte)) {
        if (UNLIKELY(first == '0')) {
            return invalid_number(walk, at);
        }
        at = read_digits(walk, at, &digits, checked);
        byte = peek(walk, at, checked);
    }
    size_t plain_max = walk->plain_number_max;
    if (UNLIKELY(digits.count > plain_max) || byte == '.' || (byte | 0x20) == 'e') {
        return read_number_rest(walk, flags, at, digits, checked);
    }
    put_number(walk, flags, 0, at, digits.significand);
    return JSV_ERROR_NONE;
}
