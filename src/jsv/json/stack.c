#include "jsv/json/stack.h"

#include <string.h>

/* Enough for the depth of most documents. */
#define CAPACITY_MIN 16

static bool grow(struct jsv_stack *stack, size_t needed)
{
    size_t capacity = 2 * stack->capacity;
    if (capacity < CAPACITY_MIN) {
        capacity = CAPACITY_MIN;
    }
    if (capacity < needed) {
        capacity = needed;
    }
    char *items = jsv_arena_array(stack->arena, capacity, stack->item_size);
    if (!items) {
        return false;
    }
    if (stack->count > 0) {
        memcpy(items, stack->items, stack->count * stack->item_size);
    }
    stack->items = items;
    stack->capacity = capacity;
    return true;
}

void *jsv_stack_push(struct jsv_stack *stack, size_t count)
{
    if (count > stack->capacity - stack->count && !grow(stack, stack->count + count)) {
        return NULL;
    }
    void *first = jsv_stack_item(stack, stack->count);
    stack->count += count;
    return first;
}
