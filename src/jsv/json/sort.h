/*
 * Sorting by a word, then by whatever the word stands for.
 *
 * The word is the start of a text as a number that orders as the text does, so
 * most comparisons are one of integers and touch no text. Stable, never
 * recursive, and O(n log n) comparisons whatever the input: who writes the
 * documents chooses the input.
 */
#pragma once

#include <endian.h>

#include "jsv/json/node.h"

struct jsv_sort_item {
    uint64_t word;
    const void *item;
};

/* Order of two items with equal words: <0, 0 or >0. */
typedef int jsv_sort_compare(const void *context, const void *a, const void *b);

/*
 * @param spare   Room for count items more.
 * @param compare NULL: items with equal words keep their order.
 */
void jsv_sort(
    struct jsv_sort_item *items,
    struct jsv_sort_item *spare,
    size_t count,
    jsv_sort_compare *compare,
    const void *context);

/* The word of a text whose first bytes, as jsv_prefix gives them, are prefix. */
static inline uint64_t jsv_sort_word(uint64_t prefix)
{
    return be64toh(prefix);
}
