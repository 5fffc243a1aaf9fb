/*
 * The numbers of an enum or const, fixed when a schema is compiled. A number of
 * a document is parsed once and then looked up.
 */
#pragma once

#include "jsv/json/node.h"

struct jsv_numbers_item {
    struct jsv_number number;
    uint64_t hash;
};

struct jsv_numbers {
    uint32_t count;
    uint32_t mask;   /* of the slots; 0: there are none, compare with each */
    bool plain;      /* few, and those that are integers have no exponent */
    uint64_t seed;   /* of the hashes */
    uint32_t *slots; /* by hash: index + 1, or 0; then the next slot */
    struct jsv_numbers_item items[];
};

/*
 * Make a set of some values of a document, all of them numbers. Numbers too
 * long for 64 bits borrow its text.
 *
 * @return NULL when memory ran out.
 */
const struct jsv_numbers *jsv_numbers_make(
    struct jsv_arena *arena,
    const struct jsv_document *document,
    const struct jsv_node *const *values,
    uint32_t count);

/* Whether a plain set contains an integer. */
static inline bool
jsv_numbers_have_integer(const struct jsv_numbers *numbers, uint64_t magnitude, bool negative)
{
    for (uint32_t i = 0; i < numbers->count; i++) {
        const struct jsv_number *item = &numbers->items[i].number;
        if (item->significand == magnitude && item->exponent == 0 &&
            (item->negative == negative || magnitude == 0)) {
            return true;
        }
    }
    return false;
}

bool jsv_numbers_have(const struct jsv_numbers *numbers, const struct jsv_number *number);
