/*
 * Exact decimal numbers: a number is what its JSON spelling says, never a
 * rounded double. No function here allocates, fails, or does work that grows
 * with the exponent; 1e-9999999999 is as cheap as 1.
 *
 * value = (negative ? -1 : 1) * significand * 10^exponent
 *
 * A small number has its significand in 64 bits and its exponent in 64 bits. A
 * big one, and only one that cannot be small, keeps its spelling and is
 * computed with digit by digit; jsv_number_from decides. Spellings
 * must be valid JSON numbers (the reader checks the grammar) of at most
 * JSV_NUMBER_SIZE_MAX characters: multipleOf is quadratic in the digits and
 * works in stack buffers of that size.
 */
#pragma once

#include <jsv/jsv.h>

#define JSV_NUMBER_SIZE_MAX 16384

struct jsv_number {
    bool negative; /* the sign as written; -0 is equal to 0 */
    bool big;
    uint64_t significand;    /* small only */
    int64_t exponent;        /* small only */
    struct jsv_str spelling; /* big only; borrowed */
};

/* 10^0 and on, as far as 64 bits hold them. */
#define JSV_POWER_TEN_MAX 19
extern const uint64_t jsv_power_ten[JSV_POWER_TEN_MAX + 1];

/* Read a spelling: small when it fits, else big. */
struct jsv_number jsv_number_from(struct jsv_str spelling);
struct jsv_number jsv_number_from_int64(int64_t integer);

/* <0, 0 or >0, exactly. */
int jsv_number_compare(const struct jsv_number *a, const struct jsv_number *b);
bool jsv_number_equal(const struct jsv_number *a, const struct jsv_number *b);
bool jsv_number_is_zero(const struct jsv_number *number);
/* Whether the value is an integer, however it is written (1.0, 10e-1). */
bool jsv_number_is_integer(const struct jsv_number *number);
/* Whether number / divisor is an integer, exactly. The divisor must not be zero. */
bool jsv_number_multiple_of(const struct jsv_number *number, const struct jsv_number *divisor);
/* 0; -EINVAL when no integer; -ERANGE when it does not fit. */
int jsv_number_int64(const struct jsv_number *number, int64_t *ret_integer);
/* Nearest double, ties to even; infinite when beyond its range; -0 stays -0. In any locale. */
double jsv_number_double(const struct jsv_number *number);
/* A hash such that equal numbers hash equal: 1, 1.0 and 10e-1. */
uint64_t jsv_number_hash(const struct jsv_number *number, uint64_t seed);

/* Longest text jsv_number_print writes: "-1.2345678901234567e-308". */
#define JSV_NUMBER_PRINT_MAX 32
/*
 * The shortest text that reads back as the same double, as ECMAScript prints
 * it. The number must be finite. @return the length; do not count on a NUL.
 */
size_t jsv_number_print(double number, char out[static JSV_NUMBER_PRINT_MAX]);
