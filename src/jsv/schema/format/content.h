/*
 * contentEncoding and contentMediaType, where the caller wants them checked
 * (jsv_schema_options.assert_content). Encodings and media types that are not known here fit
 * everything.
 */
#pragma once

#include <jsv/jsv.h>

/* Whether text is encoded so: base64 (RFC 4648) is known. */
bool jsv_content_encoded(struct jsv_str encoding, struct jsv_str text);

/*
 * Whether text, once decoded, is of a media type: application/json is known.
 * @return 1, 0 or -ENOMEM.
 */
int jsv_content_is(
    struct jsv_str media_type,
    struct jsv_str encoding,
    struct jsv_str text,
    const struct jsv_allocator *allocator);
