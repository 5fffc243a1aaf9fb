/*
 * The many ways to write one number in JSON: 12, 12.0, 1.2e1, 0.00012E+05, …
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room that spelling_write needs besides the digits. */
#define SPELLING_EXTRA 128

/*
 * Write one of the spellings of digits * 10^exponent, chosen at random.
 *
 * @param out    Room for the digits and SPELLING_EXTRA more; NUL-terminated.
 * @param digits Decimal digits without leading zeros; "0" is zero.
 * @param random State of random_next().
 * @return length of the spelling.
 */
size_t
spelling_write(char *out, bool negative, const char *digits, int64_t exponent, uint64_t *random);
