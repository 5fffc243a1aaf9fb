/*
 * Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#pragma once

#include <jsv/jsv.h>

#define JSV_UTF8_SIZE_MAX 4

/* Length in bytes of the valid sequence at the start of text; 0 when there is none. */
size_t jsv_utf8_sequence(struct jsv_str text);
/* Offset of the first byte that is not part of a valid sequence; text.size when all is valid. */
size_t jsv_utf8_valid_prefix(struct jsv_str text);
/* Code points in valid UTF-8. */
size_t jsv_utf8_count(struct jsv_str text);
/* Decode the valid sequence at the start of text. @return its length. */
size_t jsv_utf8_decode(struct jsv_str text, uint32_t *ret_code_point);
/* Encode a code point (no surrogate, at most U+10FFFF). @return its length. */
size_t jsv_utf8_encode(uint32_t code_point, char out[static JSV_UTF8_SIZE_MAX]);
/* Append any bytes as UTF-8: a byte that is not part of a valid sequence becomes U+FFFD. */
int jsv_utf8_append_repaired(struct jsv_buf *out, struct jsv_str text);
