/*
 * Sorting by a word, then by a comparison function; and the members of objects
 * sorted by name.
 *
 * The word is the start of a text as a number that sorts as the text does, so
 * most comparisons are of integers. The sort is stable, does not recurse, and
 * makes O(n log n) comparisons for every input, because documents are
 * not trusted.
 */
#pragma once

#include <endian.h>

#include "jsv/json/node.h"
#include "jsv/json/stack.h"

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

/* Members of objects in the order of their names, by bytes: for UTF-8 that of code points. */
struct jsv_members {
    struct jsv_stack sorted; /* struct jsv_sort_item; each item is a key's node */
    struct jsv_stack spare;
};

struct jsv_members jsv_members_on(struct jsv_arena *scratch);

/*
 * Push an object's members, sorted, on top of those that are there; nothing
 * for a value of type NONE. @return 0 or -ENOMEM.
 */
int jsv_members_push(struct jsv_members *members, struct jsv_value object);

static inline const struct jsv_node *
jsv_members_key(const struct jsv_members *members, size_t index)
{
    const struct jsv_sort_item *item = jsv_stack_item(&members->sorted, index);
    return (const struct jsv_node *)item->item;
}
