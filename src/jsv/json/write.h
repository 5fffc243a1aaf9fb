/*
 * Writing, for the files that write documents.
 */
#pragma once

#include <jsv/json.h>

enum jsv_escape {
    JSV_ESCAPE_MINIMAL, /* '"', '\' and control characters */
    JSV_ESCAPE_ASCII,   /* and everything beyond ASCII, as \uXXXX */
};

/* Enough for the digits of any 64-bit integer. */
#define JSV_DIGITS_MAX 20

/* Write decimal digits that end before end. @return the first of them. */
char *jsv_digits_before(char *end, uint64_t integer);

/* The comma between what was written and what comes next, if one is due. */
void jsv_write_separator(struct jsv_writer *writer);
/* Append a string in quotes, without a comma. */
void jsv_escape_append(struct jsv_buf *out, struct jsv_str text, enum jsv_escape how);
