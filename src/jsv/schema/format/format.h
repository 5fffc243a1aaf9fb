/*
 * The formats of JSON Schema: which of them a draft has, and whether a text is
 * of a format. docs/formats.md lists what each accepts and by which RFC. Also
 * contentEncoding and contentMediaType.
 */
#pragma once

#include <jsv/schema.h>

enum jsv_format {
#define FORMAT(constant, name, first, last, check) JSV_FORMAT_##constant,
#include "jsv/schema/format/formats.def"
#undef FORMAT
    JSV_FORMAT_COUNT,
};

/* The check of each format: 1, 0 or -ENOMEM. */
#define FORMAT(constant, name, first, last, check) int check(struct jsv_str text);
#include "jsv/schema/format/formats.def"
#undef FORMAT

/* Find a format of a draft by its name. @return false if the draft does not have it. */
bool jsv_format_find(struct jsv_str name, enum jsv_draft draft, enum jsv_format *ret_format);

/*
 * Whether a text is of a format.
 *
 * @param text Valid UTF-8; may contain NUL bytes.
 * @return 1, 0 or -ENOMEM (host names beyond ASCII and regular expressions need memory).
 */
int jsv_format_valid(enum jsv_format format, struct jsv_str text);

/* The steps that takes (steps.h). */
uint64_t jsv_format_steps(enum jsv_format format, struct jsv_str text);

/*
 * Whether a text has an encoding. Only base64 (RFC 4648) is checked; any other
 * encoding is accepted.
 */
bool jsv_content_encoded(struct jsv_str encoding, struct jsv_str text);

/*
 * Whether the decoded text is of a media type. Only application/json is
 * checked; any other type is accepted. @return 1, 0 or -ENOMEM.
 */
int jsv_content_is(
    struct jsv_str media_type,
    struct jsv_str encoding,
    struct jsv_str text,
    const struct jsv_allocator *allocator);
