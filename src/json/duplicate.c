/*
 * Members with the same name. Small objects are compared pair by pair; larger
 * ones go through a hash table, seeded so that nobody can choose keys that
 * fall together, and of a size that keeps it at most half full.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "json/reader.h"

/* Up to here comparing all pairs is cheaper than hashing. */
#define PAIRWISE_MAX 32

static struct jsv_node *nodes_of(struct jsv_reader *reader)
{
    return (struct jsv_node *)(void *)reader->document->block;
}

static bool
keys_equal(const struct jsv_document *document, const struct jsv_node *a, const struct jsv_node *b)
{
    if ((a->head & JSV_KEY_HEAD_MASK) != (b->head & JSV_KEY_HEAD_MASK) || a->body != b->body) {
        return false;
    }
    uint32_t size = jsv_string_size(a);
    return (size <= JSV_PREFIX_SIZE && !(jsv_node_flags(a) & JSV_NODE_LONG)) ||
           memcmp(jsv_string_data(document, a), jsv_string_data(document, b), size) == 0;
}

static uint32_t find_pairwise(struct jsv_reader *reader, uint32_t object, uint32_t count)
{
    const struct jsv_node *nodes = nodes_of(reader);
    uint64_t bodies[PAIRWISE_MAX];
    uint32_t keys[PAIRWISE_MAX];
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t body = nodes[key].body;
        for (uint32_t j = 0; j < i; j++) {
            /* the body alone tells nearly all keys apart */
            if (__builtin_expect(bodies[j] == body, 0) &&
                keys_equal(reader->document, &nodes[keys[j]], &nodes[key])) {
                return key;
            }
        }
        bodies[i] = body;
        keys[i] = key;
        key += 1 + jsv_node_skip(&nodes[key + 1]);
    }
    return 0;
}

/* An empty table for count keys; its size in *ret_mask + 1. */
static int start_table(struct jsv_reader *reader, uint32_t count, size_t *ret_mask)
{
    size_t capacity = 2 * (size_t)PAIRWISE_MAX;
    while (capacity < 2 * (size_t)count) {
        capacity *= 2;
    }
    if (capacity > reader->duplicates_capacity) {
        size_t old_size = reader->duplicates_capacity * sizeof(*reader->duplicates);
        if (capacity * sizeof(*reader->duplicates) > jsv_reader_memory_max(reader, old_size)) {
            return -ENOMEM;
        }
        jsv_dealloc(&reader->allocator, reader->duplicates, old_size);
        reader->duplicates_capacity = 0;
        reader->duplicates = jsv_alloc(&reader->allocator, capacity * sizeof(*reader->duplicates));
        if (!reader->duplicates) {
            return -ENOMEM;
        }
        reader->duplicates_capacity = capacity;
    }
    memset(reader->duplicates, 0, capacity * sizeof(*reader->duplicates));
    *ret_mask = capacity - 1;
    return 0;
}

/* The slot that holds an equal key, or the empty one where it belongs. */
static uint32_t *find_slot(struct jsv_reader *reader, size_t mask, uint32_t key)
{
    const struct jsv_node *nodes = nodes_of(reader);
    struct jsv_str text = jsv_string_text(reader->document, &nodes[key]);
    size_t at = (size_t)jsv_hash(text, reader->limits.hash_seed) & mask;
    while (reader->duplicates[at] &&
           !keys_equal(reader->document, &nodes[reader->duplicates[at]], &nodes[key])) {
        at = (at + 1) & mask;
    }
    return &reader->duplicates[at];
}

int jsv_find_duplicate(
    struct jsv_reader *reader, uint32_t object, uint32_t count, uint32_t *ret_key)
{
    if (count <= PAIRWISE_MAX) {
        *ret_key = find_pairwise(reader, object, count);
        return 0;
    }
    size_t mask;
    int r = start_table(reader, count, &mask);
    if (r < 0) {
        return r;
    }
    *ret_key = 0;
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *slot = find_slot(reader, mask, key);
        if (*slot) {
            *ret_key = key;
            break;
        }
        *slot = key;
        key += 1 + jsv_node_skip(&nodes_of(reader)[key + 1]);
    }
    return 0;
}

int jsv_drop_duplicates(
    struct jsv_reader *reader, uint32_t object, uint32_t *count, size_t *node_count)
{
    size_t mask;
    int r = start_table(reader, *count, &mask);
    if (r < 0) {
        return r;
    }
    struct jsv_node *nodes = nodes_of(reader);
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t *slot = find_slot(reader, mask, key);
        uint32_t earlier = *slot;
        *slot = key;
        if (earlier) {
            nodes[earlier].head = JSV_TYPE_NONE;
        }
        key += 1 + jsv_node_skip(&nodes[key + 1]);
    }
    uint32_t from = object + 1;
    uint32_t to = object + 1;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t size = 1 + jsv_node_skip(&nodes[from + 1]);
        if (jsv_node_type(&nodes[from]) != JSV_TYPE_NONE) {
            memmove(&nodes[to], &nodes[from], size * sizeof(*nodes));
            to += size;
            kept++;
        }
        from += size;
    }
    *count = kept;
    *node_count = to;
    return 0;
}
