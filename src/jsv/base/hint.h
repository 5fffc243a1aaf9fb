/*
 * Hints to the compiler, for code that runs for every byte or value.
 */
#pragma once

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define LIKELY(x)     __builtin_expect(!!(x), 1)
#define UNLIKELY(x)   __builtin_expect(!!(x), 0)
