/*
 * Which characters a label may hold, and next to which others, changes with
 * Unicode; libidn2 and libunistring keep up with it. libidn2 is only asked
 * whether a label may be registered. It is not asked for conversions, since
 * their outcome would be memory of a library, nor trusted with the Bidi rule,
 * of which it lacks the fourth condition and the view on a name as a whole.
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

/* ---- labels ---- */

bool jsv_label_has_prefix(struct jsv_str text)
{
    return text.size >= PREFIX_SIZE && jsv_to_lower(text.data[0]) == 'x' &&
           jsv_to_lower(text.data[1]) == 'n' && text.data[2] == '-' && text.data[3] == '-';
}

/* All of libidn2's rules for a U-label. @return 1, 0 or -ENOMEM. */
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

/* Case does not count in ASCII, and what Punycode decodes to must have none. */
static int from_a_label(struct jsv_str text, struct jsv_label *label)
{
    char lower[JSV_LABEL_MAX];
    if (text.size > sizeof(lower)) {
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
    int r = may_be_registered(label, false);
    if (r <= 0) {
        return r;
    }
    char again[JSV_LABEL_MAX];
    size_t size;
    return jsv_punycode_encode(label->points, label->count, again, &size) && size == encoded.size &&
           memcmp(again, encoded.data, size) == 0;
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

/* The directions of all characters, as a set. */
static unsigned directions(const struct jsv_label *label)
{
    unsigned set = 0;
    for (size_t i = 0; i < label->count; i++) {
        set |= 1u << uc_bidi_class(label->points[i]);
    }
    return set;
}

/* The direction of the last character that is no mark on another. */
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
