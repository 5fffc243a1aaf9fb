#include "spelling.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "random.h"

/* Insert text, moving the size bytes after it. */
static void insert(char *at, size_t size, const char *text, size_t text_size)
{
    memmove(at + text_size, at, size);
    memcpy(at, text, text_size);
}

static char *put_exponent(char *out, int64_t exponent, uint64_t *random)
{
    static const char *const zeros[] = {"", "", "", "0", "000000000000000000000000"};
    const char *sign = exponent < 0 ? "-" : random_below(random, 2) ? "+" : "";
    return out + snprintf(
                     out,
                     64,
                     "%c%s%s%" PRIu64,
                     random_below(random, 2) ? 'e' : 'E',
                     sign,
                     zeros[random_below(random, 5)],
                     exponent < 0 ? -(uint64_t)exponent : (uint64_t)exponent);
}

size_t
spelling_write(char *out, bool negative, const char *digits, int64_t exponent, uint64_t *random)
{
    char *start = out;
    if (negative) {
        *start++ = '-';
    }
    /* Zeros after the digits change only the exponent; but "00" is not a number. */
    size_t count = strlen(digits);
    size_t zeros = digits[0] == '0' || random_below(random, 2) ? 0 : random_below(random, 30);
    memcpy(start, digits, count);
    memset(start + count, '0', zeros);
    count += zeros;
    /* The point goes behind so many of them. */
    size_t point = random_below(random, count + 1);
    exponent += (int64_t)(count - point - zeros);
    if (point == 0) {
        size_t leading = random_below(random, 10);
        insert(start, count, "0.000000000", 2 + leading);
        count += 2 + leading;
        exponent += (int64_t)leading;
    } else if (point < count) {
        insert(start + point, count - point, ".", 1);
        count++;
    }
    char *end = start + count;
    if (exponent != 0 || random_below(random, 4) == 0) {
        end = put_exponent(end, exponent, random);
    }
    *end = '\0';
    return (size_t)(end - out);
}
