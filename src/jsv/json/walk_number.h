/*
 * Numbers of a walk. What nearly all are, up to 19 digits and a small exponent,
 * is in the node as an integer and a power of ten; of any other the node holds
 * only the length, and its value is read from the text when it is needed. So
 * nothing is rounded.
 */
#pragma once

#include "jsv/base/text.h"
#include "jsv/json/walk.h"

ALWAYS_INLINE bool is_digit(unsigned char byte)
{
    return (unsigned char)(byte - '0') <= 9;
}

/* ---- eight bytes at once ---- */

#define EACH_BYTE(byte) (0x0101010101010101ull * (byte))

/* Eight bytes of text, the first of them lowest: digits as their values. */
ALWAYS_INLINE uint64_t digit_word(const char *at)
{
    uint64_t word = jsv_load_word(at) ^ EACH_BYTE('0');
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/*
 * Mark the bytes that are not digits, each at its highest bit. Bytes above 0x89
 * carry into the next one, so only the first mark is sure; and the second when
 * the first is a point's.
 */
ALWAYS_INLINE uint64_t mark_others(uint64_t digits)
{
    return ((digits + EACH_BYTE(0x7F - 9)) | digits) & EACH_BYTE(0x80);
}

/* The bits before the first byte that is marked. */
ALWAYS_INLINE unsigned bits_before(uint64_t marks)
{
    return (unsigned)__builtin_ctzll(marks) & ~7u;
}

/* The value of eight digits. */
ALWAYS_INLINE uint64_t join_digits(uint64_t digits)
{
    /* join neighbours: eight digits to four pairs, two fours, one eight */
    digits = digits * 10 + (digits >> 8);
    return ((digits & 0x000000FF000000FFull) * (100 + (1000000ull << 32)) +
            (digits >> 16 & 0x000000FF000000FFull) * (1 + (10000ull << 32))) >>
           32;
}

/* ---- any number ---- */

/* A number as read so far. */
struct number {
    uint64_t significand; /* every digit, the point left out; too many wrap around */
    size_t count;         /* of digits */
    int64_t exponent;
    uint64_t flags;
};

/* Most decimal digits that always fit 64 bits. */
#define SIGNIFICAND_DIGITS_MAX 19

/* The power of ten that appends as many digits. */
static const uint32_t power_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

ALWAYS_INLINE const char *
read_digits(const struct walk *walk, const char *at, uint64_t *significand, bool checked)
{
    while (LIKELY(walk->end - at >= (ptrdiff_t)sizeof(uint64_t))) {
        uint64_t digits = digit_word(at);
        uint64_t others = mark_others(digits);
        if (others) {
            unsigned bits = bits_before(others);
            digits = digits << 8 << (56 - bits); /* move them to the end, behind zeros */
            *significand = *significand * power_of_ten[bits / 8] + join_digits(digits);
            return at + bits / 8;
        }
        *significand = *significand * 100000000 + join_digits(digits);
        at += sizeof(digits);
        if (!is_digit(peek(walk, at, checked))) {
            return at;
        }
    }
    for (unsigned char byte; is_digit(byte = peek(walk, at, checked)); at++) {
        *significand = *significand * 10 + (byte - '0');
    }
    return at;
}

/*
 * The parts of a number, one after the other: each steps behind its own. False
 * at the byte at fault, when that is none of a number.
 */
ALWAYS_INLINE bool
read_integer(const struct walk *walk, const char **at, struct number *number, bool checked)
{
    if (**at == '-') {
        number->flags = JSV_NODE_NEGATIVE;
        (*at)++;
    }
    unsigned char first = peek(walk, *at, checked);
    if (UNLIKELY(!is_digit(first))) {
        return false;
    }
    const char *second = ++*at;
    number->significand = (uint64_t)(first - '0');
    number->count = 1;
    if (is_digit(peek(walk, second, checked))) {
        if (UNLIKELY(first == '0')) {
            return false;
        }
        *at = read_digits(walk, second, &number->significand, checked);
        number->count += (size_t)(*at - second);
    }
    return true;
}

ALWAYS_INLINE bool
read_fraction(const struct walk *walk, const char **at, struct number *number, bool checked)
{
    if (peek(walk, *at, checked) != '.') {
        return true;
    }
    const char *start = ++*at;
    *at = read_digits(walk, start, &number->significand, checked);
    number->flags |= JSV_NODE_DECIMAL;
    number->exponent = start - *at;
    number->count += (size_t)(*at - start);
    return LIKELY(*at != start);
}

/* Beyond this an exponent cannot fit the node; larger ones are treated alike here. */
#define EXPONENT_CEILING 100000

ALWAYS_INLINE bool
read_exponent(const struct walk *walk, const char **at, struct number *number, bool checked)
{
    if (LIKELY((peek(walk, *at, checked) | 0x20) != 'e')) {
        return true;
    }
    unsigned char sign = peek(walk, ++*at, checked);
    *at += sign == '+' || sign == '-';
    const char *start = *at;
    int64_t exponent = 0;
    for (unsigned char byte; is_digit(byte = peek(walk, *at, checked)); (*at)++) {
        exponent = exponent < EXPONENT_CEILING ? exponent * 10 + (byte - '0') : exponent;
    }
    number->flags |= JSV_NODE_DECIMAL;
    number->exponent += sign == '-' ? -exponent : exponent;
    return *at != start;
}

/* How reading a number ended: behind it, or at the fault. */
struct number_end {
    const char *at;
    fault code;
};

/* At '-' or a digit: lay down the number's node. */
ALWAYS_INLINE struct number_end
lay_number(const struct walk *walk, const char *start, struct jsv_node *node, bool checked)
{
    struct number number = {0};
    const char *at = start;
    if (UNLIKELY(
            !read_integer(walk, &at, &number, checked) ||
            !read_fraction(walk, &at, &number, checked) ||
            !read_exponent(walk, &at, &number, checked))) {
        return (struct number_end){at, JSV_ERROR_INVALID_NUMBER};
    }
    size_t size = (size_t)(at - start);
    if (UNLIKELY(size > walk->number_size_max)) {
        return (struct number_end){start, JSV_ERROR_NUMBER_TOO_LONG};
    }
    if (UNLIKELY(
            number.count > SIGNIFICAND_DIGITS_MAX || number.exponent != (int16_t)number.exponent)) {
        number.flags |= JSV_NODE_BIG;
        number.significand = size;
        number.exponent = 0;
    }
    node->head = JSV_TYPE_NUMBER | number.flags << JSV_NODE_FLAGS_SHIFT |
                 (uint64_t)(uint16_t)number.exponent << JSV_NODE_SIZE_SHIFT |
                 start_of(walk->text, start);
    node->body = number.significand;
    return (struct number_end){at, JSV_ERROR_NONE};
}

/* Functions of their own: inlined, they would drive the cursor out of its registers. */
static __attribute__((noinline)) struct number_end
lay_number_bracketed(const struct walk *walk, const char *start, struct jsv_node *node)
{
    return lay_number(walk, start, node, false);
}

static __attribute__((noinline)) struct number_end
lay_number_checked(const struct walk *walk, const char *start, struct jsv_node *node)
{
    return lay_number(walk, start, node, true);
}

/* At '-' or a digit. */
ALWAYS_INLINE fault read_number(struct cursor *cursor, bool checked)
{
    struct number_end end = checked ? lay_number_checked(cursor->walk, cursor->at, cursor->node)
                                    : lay_number_bracketed(cursor->walk, cursor->at, cursor->node);
    cursor->at = end.at;
    if (LIKELY(!end.code)) {
        cursor->node++;
    }
    return end.code;
}

/* ---- short numbers ---- */

/* Move the integer's digits into the point's place; a zero takes their first one's. */
ALWAYS_INLINE uint64_t without_point(uint64_t digits, unsigned point)
{
    uint64_t integer = digits & ((1ull << point) - 1);
    uint64_t fraction = digits ^ integer ^ (uint64_t)('.' ^ '0') << point;
    return fraction | integer << 8;
}

/*
 * At a digit: read a number that ends within eight bytes and has no exponent,
 * as most do, without a loop whose length would be guessed. False for any
 * other, and for a text that is not a number: read_number handles these.
 */
ALWAYS_INLINE bool read_short_number(struct cursor *cursor)
{
    const char *at = cursor->at;
    if (UNLIKELY(cursor->walk->short_number_end - at < (ptrdiff_t)sizeof(uint64_t))) {
        return false;
    }
    uint64_t head = JSV_TYPE_NUMBER | start_of(cursor->text, at);
    uint64_t digits = digit_word(at);
    uint64_t others = mark_others(digits);
    bool leading_zero = (digits & 0xFF) == 0 && (digits >> 8 & 0xFF) <= 9;
    if (UNLIKELY(others == 0 || leading_zero)) {
        return false;
    }
    unsigned bits = bits_before(others);
    if (at[bits / 8] == '.') {
        unsigned point = bits;
        others &= others - 1;
        if (UNLIKELY(others == 0)) {
            return false;
        }
        bits = bits_before(others);
        if (UNLIKELY(bits == point + 8)) {
            return false;
        }
        unsigned fraction_size = (bits - point) / 8 - 1;
        digits = without_point(digits, point);
        head |= JSV_NODE_DECIMAL << JSV_NODE_FLAGS_SHIFT;
        head |= (uint64_t)(uint16_t)-fraction_size << JSV_NODE_SIZE_SHIFT;
    }
    if (UNLIKELY((at[bits / 8] | 0x20) == 'e')) {
        return false;
    }
    cursor->node->head = head;
    /* move the digits to the end, behind zeros */
    cursor->node->body = join_digits(digits << (64 - bits));
    cursor->node++;
    cursor->at += bits / 8;
    return true;
}
