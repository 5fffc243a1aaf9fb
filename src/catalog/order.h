/*
 * Sorting what a snapshot is made of: what the file system lists in no order
 * is served in one.
 */
#pragma once

#include "jsv/json/sort.h"

/**
 * Sort pointers; those that compare equal keep their order.
 * @param compare Called with NULL, and two of the items.
 * @return 0 or -ENOMEM.
 */
int catalog_order(
    struct jsv_arena *scratch, const void **items, size_t count, jsv_sort_compare *compare);
