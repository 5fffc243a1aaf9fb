/*
 * "Did you mean …?": of some known names, the one that a misspelt word is most
 * like.
 *
 *     struct jsv_similar similar = jsv_similar_to(word);
 *     for (each name) {
 *         jsv_similar_try(&similar, name);
 *     }
 *     similar.best, of size 0 when no name is near
 *
 * The distance counts characters left out, added, replaced, and neighbours
 * that changed places (optimal string alignment). Letters that differ in case
 * only, and "-" and "_", count as equal. About a third of a word may be wrong.
 */
#pragma once

#include <jsv/jsv.h>

/* Longer words and names are never suggested: the work is quadratic. */
#define JSV_SIMILAR_SIZE_MAX 64

struct jsv_similar {
    struct jsv_str word;
    struct jsv_str best; /* borrowed from the names tried */
    size_t distance;     /* of best; names at this distance or beyond are not taken */
};

struct jsv_similar jsv_similar_to(struct jsv_str word);

/** Keep a name when it is nearer than those before it. */
void jsv_similar_try(struct jsv_similar *similar, struct jsv_str name);
