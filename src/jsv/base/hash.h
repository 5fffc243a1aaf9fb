/*
 * Seeded hash (SipHash-1-3): who does not know the seed cannot choose keys that collide.
 */
#pragma once

#include <jsv/jsv.h>

uint64_t jsv_hash(struct jsv_str text, uint64_t seed);
