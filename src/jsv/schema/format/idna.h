/*
 * Labels of internationalised host names (IDNA 2008, RFC 5890 to 5893): a
 * U-label is written in Unicode, an A-label is "xn--" and its Punycode.
 */
#pragma once

#include "jsv/schema/format/punycode.h"

struct jsv_label {
    uint32_t points[JSV_LABEL_MAX]; /* in Unicode, an A-label's as well */
    size_t count;
    size_t ascii_size; /* octets of it in ASCII, as an A-label if need be */
};

/* Whether a label starts like an A-label, "xn--" in either case. */
bool jsv_label_has_prefix(struct jsv_str text);

/*
 * Check a label and take it apart: an A-label if it has the prefix, else a U-label.
 *
 * @param normalise Accept what is a U-label once it is in Normalization Form C.
 * @return 1; 0 when it is no such label; -ENOMEM.
 */
int jsv_label_from_idn(struct jsv_str text, bool normalise, struct jsv_label *label);

/* Whether it holds characters written from right to left; one such label makes a name a Bidi name.
 */
bool jsv_label_is_bidi(const struct jsv_label *label);
/* Whether it fulfils the Bidi rule (RFC 5893, section 2), as all labels of a Bidi name must. */
bool jsv_label_meets_bidi_rule(const struct jsv_label *label);
