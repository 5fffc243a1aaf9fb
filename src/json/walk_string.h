/*
 * Strings of a walk. Where a string begins and ends is known from the index,
 * so none of its bytes is looked at but the first eight, which its node keeps.
 * One with escapes is decoded elsewhere (unescape.c).
 */
#pragma once

#include "json/walk.h"

static void take_index(struct walk *walk)
{
    walk->next = walk->reader->next;
    walk->index_last = walk->reader->index_end - 1;
}

/* No two more offsets at hand: the string goes on in the next window, or nowhere. */
static __attribute__((noinline)) fault refill(struct walk *walk)
{
    struct jsv_reader *reader = walk->reader;
    reader->next = walk->next;
    bool found = jsv_reader_refill(reader, 2);
    take_index(walk);
    if (found) {
        return JSV_ERROR_NONE;
    }
    if (reader->scan.fault != SIZE_MAX) {
        walk->at = walk->text + reader->scan.fault;
        return reader->scan.fault_code;
    }
    walk->at = walk->text + *walk->next;
    return JSV_ERROR_UNTERMINATED_STRING;
}

static __attribute__((noinline)) fault escaped_string(struct walk *walk)
{
    size_t node_count = (size_t)(walk->node - walk->nodes);
    size_t end;
    size_t bad;
    walk->reader->next = walk->next;
    fault code = jsv_read_escaped(walk->reader, node_count, &end, &bad);
    take_index(walk);
    if (code) {
        size_t scan_fault = walk->reader->scan.fault;
        if (code == JSV_ERROR_UNTERMINATED_STRING && scan_fault != SIZE_MAX) {
            bad = scan_fault;
            code = walk->reader->scan.fault_code;
        }
        walk->at = walk->text + bad;
        return code;
    }
    take_block(walk, node_count + 1);
    walk->at = walk->text + end;
    return JSV_ERROR_NONE;
}

/* The bytes of a word that belong to a string of that size: a table, a branch would be guessed. */
static const union {
    unsigned char bytes[JSV_PREFIX_SIZE + 1][JSV_PREFIX_SIZE];
    uint64_t words[JSV_PREFIX_SIZE + 1];
} prefix_mask = {
    .bytes =
        {
            {0},
            {0xFF},
            {0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
            {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
        },
};

ALWAYS_INLINE uint64_t load_prefix(const struct walk *walk, const char *data, size_t size)
{
    if (UNLIKELY(walk->end - data < JSV_PREFIX_SIZE)) {
        return jsv_prefix(data, size);
    }
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word & prefix_mask.words[size < JSV_PREFIX_SIZE ? size : JSV_PREFIX_SIZE];
}

/*
 * At an opening quote: lay down the string's node, step behind its closing
 * quote. All is taken from the index, so that the next string need not wait
 * for the walk to get there.
 */
ALWAYS_INLINE fault read_string(struct walk *walk)
{
    if (UNLIKELY(walk->next >= walk->index_last)) {
        struct walk copy = *walk;
        fault code = refill(&copy);
        *walk = copy;
        if (code) {
            return code;
        }
    }
    uint32_t start = walk->next[0] + 1;
    uint32_t end = walk->next[1];
    if (UNLIKELY(walk->text[end] != '"')) {
        struct walk copy = *walk;
        fault code = escaped_string(&copy);
        *walk = copy;
        return code;
    }
    walk->next += 2;
    walk->at = walk->text + end + 1;
    uint32_t size = end - start;
    uint64_t prefix = load_prefix(walk, walk->text + start, size);
    jsv_node_set_string(walk->node, 0, start, size, prefix);
    walk->node++;
    return JSV_ERROR_NONE;
}
