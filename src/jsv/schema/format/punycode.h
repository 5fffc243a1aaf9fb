/*
 * Punycode (RFC 3492): labels of host names beyond ASCII, written in ASCII.
 */
#pragma once

#include <jsv/jsv.h>

/* Octets of a label at most (RFC 1035), and so its code points, in either form. */
#define JSV_LABEL_MAX 63

/*
 * Decode what follows "xn--".
 * @return false when it is no Punycode or has too many code points.
 */
bool jsv_punycode_decode(
    struct jsv_str text, uint32_t out[static JSV_LABEL_MAX], size_t *ret_count);

/* Encode. @return false when the outcome has more than JSV_LABEL_MAX octets. */
bool jsv_punycode_encode(
    const uint32_t *points, size_t count, char out[static JSV_LABEL_MAX], size_t *ret_size);
