/*
 * The formats of JSON Schema: which ones a draft knows, and whether a text is
 * of a format. docs/formats.md says what each accepts and by which RFC.
 */
#pragma once

#include <jsv/schema.h>

enum jsv_format {
#define FORMAT(constant, name, first, last, check) JSV_FORMAT_##constant,
#include "jsv/schema/format/formats.def"
#undef FORMAT
    JSV_FORMAT_COUNT,
};

/* The format a name stands for in a draft. @return false when the draft does not know it. */
bool jsv_format_find(struct jsv_str name, enum jsv_draft draft, enum jsv_format *ret_format);

/*
 * Whether a text is of a format.
 *
 * @param text Valid UTF-8; may hold NUL bytes.
 * @return 1 when it is, 0 when it is not; -ENOMEM when finding out took memory
 *         that was not there (host names beyond ASCII, regular expressions).
 */
int jsv_format_valid(enum jsv_format format, struct jsv_str text);

/* What that takes, in steps (steps.h). */
uint64_t jsv_format_steps(enum jsv_format format, struct jsv_str text);
