/*
 * Scan kernel in plain C, for machines without a special one: eight bytes at a
 * time in ordinary registers.
 */
#include <string.h>

#include "jsv/json/scan.h"

#define KERNEL

struct block {
    uint64_t word[8];
};

#define EACH(byte) (0x0101010101010101ull * (unsigned char)(byte))

static inline struct block block_load(const char *bytes)
{
    struct block block;
    memcpy(&block, bytes, sizeof(block));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (unsigned i = 0; i < 8; i++) {
        block.word[i] = __builtin_bswap64(block.word[i]);
    }
#endif
    return block;
}

/* Gather the highest bit of each byte of a word into eight bits. */
static inline uint64_t high_bits(uint64_t word)
{
    return ((word & EACH(0x80)) >> 7) * 0x0102040810204080ull >> 56;
}

static inline uint64_t block_equal(struct block block, char byte)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t zero_where_equal = block.word[i] ^ EACH(byte);
        /* exact in every byte: no carry can leave one */
        uint64_t low = (zero_where_equal & EACH(0x7F)) + EACH(0x7F);
        bits |= high_bits(~(low | zero_where_equal)) << (8 * i);
    }
    return bits;
}

static inline uint64_t block_below_space(struct block block)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; i++) {
        /* adding 0x60 to the lower seven bits reaches 0x80 from 0x20 on */
        uint64_t reached = ((block.word[i] & EACH(0x7F)) + EACH(0x60)) | block.word[i];
        bits |= high_bits(~reached) << (8 * i);
    }
    return bits;
}

static inline bool block_is_ascii(struct block block)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < 8; i++) {
        all |= block.word[i];
    }
    return (all & EACH(0x80)) == 0;
}

static inline bool block_has_control(struct block block)
{
    return block_below_space(block) != 0;
}

#include "jsv/json/scan_step.h"
#include "jsv/json/scan_window.h"

size_t jsv_scan_portable(struct jsv_scan *scan, uint32_t *out)
{
    return scan_window(scan, out);
}
