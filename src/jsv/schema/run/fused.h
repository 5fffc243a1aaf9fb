/*
 * Reading and validating in one pass, for texts whose document nobody needs.
 */
#pragma once

#include <jsv/schema.h>

/* jsv_validate_text, with the drain run whenever the tape has so many bytes: tests want few. */
int jsv_validate_drained(
    const struct jsv_schema *schema,
    struct jsv_str text,
    struct jsv_reader *reader,
    struct jsv_document *document,
    struct jsv_validator *validator,
    size_t tape_size,
    struct jsv_error *reterr_error);
