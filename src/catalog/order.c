#include "catalog/order.h"

#include <errno.h>

int catalog_order(
    struct jsv_arena *scratch, const void **items, size_t count, jsv_sort_compare *compare)
{
    struct jsv_sort_item *sorted = jsv_arena_array(scratch, count, 2 * sizeof(*sorted));
    if (!sorted) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (struct jsv_sort_item){.item = items[i]};
    }
    jsv_sort(sorted, sorted + count, count, compare, NULL);
    for (size_t i = 0; i < count; i++) {
        items[i] = sorted[i].item;
    }
    return 0;
}
