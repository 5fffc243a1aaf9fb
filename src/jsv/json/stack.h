/*
 * A stack of equal items in an arena, for walks that would otherwise recurse.
 *
 * Growing moves the items, so pointers to them hold only until the next push;
 * what was outgrown stays in the arena until its reset. Doubling keeps that
 * waste below the memory in use.
 */
#pragma once

#include <jsv/jsv.h>

struct jsv_stack {
    struct jsv_arena *arena;
    size_t item_size;
    size_t count;
    size_t capacity;
    char *items;
};

static inline struct jsv_stack jsv_stack_on(struct jsv_arena *arena, size_t item_size)
{
    return (struct jsv_stack){.arena = arena, .item_size = item_size};
}

/* Add count (not 0) uninitialised items. @return the first of them; NULL when memory ran out. */
void *jsv_stack_push(struct jsv_stack *stack, size_t count);

static inline void *jsv_stack_item(const struct jsv_stack *stack, size_t index)
{
    return stack->items + index * stack->item_size;
}

/* The topmost item. The stack must not be empty. */
static inline void *jsv_stack_top(const struct jsv_stack *stack)
{
    return jsv_stack_item(stack, stack->count - 1);
}

/* Take the topmost item off; it may be looked at until the next push. */
static inline void *jsv_stack_pop(struct jsv_stack *stack)
{
    return jsv_stack_item(stack, --stack->count);
}
