/*
 * Scan kernel for x86-64 with AVX2, BMI and carry-less multiplication.
 *
 * UTF-8 is checked by the look-up method of Keiser and Lemire ("Validating
 * UTF-8 in less than one instruction per byte", 2021): three table look-ups,
 * by the two halves of the previous byte and the upper half of the current
 * one, each yield the set of faults that half allows; a fault is real when all
 * three agree. Third and fourth bytes of a sequence are the one thing a pair
 * of bytes cannot check, and are compared separately.
 */
#include "jsv/json/scan.h"

#if defined(__x86_64__)

#    include <immintrin.h>

#    define KERNEL __attribute__((target("avx2,bmi,popcnt,pclmul")))

struct block {
    __m256i low;
    __m256i high;
};

KERNEL static inline struct block block_load(const char *bytes)
{
    const __m256i *vectors = (const __m256i *)(const void *)bytes;
    return (struct block){_mm256_loadu_si256(vectors), _mm256_loadu_si256(vectors + 1)};
}

KERNEL static inline uint64_t bits_of(__m256i low, __m256i high)
{
    uint32_t low_bits = (uint32_t)_mm256_movemask_epi8(low);
    uint32_t high_bits = (uint32_t)_mm256_movemask_epi8(high);
    return low_bits | (uint64_t)high_bits << 32;
}

KERNEL static inline uint64_t block_equal(struct block block, char byte)
{
    __m256i bytes = _mm256_set1_epi8(byte);
    return bits_of(_mm256_cmpeq_epi8(block.low, bytes), _mm256_cmpeq_epi8(block.high, bytes));
}

KERNEL static inline bool block_has_control(struct block block)
{
    __m256i least = _mm256_min_epu8(block.low, block.high);
    __m256i last = _mm256_set1_epi8(0x1F);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(least, last), least)) != 0;
}

KERNEL static inline uint64_t block_below_space(struct block block)
{
    __m256i last = _mm256_set1_epi8(0x1F);
    return bits_of(
        _mm256_cmpeq_epi8(_mm256_min_epu8(block.low, last), block.low),
        _mm256_cmpeq_epi8(_mm256_min_epu8(block.high, last), block.high));
}

KERNEL static inline bool block_is_ascii(struct block block)
{
    return _mm256_movemask_epi8(_mm256_or_si256(block.low, block.high)) == 0;
}

KERNEL static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i ones = _mm_set1_epi8((char)0xFF);
    return (uint64_t)_mm_cvtsi128_si64(
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)bits), ones, 0));
}

/*
 * Writes eight offsets whether or not there are as many, since guessing wrong
 * about their number would cost more than the writes.
 */
KERNEL static inline uint32_t *flatten(uint32_t *out, uint32_t base, uint64_t bits)
{
    uint32_t *end = out + _mm_popcnt_u64(bits);
    do {
#    pragma GCC unroll 8
        for (unsigned i = 0; i < 8; i++) {
            out[i] = base + (uint32_t)_tzcnt_u64(bits);
            bits = _blsr_u64(bits);
        }
        out += 8;
    } while (__builtin_expect(out < end, 0));
    return end;
}

struct utf8_state {
    __m256i previous;
};

KERNEL static inline struct utf8_state utf8_start(const struct jsv_scan *scan)
{
    if (scan->position == 0) {
        return (struct utf8_state){_mm256_setzero_si256()};
    }
    const char *before = scan->text + scan->position - sizeof(__m256i);
    return (struct utf8_state){_mm256_loadu_si256((const __m256i *)(const void *)before)};
}

KERNEL static inline void utf8_pass(struct utf8_state *state, struct block block)
{
    state->previous = block.high;
}

enum {
    TOO_SHORT = 1 << 0,  /* a lead byte, then no continuation */
    TOO_LONG = 1 << 1,   /* ASCII, then a continuation */
    OVERLONG_3 = 1 << 2, /* E0 80..9F */
    TOO_LARGE = 1 << 3,  /* F4 90..BF, F5.. 80..BF */
    SURROGATE = 1 << 4,  /* ED A0..BF */
    OVERLONG_2 = 1 << 5, /* C0, C1 */
    OVERLONG_4 = 1 << 6, /* F0 80..8F; F5.. 80..8F is too large and shares the bit */
    TWO_CONTINUATIONS = 1 << 7,
    /* faults that the low half of the previous byte has no say in */
    ANY_LOW = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS,
};

#    define TABLE(...) _mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__))

/* Tables of sixteen, a few to a line. */
/* clang-format off */
KERNEL static inline __m256i previous_high_faults(__m256i halves)
{
    return _mm256_shuffle_epi8(
        TABLE(
            TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG,
            (char)TWO_CONTINUATIONS, (char)TWO_CONTINUATIONS,
            (char)TWO_CONTINUATIONS, (char)TWO_CONTINUATIONS,
            TOO_SHORT | OVERLONG_2,
            TOO_SHORT,
            TOO_SHORT | OVERLONG_3 | SURROGATE,
            TOO_SHORT | TOO_LARGE | OVERLONG_4),
        halves);
}

KERNEL static inline __m256i previous_low_faults(__m256i halves)
{
    const char large = (char)(ANY_LOW | TOO_LARGE | OVERLONG_4);
    return _mm256_shuffle_epi8(
        TABLE(
            (char)(ANY_LOW | OVERLONG_3 | OVERLONG_2 | OVERLONG_4),
            (char)(ANY_LOW | OVERLONG_2),
            (char)ANY_LOW, (char)ANY_LOW,
            (char)(ANY_LOW | TOO_LARGE),
            large, large, large, large, large, large, large, large,
            (char)(large | SURROGATE),
            large, large),
        halves);
}

KERNEL static inline __m256i current_high_faults(__m256i halves)
{
    const int continuation = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
    return _mm256_shuffle_epi8(
        TABLE(
            TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
            (char)(continuation | OVERLONG_3 | OVERLONG_4),
            (char)(continuation | OVERLONG_3 | TOO_LARGE),
            (char)(continuation | SURROGATE | TOO_LARGE),
            (char)(continuation | SURROGATE | TOO_LARGE),
            TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT),
        halves);
}
/* clang-format on */

KERNEL static inline __m256i utf8_faults(__m256i current, __m256i previous)
{
    /* each byte's predecessors, one, two and three places before it */
    __m256i joined = _mm256_permute2x128_si256(previous, current, 0x21);
    __m256i before1 = _mm256_alignr_epi8(current, joined, 15);
    __m256i before2 = _mm256_alignr_epi8(current, joined, 14);
    __m256i before3 = _mm256_alignr_epi8(current, joined, 13);

    __m256i half = _mm256_set1_epi8(0x0F);
    __m256i pairs = _mm256_and_si256(
        _mm256_and_si256(
            previous_high_faults(_mm256_and_si256(_mm256_srli_epi16(before1, 4), half)),
            previous_low_faults(_mm256_and_si256(before1, half))),
        current_high_faults(_mm256_and_si256(_mm256_srli_epi16(current, 4), half)));

    /* highest bit set where a third or fourth byte is due: two continuations are right there */
    __m256i third = _mm256_subs_epu8(before2, _mm256_set1_epi8((char)(0xE0 - 0x80)));
    __m256i fourth = _mm256_subs_epu8(before3, _mm256_set1_epi8((char)(0xF0 - 0x80)));
    __m256i expected =
        _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)TWO_CONTINUATIONS));
    return _mm256_xor_si256(expected, pairs);
}

KERNEL static inline bool utf8_check(struct utf8_state *state, struct block block, size_t left)
{
    (void)left;
    __m256i faults = _mm256_or_si256(
        utf8_faults(block.low, state->previous), utf8_faults(block.high, block.low));
    state->previous = block.high;
    return _mm256_testz_si256(faults, faults);
}

#    include "jsv/json/scan_window.h"

KERNEL size_t jsv_scan_avx2(struct jsv_scan *scan, uint32_t *out)
{
    return scan_window(scan, out);
}

#endif
