/*
 * What fuzz targets share: a check that survives NDEBUG, and the entry point.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
