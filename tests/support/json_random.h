/*
 * JSON texts made at random, the same for the same seed: nested structures,
 * every kind of escape and of UTF-8 sequence, all forms of numbers, white
 * space, and now and then a name twice. And ways to break them.
 */
#pragma once

#include <stdint.h>

#include <jsv/jsv.h>

/* Append a text. It is valid, except for duplicate names in an object. */
void json_random_text(struct jsv_buf *out, uint64_t *random);
/* Change, add, repeat, take away or cut off a few bytes, which may or may not break the text. */
void json_random_mutate(struct jsv_buf *text, uint64_t *random);
