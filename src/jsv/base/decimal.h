/*
 * A number taken apart into its digits: what number.c falls back on when 64
 * bits are not enough. Used in this folder only.
 *
 * The view is normalised: the first and the last digit are not zero, so equal
 * numbers have the same digits and the same exponent, however they were
 * spelled. Zero is always small and has no view.
 */
#pragma once

#include "jsv/base/number.h"

/*
 * An integer of any size: the exponent as written, plus what moving the
 * decimal point added to it (or, of a small number, all of it).
 */
struct jsv_exponent {
    bool negative;         /* sign of digits */
    struct jsv_str digits; /* without leading zeros; empty means 0 */
    int64_t offset;
};

/* Exponents and differences are cut to this; no digit count comes near. */
#define JSV_EXPONENT_FAR 100000000000000000 /* 10^17 */

struct jsv_decimal {
    struct jsv_str digits;        /* first to last that is not zero, perhaps a point in between */
    size_t count;                 /* of digits, the point left out */
    struct jsv_exponent exponent; /* power of ten of the last digit */
    char buffer[20];              /* holds the digits of a small number */
};

/* View a number that is not zero. Borrows its spelling and points into itself: do not copy it. */
void jsv_decimal_init(struct jsv_decimal *decimal, const struct jsv_number *number);
/* View a spelling. @return false when it is zero. */
bool jsv_decimal_init_spelling(struct jsv_decimal *decimal, struct jsv_str spelling);

/* a - b, or +-JSV_EXPONENT_FAR when it is beyond that. */
int64_t jsv_exponent_difference(const struct jsv_exponent *a, const struct jsv_exponent *b);
/* The exponent itself, or +-JSV_EXPONENT_FAR. */
int64_t jsv_decimal_exponent(const struct jsv_decimal *decimal);

/* Orders the absolute values: <0, 0 or >0. */
int jsv_decimal_compare(const struct jsv_decimal *a, const struct jsv_decimal *b);
uint64_t jsv_decimal_hash(const struct jsv_decimal *decimal, uint64_t seed);

/* The next digit as 0 to 9; the cursor starts at digits.data and must not be at the end. */
static inline unsigned jsv_decimal_next(const char **cursor)
{
    if (**cursor == '.') {
        ++*cursor;
    }
    return (unsigned)(*(*cursor)++ - '0');
}
