/*
 * Scan kernel for every x86-64 machine.
 */
#include "jsv/json/scan.h"

#if defined(__x86_64__)

#    include <emmintrin.h>

#    define KERNEL

struct block {
    __m128i quarter[4];
};

static inline struct block block_load(const char *bytes)
{
    const __m128i *vectors = (const __m128i *)(const void *)bytes;
    return (struct block){
        {_mm_loadu_si128(vectors),
         _mm_loadu_si128(vectors + 1),
         _mm_loadu_si128(vectors + 2),
         _mm_loadu_si128(vectors + 3)},
    };
}

static inline uint64_t block_equal(struct block block, char byte)
{
    __m128i bytes = _mm_set1_epi8(byte);
    uint64_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        __m128i equal = _mm_cmpeq_epi8(block.quarter[i], bytes);
        bits |= (uint64_t)_mm_movemask_epi8(equal) << (16 * i);
    }
    return bits;
}

static inline uint64_t block_below_space(struct block block)
{
    __m128i last = _mm_set1_epi8(0x1F);
    uint64_t bits = 0;
    for (unsigned i = 0; i < 4; i++) {
        __m128i lower = _mm_min_epu8(block.quarter[i], last);
        __m128i below = _mm_cmpeq_epi8(lower, block.quarter[i]);
        bits |= (uint64_t)_mm_movemask_epi8(below) << (16 * i);
    }
    return bits;
}

static inline bool block_is_ascii(struct block block)
{
    __m128i all = _mm_or_si128(
        _mm_or_si128(block.quarter[0], block.quarter[1]),
        _mm_or_si128(block.quarter[2], block.quarter[3]));
    return _mm_movemask_epi8(all) == 0;
}

static inline bool block_has_control(struct block block)
{
    return block_below_space(block) != 0;
}

#    include "jsv/json/scan_step.h"
#    include "jsv/json/scan_window.h"

size_t jsv_scan_sse2(struct jsv_scan *scan, uint32_t *out)
{
    return scan_window(scan, out);
}

#endif
