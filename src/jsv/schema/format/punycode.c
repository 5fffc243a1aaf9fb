/*
 * First come the ASCII characters of the label and a hyphen, if it has any;
 * then, as one number each, the places where the others are to be put in. The
 * others are put in by rising code point, and by place among equal ones. So a
 * number says how far to step through all pairs (code point, place) since the
 * last insertion: round the label and, each time round, on to the next code
 * point.
 *
 * Numbers are written in base 36 with digits of varying weight, the lowest
 * first; a digit below its position's threshold ends the number. Thresholds
 * follow a bias that is adapted to the size of the last number.
 */
#include "jsv/schema/format/punycode.h"

#include <string.h>

#include "jsv/base/ascii.h"

/* Section 5 names these. */
#define BASE        36u
#define T_MIN       1u
#define T_MAX       26u
#define SKEW        38u
#define DAMP        700u
#define BIAS_FIRST  72u
#define POINT_FIRST 0x80u
#define POINT_LAST  0x10FFFFu

/* The longest way to step: through all code points, at each through all places of a label. */
#define NUMBER_MAX (POINT_LAST * (JSV_LABEL_MAX + 1))

static uint32_t adapt(uint32_t delta, size_t places, bool first)
{
    delta /= first ? DAMP : 2;
    delta += delta / (uint32_t)places;
    uint32_t shift = 0;
    while (delta > (BASE - T_MIN) * T_MAX / 2) {
        delta /= BASE - T_MIN;
        shift += BASE;
    }
    return shift + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t position, uint32_t bias)
{
    if (position <= bias + T_MIN) {
        return T_MIN;
    }
    return position >= bias + T_MAX ? T_MAX : position - bias;
}

/* ---- decoding ---- */

static int digit_value(char c)
{
    if (jsv_is_digit(c)) {
        return c - '0' + 26;
    }
    return jsv_is_alpha(c) ? jsv_to_lower(c) - 'a' : -1;
}

/*
 * Read a number off the text. @return false when it is cut short, malformed or
 * too large. A weight is never more than the number so far, times the base.
 */
static bool take_number(struct jsv_str *text, uint32_t bias, uint32_t *ret_number)
{
    uint64_t number = 0;
    uint64_t weight = 1;
    for (uint32_t position = BASE; text->size > 0; position += BASE) {
        int value = digit_value(text->data[0]);
        *text = (struct jsv_str){text->data + 1, text->size - 1};
        if (value < 0) {
            return false;
        }
        number += (uint64_t)value * weight;
        if (number > NUMBER_MAX) {
            return false;
        }
        uint32_t limit = threshold(position, bias);
        if ((uint32_t)value < limit) {
            *ret_number = (uint32_t)number;
            return true;
        }
        weight *= BASE - limit;
    }
    return false;
}

/* Move the ASCII characters, which end at the last hyphen, from the text to the outcome. */
static bool take_ascii(struct jsv_str *text, uint32_t *out, size_t *ret_count)
{
    size_t size = text->size;
    while (size > 0 && text->data[size - 1] != '-') {
        size--;
    }
    size_t count = size > 0 ? size - 1 : 0;
    if (count > JSV_LABEL_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!jsv_is_ascii(text->data[i])) {
            return false;
        }
        out[i] = (unsigned char)text->data[i];
    }
    *text = (struct jsv_str){text->data + size, text->size - size};
    *ret_count = count;
    return true;
}

bool jsv_punycode_decode(struct jsv_str text, uint32_t out[static JSV_LABEL_MAX], size_t *ret_count)
{
    size_t count;
    if (text.size == 0 || !take_ascii(&text, out, &count)) {
        return false;
    }
    uint32_t point = POINT_FIRST;
    uint32_t place = 0;
    uint32_t bias = BIAS_FIRST;
    bool first = true;
    while (text.size > 0) {
        uint32_t delta;
        if (count == JSV_LABEL_MAX || !take_number(&text, bias, &delta)) {
            return false;
        }
        size_t places = count + 1;
        bias = adapt(delta, places, first);
        first = false;
        place += delta;
        uint32_t rounds = place / (uint32_t)places;
        if (rounds > POINT_LAST - point) {
            return false;
        }
        point += rounds;
        place %= (uint32_t)places;
        memmove(out + place + 1, out + place, (count - place) * sizeof(*out));
        out[place++] = point;
        count++;
    }
    *ret_count = count;
    return true;
}

/* ---- encoding ---- */

struct output {
    char *data;
    size_t size;
};

static bool put(struct output *out, char c)
{
    if (out->size == JSV_LABEL_MAX) {
        return false;
    }
    out->data[out->size++] = c;
    return true;
}

static bool put_number(struct output *out, uint32_t number, uint32_t bias)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    for (uint32_t position = BASE;; position += BASE) {
        uint32_t limit = threshold(position, bias);
        if (number < limit) {
            return put(out, digits[number]);
        }
        if (!put(out, digits[limit + (number - limit) % (BASE - limit)])) {
            return false;
        }
        number = (number - limit) / (BASE - limit);
    }
}

/* All ASCII characters, for which there is room, and the hyphen behind them, for which there may
 * be. */
static bool put_ascii(struct output *out, const uint32_t *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (points[i] < POINT_FIRST) {
            out->data[out->size++] = (char)points[i];
        }
    }
    return out->size == 0 || put(out, '-');
}

static uint32_t lowest_from(const uint32_t *points, size_t count, uint32_t from)
{
    uint32_t lowest = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        if (points[i] >= from && points[i] < lowest) {
            lowest = points[i];
        }
    }
    return lowest;
}

bool jsv_punycode_encode(
    const uint32_t *points, size_t count, char out[static JSV_LABEL_MAX], size_t *ret_size)
{
    struct output output = {out, 0};
    /* A label that long has no shorter Punycode, and its numbers could be too large. */
    if (count > JSV_LABEL_MAX || !put_ascii(&output, points, count)) {
        return false;
    }
    size_t ascii = output.size > 0 ? output.size - 1 : 0;
    size_t done = ascii;
    uint32_t point = POINT_FIRST;
    uint32_t delta = 0;
    uint32_t bias = BIAS_FIRST;
    while (done < count) {
        uint32_t next = lowest_from(points, count, point);
        delta += (next - point) * (uint32_t)(done + 1);
        point = next;
        for (size_t i = 0; i < count; i++) {
            if (points[i] < point) {
                delta++;
            } else if (points[i] == point) {
                if (!put_number(&output, delta, bias)) {
                    return false;
                }
                done++;
                bias = adapt(delta, done, done == ascii + 1);
                delta = 0;
            }
        }
        delta++;
        point++;
    }
    *ret_size = output.size;
    return true;
}
