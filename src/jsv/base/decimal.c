/*
 * Computing with spellings.
 *
 * A spelling like -0.00120e+45 holds three things: significant digits (12),
 * the power of ten of the last of them (45 - 4), and noise. The view finds the
 * digits in place and never copies them. The exponent part may have thousands
 * of digits itself, so it stays text too; only the
 * difference of two exponents is needed, and only while it is small. Subtracting from the leading
 * digit on, the running difference either stays small or, once it is far from
 * zero, can never come back: so one pass with a cap gives it exactly. Work is
 * linear in the characters written and independent of the values.
 */
#include "jsv/base/decimal.h"

#include <string.h>

#include "jsv/base/ascii.h"
#include "jsv/base/hash.h"

/* The part behind the 'e', which may be missing; offset stays as it is. */
static void read_exponent_part(struct jsv_exponent *exponent, const char *cursor, const char *end)
{
    if (cursor < end) {
        cursor++;
        exponent->negative = *cursor == '-';
        cursor += !jsv_is_digit(*cursor);
        while (cursor < end && *cursor == '0') {
            cursor++;
        }
    }
    exponent->digits = (struct jsv_str){cursor, (size_t)(end - cursor)};
}

/* The first or the last digit that is not zero; NULL when there is none. */
static const char *first_significant(const char *from, const char *end)
{
    while (from < end && (*from == '0' || *from == '.')) {
        from++;
    }
    return from < end ? from : NULL;
}

static const char *last_significant(const char *end)
{
    do {
        end--;
    } while (*end == '0' || *end == '.');
    return end;
}

bool jsv_decimal_init_spelling(struct jsv_decimal *decimal, struct jsv_str spelling)
{
    const char *start = spelling.data + (spelling.data[0] == '-');
    const char *end = spelling.data + spelling.size;
    size_t size = (size_t)(end - start);
    const char *e = memchr(start, 'e', size);
    e = e ? e : memchr(start, 'E', size);
    const char *digits_end = e ? e : end;
    const char *point = memchr(start, '.', (size_t)(digits_end - start));
    const char *first = first_significant(start, digits_end);
    if (!first) {
        return false;
    }
    const char *last = last_significant(digits_end);
    const char *unit = (point ? point : digits_end) - 1; /* the digit of 10^0 */
    decimal->digits = (struct jsv_str){first, (size_t)(last - first) + 1};
    decimal->count = decimal->digits.size - (point && first < point && point < last);
    decimal->exponent.negative = false;
    decimal->exponent.offset = unit - last + (last > unit);
    read_exponent_part(&decimal->exponent, digits_end, end);
    return true;
}

static void init_small(struct jsv_decimal *decimal, uint64_t significand, int64_t exponent)
{
    while (significand % 10 == 0) {
        significand /= 10;
        exponent++;
    }
    char *end = decimal->buffer + sizeof decimal->buffer;
    char *first = end;
    for (; significand != 0; significand /= 10) {
        *--first = (char)('0' + significand % 10);
    }
    decimal->count = (size_t)(end - first);
    decimal->digits = (struct jsv_str){first, decimal->count};
    decimal->exponent = (struct jsv_exponent){.offset = exponent};
}

void jsv_decimal_init(struct jsv_decimal *decimal, const struct jsv_number *number)
{
    if (number->big) {
        jsv_decimal_init_spelling(decimal, number->spelling);
    } else {
        init_small(decimal, number->significand, number->exponent);
    }
}

/* The digit at 10^place, with the exponent's sign. */
static int exponent_digit(const struct jsv_exponent *exponent, size_t place)
{
    if (place >= exponent->digits.size) {
        return 0;
    }
    int digit = exponent->digits.data[exponent->digits.size - 1 - place] - '0';
    return exponent->negative ? -digit : digit;
}

/*
 * Stopping at the cap is exact: a running difference of d >= 3 becomes at
 * least 10 d - 18 with the next digits, so it never comes back. The offsets,
 * at most some 10^17 together, cannot bring it back below FAR either. And ten
 * times the cap still fits 64 bits.
 */
int64_t jsv_exponent_difference(const struct jsv_exponent *a, const struct jsv_exponent *b)
{
    const int64_t cap = 5 * JSV_EXPONENT_FAR;
    size_t places = a->digits.size > b->digits.size ? a->digits.size : b->digits.size;
    int64_t difference = 0;
    while (places-- > 0) {
        difference = difference * 10 + exponent_digit(a, places) - exponent_digit(b, places);
        if (difference >= cap || difference <= -cap) {
            return difference < 0 ? -JSV_EXPONENT_FAR : JSV_EXPONENT_FAR;
        }
    }
    difference += a->offset - b->offset;
    if (difference > JSV_EXPONENT_FAR) {
        return JSV_EXPONENT_FAR;
    }
    return difference < -JSV_EXPONENT_FAR ? -JSV_EXPONENT_FAR : difference;
}

int64_t jsv_decimal_exponent(const struct jsv_decimal *decimal)
{
    static const struct jsv_exponent zero = {0};
    return jsv_exponent_difference(&decimal->exponent, &zero);
}

/* Digits from a cursor on that are not interrupted by a point; the cursor moves past a point. */
static size_t digits_in_a_row(const char **cursor, const char *point, size_t left)
{
    *cursor += *cursor == point;
    return point && *cursor < point && left > (size_t)(point - *cursor) ? (size_t)(point - *cursor)
                                                                        : left;
}

/* Orders the first digits of two numbers. */
static int compare_digits(const struct jsv_decimal *a, const struct jsv_decimal *b, size_t count)
{
    const char *cursor_a = a->digits.data;
    const char *cursor_b = b->digits.data;
    const char *point_a = memchr(cursor_a, '.', a->digits.size);
    const char *point_b = memchr(cursor_b, '.', b->digits.size);
    while (count > 0) {
        size_t row = digits_in_a_row(&cursor_a, point_a, count);
        row = digits_in_a_row(&cursor_b, point_b, row);
        int order = memcmp(cursor_a, cursor_b, row);
        if (order != 0) {
            return order;
        }
        cursor_a += row;
        cursor_b += row;
        count -= row;
    }
    return 0;
}

int jsv_decimal_compare(const struct jsv_decimal *a, const struct jsv_decimal *b)
{
    /* Of the leading digits' powers of ten; FAR outweighs any count. */
    int64_t difference =
        jsv_exponent_difference(&a->exponent, &b->exponent) + (int64_t)a->count - (int64_t)b->count;
    if (difference != 0) {
        return difference < 0 ? -1 : 1;
    }
    int order = compare_digits(a, b, a->count < b->count ? a->count : b->count);
    /* The last digit is not zero: more digits, larger value. */
    return order != 0 ? order : (a->count > b->count) - (a->count < b->count);
}

/* Exponent as text of its absolute value, for when it is too far for 64 bits. */
static struct jsv_str
exponent_text(const struct jsv_exponent *exponent, char *buffer, size_t buffer_size)
{
    char *first = buffer + buffer_size;
    int64_t carry = exponent->negative ? -exponent->offset : exponent->offset;
    for (size_t i = exponent->digits.size; i > 0 || carry > 0;) {
        carry += i > 0 ? exponent->digits.data[--i] - '0' : 0;
        int64_t digit = (carry % 10 + 10) % 10;
        carry = (carry - digit) / 10;
        *--first = (char)('0' + digit);
    }
    while (*first == '0') {
        first++;
    }
    return (struct jsv_str){first, (size_t)(buffer + buffer_size - first)};
}

/*
 * Exponents are hashed by their exact value. Cutting them to 64 bits would be
 * shorter, but then anyone could write numbers that collide.
 */
uint64_t jsv_decimal_hash(const struct jsv_decimal *decimal, uint64_t seed)
{
    char buffer[JSV_NUMBER_SIZE_MAX + 20];
    struct jsv_str digits = decimal->digits;
    const char *point = memchr(digits.data, '.', digits.size);
    size_t whole = point ? (size_t)(point - digits.data) : digits.size;
    memcpy(buffer, digits.data, whole);
    if (point) {
        memcpy(buffer + whole, point + 1, digits.size - whole - 1);
    }
    uint64_t hash = jsv_hash((struct jsv_str){buffer, decimal->count}, seed);
    int64_t exponent = jsv_decimal_exponent(decimal);
    if (exponent > -JSV_EXPONENT_FAR && exponent < JSV_EXPONENT_FAR) {
        return jsv_hash((struct jsv_str){(const char *)&exponent, sizeof exponent}, hash);
    }
    struct jsv_str text = exponent_text(&decimal->exponent, buffer, sizeof buffer);
    return jsv_hash(text, exponent < 0 ? ~hash : hash);
}
