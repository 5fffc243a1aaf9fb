#include "jsv/base/alloc.h"

#include <stdlib.h>

static void *malloc_resize(void *context, void *memory, size_t old_size, size_t new_size)
{
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(memory);
        return NULL;
    }
    return realloc(memory, new_size);
}

struct jsv_allocator jsv_allocator_or_default(const struct jsv_allocator *allocator)
{
    return allocator ? *allocator : (struct jsv_allocator){.resize = malloc_resize};
}

void *jsv_alloc(const struct jsv_allocator *allocator, size_t size)
{
    return allocator->resize(allocator->context, NULL, 0, size);
}

void *
jsv_realloc(const struct jsv_allocator *allocator, void *memory, size_t old_size, size_t new_size)
{
    return allocator->resize(allocator->context, memory, old_size, new_size);
}

void jsv_dealloc(const struct jsv_allocator *allocator, void *memory, size_t size)
{
    if (memory) {
        allocator->resize(allocator->context, memory, size, 0);
    }
}
