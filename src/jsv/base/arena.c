/*
 * An arena hands out memory from blocks by moving a mark; single pieces are not
 * given back. Each new block is at least twice as large as the one before
 * it, so the number of blocks is logarithmic, and the largest is always larger
 * than what was held when a round of work began. As reset keeps that one, a
 * caller who repeats the same work soon does all of it in a single block and
 * never sees the allocator again.
 *
 * The budget counts what was taken from the allocator, not what was handed
 * out: it is a promise about the process, so headers and the unused ends of
 * blocks count. Near the budget a block is made as large as what is left.
 */
#include <stdalign.h>

#include <jsv/jsv.h>

#include "jsv/base/alloc.h"

/* One page: small jobs need one block, and idle arenas cost little. */
#define BLOCK_SIZE_MIN 4096

struct jsv_arena_block {
    struct jsv_arena_block *older;
    size_t size; /* of the whole block, this header included */
    alignas(max_align_t) char data[];
};

#define HEADER_SIZE sizeof(struct jsv_arena_block)

void jsv_arena_init(struct jsv_arena *arena, const struct jsv_allocator *allocator, size_t budget)
{
    *arena = (struct jsv_arena){
        .allocator = jsv_allocator_or_default(allocator),
        .budget = budget,
    };
}

static size_t block_room(const struct jsv_arena *arena)
{
    return arena->newest ? arena->newest->size - HEADER_SIZE - arena->used : 0;
}

/* Size for the next block, which must offer size bytes; 0 when the budget does not allow it. */
static size_t next_block_size(const struct jsv_arena *arena, size_t size)
{
    size_t left = arena->budget - arena->held;
    if (left < HEADER_SIZE || size > left - HEADER_SIZE) {
        return 0;
    }
    size_t wanted = BLOCK_SIZE_MIN;
    if (arena->newest) {
        wanted = arena->newest->size > left / 2 ? left : arena->newest->size * 2;
    }
    if (wanted < size + HEADER_SIZE) {
        wanted = size + HEADER_SIZE;
    }
    return wanted < left ? wanted : left;
}

static bool add_block(struct jsv_arena *arena, size_t size)
{
    size_t block_size = next_block_size(arena, size);
    if (block_size == 0) {
        arena->refused = true;
        return false;
    }
    struct jsv_arena_block *block = jsv_alloc(&arena->allocator, block_size);
    if (!block) {
        return false;
    }
    block->older = arena->newest;
    block->size = block_size;
    arena->newest = block;
    arena->used = 0;
    arena->held += block_size;
    return true;
}

void *jsv_arena_alloc(struct jsv_arena *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX - align) {
        return NULL;
    }
    /* Nothing is rounded up to something, so that every pointer is its own. */
    size_t rounded = size ? (size + align - 1) / align * align : align;
    if (rounded > block_room(arena) && !add_block(arena, rounded)) {
        return NULL;
    }
    void *memory = arena->newest->data + arena->used;
    arena->used += rounded;
    return memory;
}

void *jsv_arena_array(struct jsv_arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        return NULL;
    }
    return jsv_arena_alloc(arena, total);
}

static struct jsv_arena_block *largest_block(const struct jsv_arena *arena)
{
    struct jsv_arena_block *largest = arena->newest;
    for (struct jsv_arena_block *block = largest; block; block = block->older) {
        if (block->size > largest->size) {
            largest = block;
        }
    }
    return largest;
}

static void free_blocks_except(struct jsv_arena *arena, const struct jsv_arena_block *kept)
{
    struct jsv_arena_block *block = arena->newest;
    while (block) {
        struct jsv_arena_block *older = block->older;
        if (block != kept) {
            jsv_dealloc(&arena->allocator, block, block->size);
        }
        block = older;
    }
}

void jsv_arena_reset(struct jsv_arena *arena)
{
    if (!arena) {
        return;
    }
    arena->refused = false;
    if (!arena->newest) {
        return;
    }
    struct jsv_arena_block *kept = largest_block(arena);
    free_blocks_except(arena, kept);
    kept->older = NULL;
    arena->newest = kept;
    arena->used = 0;
    arena->held = kept->size;
}

void jsv_arena_done(struct jsv_arena *arena)
{
    if (!arena) {
        return;
    }
    free_blocks_except(arena, NULL);
    arena->newest = NULL;
    arena->used = 0;
    arena->held = 0;
    arena->refused = false;
}
