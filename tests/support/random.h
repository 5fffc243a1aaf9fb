/*
 * Random numbers for tests: the same on every machine and in every run, so
 * that a failure can be repeated (SplitMix64).
 */
#pragma once

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t word = *state += 0x9E3779B97F4A7C15u;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
    word = (word ^ word >> 27) * 0x94D049BB133111EBu;
    return word ^ word >> 31;
}

/* 0 to bound - 1. */
static inline uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return random_next(state) % bound;
}
