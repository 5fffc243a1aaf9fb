/*
 * Base64 (RFC 4648): the standard alphabet, padded.
 */
#pragma once

#include <jsv/jsv.h>

/*
 * Decode into out, which holds 3/4 of the text, or nowhere when out is NULL.
 * @return the size; SIZE_MAX when the text is not base64.
 */
size_t jsv_base64_decode(struct jsv_str text, char *out);
