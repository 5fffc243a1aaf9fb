/*
 * How much longer this build may take than the one that is shipped, and the
 * clock to measure it with: sanitizers, assertions, builds that count coverage
 * and emulators are slower.
 */
#pragma once

#include <time.h>

#if defined(__has_feature)
#    define SLOWNESS_HAS(feature) __has_feature(feature)
#else
#    define SLOWNESS_HAS(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                               \
    SLOWNESS_HAS(address_sanitizer) || SLOWNESS_HAS(thread_sanitizer) ||                           \
    SLOWNESS_HAS(memory_sanitizer) || !defined(__x86_64__) || !defined(__OPTIMIZE__) ||            \
    !defined(NDEBUG)
#    define SLOWNESS 10
#else
#    define SLOWNESS 1
#endif

/* CPU time of this thread, which does not pass while others run. */
static inline double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
