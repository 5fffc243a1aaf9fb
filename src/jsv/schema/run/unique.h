/*
 * uniqueItems: whether all elements of an array differ.
 */
#pragma once

#include "jsv/json/equal.h"

/* Scratch memory, reused from one array to the next. */
struct jsv_unique {
    struct jsv_stack slots; /* elements by their hash */
    struct jsv_stack open;  /* containers whose contents are being hashed */
    struct jsv_equality *equality;
};

struct jsv_unique jsv_unique_on(struct jsv_arena *scratch, struct jsv_equality *equality);

/*
 * @param ret_equal On 0 the indexes of two equal elements; may be NULL.
 * @return 1 all differ, 0 not, -ENOMEM.
 */
int jsv_unique_test(struct jsv_unique *unique, struct jsv_value array, size_t ret_equal[2]);
