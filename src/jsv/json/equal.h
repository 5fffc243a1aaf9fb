/*
 * Comparing many pairs of values with the same scratch memory, which
 * jsv_value_equal would take anew each time.
 */
#pragma once

#include "jsv/json/sort.h"

struct jsv_equality {
    struct jsv_members members;
    struct jsv_stack waiting; /* pairs of containers still to be walked */
};

struct jsv_equality jsv_equality_on(struct jsv_arena *scratch);
/* As jsv_value_equal. */
int jsv_equality_test(struct jsv_equality *equality, struct jsv_value a, struct jsv_value b);
