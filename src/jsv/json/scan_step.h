/*
 * Functions of scan kernels that have no special instructions for them. Kernel
 * files include this after they define KERNEL and struct block.
 */
#pragma once

#include "jsv/base/utf8.h"
#include "jsv/json/scan.h"

static inline uint64_t prefix_xor(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2) {
        bits ^= bits << shift;
    }
    return bits;
}

static inline uint32_t *flatten(uint32_t *out, uint32_t base, uint64_t bits)
{
    for (; bits; bits &= bits - 1) {
        *out++ = base + (uint32_t)__builtin_ctzll(bits);
    }
    return out;
}

/* Checks sequence by sequence, across the border of blocks. */
struct utf8_state {
    const struct jsv_scan *scan;
    size_t block;   /* offset of the current block */
    size_t checked; /* valid up to here */
};

static inline struct utf8_state utf8_start(const struct jsv_scan *scan)
{
    size_t checked = scan->position;
    if (scan->incomplete) {
        do {
            checked--;
        } while (((unsigned char)scan->text[checked] & 0xC0) == 0x80);
    }
    return (struct utf8_state){scan, scan->position, checked};
}

static inline void utf8_pass(struct utf8_state *state, struct block block)
{
    (void)block;
    state->block += JSV_SCAN_BLOCK;
    state->checked = state->block;
}

static inline bool utf8_check(struct utf8_state *state, struct block block, size_t left)
{
    (void)block;
    const struct jsv_scan *scan = state->scan;
    size_t end = state->block + left;
    state->block += JSV_SCAN_BLOCK;
    while (state->checked < end) {
        size_t size = jsv_utf8_sequence(
            (struct jsv_str){scan->text + state->checked, scan->size - state->checked});
        if (size == 0) {
            return false;
        }
        state->checked += size;
    }
    return true;
}
