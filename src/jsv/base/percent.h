/*
 * Percent-encoding (RFC 3986, section 2.1).
 */
#pragma once

#include <jsv/jsv.h>

/* Bytes that need no escape, besides letters, digits and "-._~": */
#define JSV_PERCENT_PATH     "/:@!$&'()*+,;="
#define JSV_PERCENT_FRAGMENT JSV_PERCENT_PATH "?"

/* Escape a byte, in upper case as RFC 3986 recommends. */
static inline void jsv_percent_spell(unsigned char byte, char ret_escape[static 3])
{
    static const char digits[] = "0123456789ABCDEF";
    ret_escape[0] = '%';
    ret_escape[1] = digits[byte >> 4];
    ret_escape[2] = digits[byte & 15];
}

/* Append a text, all bytes but the unreserved ones and those in keep as "%XX". */
void jsv_percent_append(struct jsv_buf *out, struct jsv_str text, const char *keep);

/*
 * Decode the first byte, "%XX" or itself, of a text that is not empty.
 * @return the bytes used; 0 when a '%' is not followed by two digits.
 */
size_t jsv_percent_byte(struct jsv_str text, char *ret_byte);
