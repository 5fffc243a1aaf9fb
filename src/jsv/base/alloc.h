/*
 * Calling an allocator, and the default one.
 */
#pragma once

#include <jsv/jsv.h>

/* The allocator itself, or malloc's when it is NULL. */
struct jsv_allocator jsv_allocator_or_default(const struct jsv_allocator *allocator);
void *jsv_alloc(const struct jsv_allocator *allocator, size_t size);
void *
jsv_realloc(const struct jsv_allocator *allocator, void *memory, size_t old_size, size_t new_size);
void jsv_dealloc(const struct jsv_allocator *allocator, void *memory, size_t size);
