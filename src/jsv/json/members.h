/*
 * An object's members in the order of their names, by bytes, which for UTF-8
 * is the order of code points.
 */
#pragma once

#include "jsv/json/sort.h"
#include "jsv/json/stack.h"

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
