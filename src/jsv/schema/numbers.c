#include "jsv/schema/numbers.h"

#include <errno.h>
#include <string.h>

/* Up to so many small numbers, comparing is faster than a look-up. */
#define COMPARED_MAX 4

static const struct jsv_numbers_item *
find_hashed(const struct jsv_numbers *numbers, const struct jsv_number *number, uint64_t hash)
{
    uint32_t slot = (uint32_t)hash & numbers->mask;
    for (; numbers->slots[slot]; slot = (slot + 1) & numbers->mask) {
        const struct jsv_numbers_item *item = &numbers->items[numbers->slots[slot] - 1];
        if (item->hash == hash && jsv_number_equal(&item->number, number)) {
            return item;
        }
    }
    return NULL;
}

/* Put all items into slots; of equal ones the first. @return false when memory ran out. */
static bool fill_slots(struct jsv_numbers *numbers, struct jsv_arena *arena)
{
    uint32_t capacity = 2 * COMPARED_MAX;
    while (capacity < 2 * numbers->count) {
        capacity *= 2;
    }
    numbers->slots = jsv_arena_array(arena, capacity, sizeof(*numbers->slots));
    if (!numbers->slots) {
        return false;
    }
    memset(numbers->slots, 0, capacity * sizeof(*numbers->slots));
    numbers->mask = capacity - 1;
    numbers->seed = (uint64_t)(uintptr_t)numbers;
    for (uint32_t i = 0; i < numbers->count; i++) {
        struct jsv_numbers_item *item = &numbers->items[i];
        item->hash = jsv_number_hash(&item->number, numbers->seed);
        if (find_hashed(numbers, &item->number, item->hash)) {
            continue;
        }
        uint32_t slot = (uint32_t)item->hash & numbers->mask;
        while (numbers->slots[slot]) {
            slot = (slot + 1) & numbers->mask;
        }
        numbers->slots[slot] = i + 1;
    }
    return true;
}

const struct jsv_numbers *jsv_numbers_make(
    struct jsv_arena *arena,
    const struct jsv_document *document,
    const struct jsv_node *const *values,
    uint32_t count)
{
    size_t size = sizeof(struct jsv_numbers) + count * sizeof(struct jsv_numbers_item);
    struct jsv_numbers *numbers = jsv_arena_alloc(arena, size);
    if (!numbers) {
        return NULL;
    }
    *numbers = (struct jsv_numbers){.count = count};
    bool compares = count <= COMPARED_MAX;
    bool plain = compares;
    for (uint32_t i = 0; i < count; i++) {
        struct jsv_number number = jsv_value_number((struct jsv_value){document, values[i]});
        int64_t integer;
        int r = jsv_number_int64(&number, &integer);
        number = r == 0 ? jsv_number_from_int64(integer) : number;
        numbers->items[i] = (struct jsv_numbers_item){.number = number};
        compares &= !number.big;
        plain &= !number.big && r != -ERANGE;
    }
    numbers->plain = plain;
    return compares || fill_slots(numbers, arena) ? numbers : NULL;
}

bool jsv_numbers_have(const struct jsv_numbers *numbers, const struct jsv_number *number)
{
    if (numbers->mask) {
        return find_hashed(numbers, number, jsv_number_hash(number, numbers->seed));
    }
    for (uint32_t i = 0; i < numbers->count; i++) {
        if (jsv_number_equal(&numbers->items[i].number, number)) {
            return true;
        }
    }
    return false;
}
