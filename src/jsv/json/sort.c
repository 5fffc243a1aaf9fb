/*
 * Merge sort from the bottom up: short runs are sorted by insertion, then
 * merged pairwise, back and forth between the items and the spare array, until
 * one run is left. Runs that already follow one another are copied unmerged,
 * so sorted input costs one pass per level and no comparison inside a run.
 */
#include "jsv/json/sort.h"

#include <errno.h>
#include <string.h>

/* Insertion sort beats merging up to about this many 16-byte items. */
#define RUN_SIZE 16

struct order {
    jsv_sort_compare *compare;
    const void *context;
};

static bool
before(const struct order *order, const struct jsv_sort_item *a, const struct jsv_sort_item *b)
{
    if (a->word != b->word) {
        return a->word < b->word;
    }
    return order->compare && order->compare(order->context, a->item, b->item) < 0;
}

static void insertion_sort(struct jsv_sort_item *items, size_t count, const struct order *order)
{
    for (size_t i = 1; i < count; i++) {
        struct jsv_sort_item item = items[i];
        size_t at = i;
        while (at > 0 && before(order, &item, &items[at - 1])) {
            items[at] = items[at - 1];
            at--;
        }
        items[at] = item;
    }
}

/* Merge from[0..middle) and from[middle..count), both sorted, into `to`. */
static void merge(
    const struct jsv_sort_item *from,
    size_t middle,
    size_t count,
    struct jsv_sort_item *to,
    const struct order *order)
{
    size_t left = 0;
    size_t right = middle;
    if (right < count && before(order, &from[right], &from[middle - 1])) {
        while (left < middle && right < count) {
            *to++ = before(order, &from[right], &from[left]) ? from[right++] : from[left++];
        }
    }
    memcpy(to, from + left, (middle - left) * sizeof(*to));
    memcpy(to + (middle - left), from + right, (count - right) * sizeof(*to));
}

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

void jsv_sort(
    struct jsv_sort_item *items,
    struct jsv_sort_item *spare,
    size_t count,
    jsv_sort_compare *compare,
    const void *context)
{
    struct order order = {compare, context};
    for (size_t at = 0; at < count; at += RUN_SIZE) {
        insertion_sort(items + at, min_size(RUN_SIZE, count - at), &order);
    }
    struct jsv_sort_item *from = items;
    struct jsv_sort_item *to = spare;
    for (size_t width = RUN_SIZE; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            size_t middle = min_size(width, count - at);
            merge(from + at, middle, min_size(2 * width, count - at), to + at, &order);
        }
        struct jsv_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) {
        memcpy(items, from, count * sizeof(*items));
    }
}

/* ---- members ---- */

struct jsv_members jsv_members_on(struct jsv_arena *scratch)
{
    return (struct jsv_members){
        .sorted = jsv_stack_on(scratch, sizeof(struct jsv_sort_item)),
        .spare = jsv_stack_on(scratch, sizeof(struct jsv_sort_item)),
    };
}

static int compare_keys(const void *context, const void *a, const void *b)
{
    const struct jsv_document *document = (const struct jsv_document *)context;
    return jsv_str_compare(
        jsv_string_text(document, (const struct jsv_node *)a),
        jsv_string_text(document, (const struct jsv_node *)b));
}

static uint64_t key_prefix(const struct jsv_document *document, const struct jsv_node *key)
{
    struct jsv_str text = jsv_string_text(document, key);
    return jsv_node_flags(key) & JSV_NODE_LONG ? jsv_prefix(text.data, text.size) : key->body;
}

int jsv_members_push(struct jsv_members *members, struct jsv_value object)
{
    size_t count = jsv_value_count(object);
    if (count == 0) {
        return 0;
    }
    struct jsv_sort_item *items = jsv_stack_push(&members->sorted, count);
    members->spare.count = 0;
    struct jsv_sort_item *spare = jsv_stack_push(&members->spare, count);
    if (!items || !spare) {
        return -ENOMEM;
    }
    size_t at = 0;
    struct jsv_iter iter = jsv_value_iter(object);
    while (jsv_iter_next(&iter)) {
        uint64_t prefix = key_prefix(object.document, iter.key.node);
        items[at++] = (struct jsv_sort_item){jsv_sort_word(prefix), iter.key.node};
    }
    jsv_sort(items, spare, count, compare_keys, object.document);
    return 0;
}
