/*
 * Labels of internationalised host names (IDNA 2008, RFC 5890 to 5893): a
 * U-label is in Unicode, an A-label is "xn--" and Punycode (RFC 3492).
 */
#pragma once

#include <jsv/jsv.h>

/* Octets of a label (RFC 1035), and so the maximum of its code points in either form. */
#define JSV_LABEL_MAX 63

struct jsv_label {
    uint32_t points[JSV_LABEL_MAX]; /* in Unicode, also of an A-label */
    size_t count;
    size_t ascii_size; /* octets in ASCII, as an A-label if necessary */
};

/* Whether a label starts with the prefix of an A-label, "xn--" in either case. */
bool jsv_label_has_prefix(struct jsv_str text);

/*
 * Check and decode a label: an A-label if it has the prefix, else a U-label.
 *
 * @param normalise Accept text that is a U-label after normalisation to NFC.
 * @return 1; 0 if it is not a label; -ENOMEM.
 */
int jsv_label_from_idn(struct jsv_str text, bool normalise, struct jsv_label *label);

/* Whether it has characters written from right to left. One such label makes a Bidi name. */
bool jsv_label_is_bidi(const struct jsv_label *label);
/* Whether it meets the Bidi rule (RFC 5893, section 2), as all labels of a Bidi name must. */
bool jsv_label_meets_bidi_rule(const struct jsv_label *label);

/* Decode the part after "xn--". @return false if it is not Punycode or too long. */
bool jsv_punycode_decode(
    struct jsv_str text, uint32_t out[static JSV_LABEL_MAX], size_t *ret_count);

/* Encode. @return false if the result exceeds JSV_LABEL_MAX octets. */
bool jsv_punycode_encode(
    const uint32_t *points, size_t count, char out[static JSV_LABEL_MAX], size_t *ret_size);
