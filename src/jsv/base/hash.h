/*
 * Seeded hash (SipHash-1-3): without the seed, keys that collide cannot be chosen.
 */
#pragma once

#include <jsv/jsv.h>

uint64_t jsv_hash(struct jsv_str text, uint64_t seed);
