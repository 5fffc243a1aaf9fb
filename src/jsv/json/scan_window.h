/*
 * The loop every scan kernel shares. A kernel file defines, then includes this:
 *
 *   KERNEL                     attribute for functions that use its instructions
 *   struct block               64 bytes in registers
 *   block_load(bytes)          load them
 *   block_equal(block, byte)   bit i set where byte i equals byte
 *   block_has_control(block)   some byte is a control character
 *   block_below_space(block)   bit i set where byte i is a control character
 *   block_is_ascii(block)      no byte has its highest bit set
 *   struct utf8_state          what checking UTF-8 carries from block to block
 *   utf8_start(scan)           that state at scan->position
 *   utf8_check(state, block, left)  true when block continues valid UTF-8; left bytes of
 *                              it are text, the rest is padding
 *   utf8_pass(state, block)    note an all-ASCII block without checking it
 *   prefix_xor(bits)           bit i becomes the parity of bits 0 to i
 *   flatten(out, base, bits)   append base + i for every set bit i
 */
#pragma once

#include <string.h>

#include "jsv/json/scan.h"

#define INLINE KERNEL static inline __attribute__((always_inline))

struct scan_carry {
    uint64_t inside;
    uint64_t escaped;
    bool incomplete;
    bool bad;
};

/*
 * The backslashes that begin an escape: in a run of backslashes the first,
 * third, fifth and so on. Adding a run's lowest bit to it carries through the
 * run and clears it, which separates runs that start at odd places.
 */
INLINE uint64_t escape_starts(uint64_t backslashes, uint64_t escaped)
{
    const uint64_t odd = 0xAAAAAAAAAAAAAAAAull;
    uint64_t runs = backslashes & ~escaped;
    uint64_t odd_firsts = runs & ~(runs << 1) & odd;
    uint64_t odd_runs = runs & ~(runs + odd_firsts);
    return (odd_runs & odd) | (runs & ~odd_runs & ~odd);
}

/* List what a block holds behind its first `passed` bytes, which have been scanned before. */
INLINE uint32_t *scan_block(
    struct block block, unsigned passed, size_t base, uint32_t *out, struct scan_carry *carry)
{
    uint64_t quotes = block_equal(block, '"') >> passed;
    uint64_t backslashes = block_equal(block, '\\') >> passed;
    uint64_t escapes = 0;
    if (__builtin_expect((backslashes | carry->escaped) != 0, 0)) {
        escapes = escape_starts(backslashes, carry->escaped);
        quotes &= ~(escapes << 1 | carry->escaped);
        carry->escaped = escapes >> 63;
    }
    uint64_t inside = prefix_xor(quotes) ^ carry->inside;
    carry->inside = -(inside >> 63); /* all ones when it ends inside */
    if (__builtin_expect(block_has_control(block), 0)) {
        carry->bad |= (block_below_space(block) >> passed & inside) != 0;
    }
    return flatten(out, (uint32_t)base, quotes | escapes);
}

/* Whether the last bytes of a block begin a UTF-8 sequence that goes on behind it. */
static inline bool ends_incomplete(const unsigned char *bytes)
{
    return bytes[63] >= 0xC0 || bytes[62] >= 0xE0 || bytes[61] >= 0xF0;
}

/* A block of which left bytes are text and the rest is padding. */
INLINE uint32_t *scan_bytes(
    const char *bytes,
    size_t left,
    size_t base,
    uint32_t *out,
    struct scan_carry *carry,
    struct utf8_state *utf8)
{
    struct block block = block_load(bytes);
    if (__builtin_expect(block_is_ascii(block), 1)) {
        carry->bad |= carry->incomplete;
        carry->incomplete = false;
        utf8_pass(utf8, block);
    } else {
        carry->bad |= !utf8_check(utf8, block, left);
        carry->incomplete = ends_incomplete((const unsigned char *)bytes);
    }
    return scan_block(block, 0, base, out, carry);
}

/* Copy fewer bytes than a block: the ends of the range overlap in the middle. */
INLINE void copy_few(char *to, const char *from, size_t size)
{
    if (size >= 32) {
        memcpy(to, from, 32);
        memcpy(to + size - 32, from + size - 32, 32);
    } else if (size >= 16) {
        memcpy(to, from, 16);
        memcpy(to + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else {
        for (size_t i = 0; i < size; i++) {
            to[i] = from[i];
        }
    }
}

/*
 * The text's last bytes, fewer than a block. The block that ends with them is
 * mostly scanned already, so that part is shifted out. Where there is no such
 * block, or UTF-8 to check, they are padded with spaces.
 */
INLINE uint32_t *scan_tail(
    const struct jsv_scan *scan,
    size_t position,
    uint32_t *out,
    struct scan_carry *carry,
    struct utf8_state *utf8)
{
    size_t left = scan->size - position;
    if (position >= JSV_SCAN_BLOCK && !carry->incomplete) {
        struct block block = block_load(scan->text + scan->size - JSV_SCAN_BLOCK);
        if (block_is_ascii(block)) {
            return scan_block(block, (unsigned)(JSV_SCAN_BLOCK - left), position, out, carry);
        }
    }
    char tail[JSV_SCAN_BLOCK];
    memset(tail, ' ', sizeof(tail));
    copy_few(tail, scan->text + position, left);
    return scan_bytes(tail, left, position, out, carry, utf8);
}

INLINE size_t scan_window(struct jsv_scan *scan, uint32_t *out)
{
    const char *text = scan->text;
    size_t position = scan->position;
    size_t end = scan->size - position > JSV_SCAN_WINDOW ? position + JSV_SCAN_WINDOW : scan->size;
    struct scan_carry carry = {scan->inside, scan->escaped, scan->incomplete, false};
    struct utf8_state utf8 = utf8_start(scan);
    uint32_t *next = out;
    for (; end - position >= JSV_SCAN_BLOCK; position += JSV_SCAN_BLOCK) {
        next = scan_bytes(text + position, JSV_SCAN_BLOCK, position, next, &carry, &utf8);
    }
    if (position < end) {
        next = scan_tail(scan, position, next, &carry, &utf8);
        position = end;
    }
    scan->position = position;
    scan->inside = carry.inside;
    scan->escaped = carry.escaped;
    scan->incomplete = carry.incomplete;
    scan->bad = carry.bad || (carry.incomplete && position == scan->size);
    return (size_t)(next - out);
}
