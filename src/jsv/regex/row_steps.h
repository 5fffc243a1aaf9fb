/*
 * A row as it is matched: steps, done one after the other.
 *
 * - one byte of a set, or a run of them, by a table: of each byte, the sets it
 *   is in;
 * - a stretch of fixed length, such as ast_ or [0-9]{4}-[0-9]{2}, where each
 *   byte must be in a range of its own: eight of them are compared at once.
 *
 * row_build.c makes them, row.c does them.
 */
#pragma once

#include <stdint.h>

#include "jsv/regex/row.h"

/* Bytes of a stretch that are compared at once. */
#define JSV_STRETCH_SIZE 8
/* Counts have 16 bits; larger ones are left to PCRE2, which knows when to refuse them. */
#define JSV_STEP_UNBOUNDED UINT16_MAX

enum jsv_step_kind {
    JSV_STEP_RUN,     /* as many bytes of a set as there are, within bounds */
    JSV_STEP_ONE,     /* one byte of a set */
    JSV_STEP_STRETCH, /* some bytes, each in a range */
    /* No step follows those. */
    JSV_STEP_REST,  /* a run to the end of the text */
    JSV_STEP_END,   /* the end of the text */
    JSV_STEP_MATCH, /* whatever the text goes on with */
};

struct jsv_step {
    uint8_t kind;
    uint8_t set;  /* its bit */
    uint8_t size; /* of a stretch */
    /* A run: how often. */
    uint16_t min;
    uint16_t max;
    /* A stretch: the bounds of each byte, of the first in the lowest one. */
    uint64_t low;
    uint64_t high;    /* with the highest bit of each byte set */
    uint64_t checked; /* the highest bit of each byte that the stretch has */
};

struct jsv_row {
    size_t size;       /* of the whole block */
    uint8_t sets[256]; /* of each byte: the sets it is in, a bit each */
    struct jsv_step steps[];
};
