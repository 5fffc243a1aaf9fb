/*
 * Strings of a walk. Where a string begins and ends is known from the index,
 * so none of its bytes is looked at but the first eight, which its node keeps.
 * One with escapes is decoded elsewhere (unescape.c).
 *
 * A string is near when both its offsets come from one window and a word of
 * text, more than it needs or not, follows on its opening quote. Such a one is
 * short enough for its size to fit the node, and its first eight bytes can be
 * loaded without a look at the text's end. Nearly all are.
 */
#pragma once

#include <assert.h>

#include "jsv/base/text.h"
#include "jsv/json/walk.h"

static_assert(JSV_SCAN_WINDOW <= JSV_STRING_SHORT_MAX, "a near string is never LONG");

/* An offset that an earlier window left over must be used up before. */
static void take_index(struct walk *walk)
{
    const struct jsv_reader *reader = walk->reader;
    const uint32_t *near_end = reader->index_end;
    if (near_end > reader->next) {
        near_end--; /* it has no other behind it */
    }
    while (near_end > reader->next && near_end[-1] + 1 + JSV_PREFIX_SIZE > reader->scan.size) {
        near_end--;
    }
    walk->next = reader->next;
    walk->near_end = near_end;
}

/* Make sure of two more offsets: the string goes on in the next window, or nowhere. */
static fault refill(struct walk *walk)
{
    struct jsv_reader *reader = walk->reader;
    reader->next = walk->next;
    bool found = reader->index_end - reader->next >= 2 || jsv_reader_refill(reader, 2);
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

/* Any string that is not near. */
static __attribute__((noinline)) fault far_string(struct walk *walk)
{
    fault code = refill(walk);
    if (code) {
        return code;
    }
    uint32_t start = walk->next[0] + 1;
    uint32_t end = walk->next[1];
    if (walk->text[end] != '"') {
        return escaped_string(walk);
    }
    uint32_t size = end - start;
    jsv_node_set_string(walk->node, 0, start, size, jsv_prefix(walk->text + start, size));
    walk->node++;
    walk->next += 2;
    walk->at = walk->text + end + 1;
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

/*
 * At an opening quote: lay down the string's node, step behind its closing
 * quote. All is taken from the index, so that the next string need not wait
 * for the walk to get there.
 */
ALWAYS_INLINE fault read_string(struct cursor *cursor)
{
    if (UNLIKELY(cursor->next >= cursor->walk->near_end)) {
        fault code = far_string(leave(cursor));
        come_back(cursor);
        return code;
    }
    uint64_t start = cursor->next[0] + 1;
    uint64_t end = cursor->next[1];
    if (UNLIKELY(cursor->text[end] != '"')) {
        fault code = escaped_string(leave(cursor));
        come_back(cursor);
        return code;
    }
    uint64_t size = end - start;
    uint64_t word = jsv_load_word(cursor->text + start);
    cursor->node->head =
        JSV_TYPE_STRING | size << JSV_NODE_SIZE_SHIFT | start << JSV_NODE_START_SHIFT;
    cursor->node->body = word & prefix_mask.words[size < JSV_PREFIX_SIZE ? size : JSV_PREFIX_SIZE];
    cursor->node++;
    cursor->next += 2;
    cursor->at = cursor->text + end + 1;
    return JSV_ERROR_NONE;
}
