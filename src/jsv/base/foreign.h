/*
 * Calling a library that was not compiled with MemorySanitizer: what it writes
 * looks uninitialised, even to functions of the C library that it calls. Between
 * begin and end such functions do not check. No effect in any other build.
 */
#pragma once

#include <stddef.h>

#if defined(__has_feature)
#    if __has_feature(memory_sanitizer)
#        define JSV_MEMORY_SANITIZER 1
#        include <sanitizer/msan_interface.h>
#    endif
#endif

static inline void jsv_foreign_begin(void)
{
#ifdef JSV_MEMORY_SANITIZER
    __msan_scoped_disable_interceptor_checks();
#endif
}

static inline void jsv_foreign_end(void)
{
#ifdef JSV_MEMORY_SANITIZER
    __msan_scoped_enable_interceptor_checks();
#endif
}

/* Mark memory that such a library has written, before our code reads it. */
static inline void jsv_foreign_wrote(const volatile void *memory, size_t size)
{
#ifdef JSV_MEMORY_SANITIZER
    __msan_unpoison(memory, size);
#else
    (void)memory;
    (void)size;
#endif
}
