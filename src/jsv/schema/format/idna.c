/*
 * Labels of internationalised host names.
 *
 * The rules for characters and their context change with Unicode; libidn2 and
 * libunistring follow it. libidn2 only decides whether a label may be
 * registered. It does not convert labels, because it would allocate the result
 * itself, and does not check the Bidi rule, because its check misses the fourth
 * condition and looks at one label instead of the whole name.
 */
#include "jsv/schema/format/idna.h"

#include <errno.h>
#include <string.h>

#include <idn2.h>
#include <unictype.h>

#include "jsv/base/ascii.h"
#include "jsv/base/foreign.h"
#include "jsv/base/utf8.h"

#define PREFIX      "xn--"
#define PREFIX_SIZE (sizeof(PREFIX) - 1)

/* ---- Punycode (RFC 3492) ---- */

/*
 * The ASCII characters of the label and a hyphen come first, if there are any.
 * Then each other character is inserted, in the order of code points, and of
 * positions for equal ones. A number says how many pairs (code point, position)
 * to step over since the last insertion.
 *
 * Numbers are in base 36 with digits of varying weight, lowest first; a digit
 * below the threshold of its position ends the number. Thresholds follow a bias
 * that is adapted to the size of the last number.
 */

/* The parameters of section 5. */
#define BASE        36u
#define T_MIN       1u
#define T_MAX       26u
#define SKEW        38u
#define DAMP        700u
#define BIAS_FIRST  72u
#define POINT_FIRST 0x80u
#define POINT_LAST  0x10FFFFu

/* The largest step: over all positions of a label at all code points. */
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
 * Take a number. @return false if it is incomplete, malformed or too large. The
 * weight is never larger than the number so far times the base.
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

/* Take the ASCII characters, which end at the last hyphen. A hyphen without any would be a second
   encoding of the same label; there is no other ambiguity. */
static bool take_ascii(struct jsv_str *text, uint32_t *out, size_t *ret_count)
{
    size_t size = text->size;
    while (size > 0 && text->data[size - 1] != '-') {
        size--;
    }
    size_t count = size > 0 ? size - 1 : 0;
    if (count > JSV_LABEL_MAX || size == 1) {
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

/* Put all ASCII characters, which fit, and the hyphen after them, which may not fit. */
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
    /* A longer label has longer Punycode, and its numbers could overflow. */
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

/* ---- labels ---- */

bool jsv_label_has_prefix(struct jsv_str text)
{
    return text.size >= PREFIX_SIZE && jsv_to_lower(text.data[0]) == 'x' &&
           jsv_to_lower(text.data[1]) == 'n' && text.data[2] == '-' && text.data[3] == '-';
}

/* Check libidn2's rules for a U-label. @return 1, 0 or -ENOMEM. */
static int may_be_registered(const struct jsv_label *label, bool normalise)
{
    char text[JSV_LABEL_MAX * JSV_UTF8_SIZE_MAX + 1];
    size_t size = 0;
    for (size_t i = 0; i < label->count; i++) {
        if (label->points[i] == 0 || (label->points[i] >= 0xD800 && label->points[i] <= 0xDFFF)) {
            return 0;
        }
        size += jsv_utf8_encode(label->points[i], text + size);
    }
    text[size] = '\0';
    jsv_foreign_begin();
    int r = idn2_register_u8((const uint8_t *)text, NULL, NULL, normalise ? IDN2_NFC_INPUT : 0);
    jsv_foreign_end();
    return r == IDN2_MALLOC ? -ENOMEM : r == IDN2_OK;
}

static bool is_all_ascii(const struct jsv_label *label)
{
    for (size_t i = 0; i < label->count; i++) {
        if (label->points[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

/* An A-label may have any case, but its decoded form must be lower case. */
static int from_a_label(struct jsv_str text, struct jsv_label *label)
{
    char lower[JSV_LABEL_MAX];
    if (text.size < PREFIX_SIZE || text.size > sizeof(lower)) {
        return 0;
    }
    for (size_t i = 0; i < text.size; i++) {
        lower[i] = jsv_to_lower(text.data[i]);
    }
    struct jsv_str encoded = {lower + PREFIX_SIZE, text.size - PREFIX_SIZE};
    if (!jsv_punycode_decode(encoded, label->points, &label->count) || is_all_ascii(label)) {
        return 0;
    }
    label->ascii_size = text.size;
    return may_be_registered(label, false);
}

static int from_u_label(struct jsv_str text, bool normalise, struct jsv_label *label)
{
    label->count = 0;
    while (text.size > 0) {
        if (label->count == JSV_LABEL_MAX) {
            return 0;
        }
        size_t size = jsv_utf8_decode(text, &label->points[label->count++]);
        text = (struct jsv_str){text.data + size, text.size - size};
    }
    char encoded[JSV_LABEL_MAX];
    size_t size;
    if (!jsv_punycode_encode(label->points, label->count, encoded, &size) ||
        size > JSV_LABEL_MAX - PREFIX_SIZE) {
        return 0;
    }
    label->ascii_size = PREFIX_SIZE + size;
    return may_be_registered(label, normalise);
}

int jsv_label_from_idn(struct jsv_str text, bool normalise, struct jsv_label *label)
{
    return jsv_label_has_prefix(text) ? from_a_label(text, label)
                                      : from_u_label(text, normalise, label);
}

/* ---- writing direction ---- */

#define DIRECTION(class) (1u << UC_BIDI_##class)

/* The directions of all characters, a bit each. */
static unsigned directions(const struct jsv_label *label)
{
    unsigned set = 0;
    for (size_t i = 0; i < label->count; i++) {
        set |= 1u << uc_bidi_class(label->points[i]);
    }
    return set;
}

/* The direction of the last character that is not a combining mark. */
static unsigned last_direction(const struct jsv_label *label)
{
    unsigned direction = DIRECTION(NSM);
    for (size_t i = label->count; i > 0 && direction == DIRECTION(NSM); i--) {
        direction = 1u << uc_bidi_class(label->points[i - 1]);
    }
    return direction;
}

bool jsv_label_is_bidi(const struct jsv_label *label)
{
    return directions(label) & (DIRECTION(R) | DIRECTION(AL) | DIRECTION(AN));
}

bool jsv_label_meets_bidi_rule(const struct jsv_label *label)
{
    const unsigned neutral = DIRECTION(ES) | DIRECTION(CS) | DIRECTION(ET) | DIRECTION(ON) |
                             DIRECTION(BN) | DIRECTION(NSM);
    const unsigned leftward = DIRECTION(R) | DIRECTION(AL);
    const unsigned numbers = DIRECTION(EN) | DIRECTION(AN);
    unsigned all = directions(label);
    unsigned first = 1u << uc_bidi_class(label->points[0]);
    unsigned last = last_direction(label);
    if (first & leftward) {
        return !(all & ~(leftward | numbers | neutral)) && (last & (leftward | numbers)) &&
               (all & numbers) != numbers;
    }
    const unsigned rightward = DIRECTION(L) | DIRECTION(EN);
    return first == DIRECTION(L) && !(all & ~(rightward | neutral)) && (last & rightward);
}
