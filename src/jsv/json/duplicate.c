/*
 * Members with the same name. A key that may repeat another is compared with
 * those before it at once, while these are few; many go through a hash table
 * when their object closes.
 *
 * The hash is a sum of products of the key's words, each with a secret factor
 * of its own: without the factors, keys that collide cannot be chosen. Both
 * halves of each product count, because the lower one alone ignores most of a
 * word's highest bytes. Keys with more words than there
 * are factors go through a seeded hash of all their bytes.
 *
 * Most objects are small, and use a table that is never cleared: its entries
 * carry the number of the check that wrote them.
 */
#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/hash.h"
#include "jsv/base/text.h"
#include "jsv/json/node.h"
#include "jsv/json/reader.h"

/* Up to as many elder keys, comparing with each is cheaper than hashing all. */
#define COMPARED_MAX 16

/* One check of one object. */
struct check {
    struct jsv_reader *reader;
    const struct jsv_document *document;
    const struct jsv_node *nodes;
    struct jsv_key_slot *slots;
    unsigned shift; /* of the hash, down to a slot */
    uint32_t number;
};

static uint64_t multiply(uint64_t word, uint64_t factor)
{
    unsigned __int128 product = (unsigned __int128)word * factor;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_key(const struct check *check, const struct jsv_node *key)
{
    const uint64_t *factors = check->reader->hash_factors;
    struct jsv_str text = jsv_string_text(check->document, key);
    if (text.size > JSV_HASH_FACTORS * sizeof(uint64_t)) {
        return jsv_hash(text, check->reader->limits.hash_seed);
    }
    uint64_t hash = multiply(key->body + text.size, factors[0]);
    if (text.size > sizeof(uint64_t)) {
        size_t last = text.size - sizeof(uint64_t);
        for (size_t at = sizeof(uint64_t), i = 1; at < last; at += sizeof(uint64_t), i++) {
            hash += multiply(jsv_load_word(text.data + at), factors[i]);
        }
        hash += multiply(jsv_load_word(text.data + last), factors[JSV_HASH_FACTORS - 1]);
    }
    return hash;
}

/* The slot that holds an equal key, or the empty one where this key belongs. */
static struct jsv_key_slot *find_slot(const struct check *check, uint32_t key)
{
    size_t last = ((size_t)1 << (64 - check->shift)) - 1;
    size_t at = (size_t)(hash_key(check, &check->nodes[key]) >> check->shift);
    for (;; at = (at + 1) & last) {
        struct jsv_key_slot *slot = &check->slots[at];
        if (slot->check != check->number ||
            jsv_strings_equal(
                check->document, &check->nodes[slot->key], check->document, &check->nodes[key])) {
            return slot;
        }
    }
}

/* A table that count keys fill at most half. */
static int start_check(struct jsv_reader *reader, uint32_t count, struct check *ret_check)
{
    struct check check = {
        .reader = reader,
        .document = reader->document,
        .nodes = jsv_document_nodes(reader->document),
        .slots = reader->small_table,
        .shift = 64 - JSV_SMALL_TABLE_BITS,
        .number = ++reader->checks,
    };
    if (check.number == 0) {
        memset(reader->small_table, 0, sizeof(reader->small_table));
        check.number = ++reader->checks;
    }
    while ((1ull << (64 - check.shift)) < 2 * (uint64_t)count) {
        check.shift--;
    }
    size_t capacity = (size_t)1 << (64 - check.shift);
    if (capacity > (size_t)1 << JSV_SMALL_TABLE_BITS) {
        size_t size = capacity * sizeof(*check.slots);
        if (size > reader->large_table_size) {
            if (size > jsv_reader_memory_max(reader, reader->large_table_size)) {
                return -ENOMEM;
            }
            jsv_dealloc(&reader->allocator, reader->large_table, reader->large_table_size);
            reader->large_table_size = 0;
            reader->large_table = jsv_alloc(&reader->allocator, size);
            if (!reader->large_table) {
                return -ENOMEM;
            }
            reader->large_table_size = size;
        }
        memset(reader->large_table, 0, size);
        check.slots = reader->large_table;
    }
    *ret_check = check;
    return 0;
}

bool jsv_may_repeat(
    const struct jsv_document *document,
    uint32_t object,
    uint32_t count,
    const struct jsv_node *key)
{
    if (count > COMPARED_MAX) {
        return true;
    }
    const struct jsv_node *elder = jsv_document_nodes(document) + object + 1;
    for (uint32_t i = 0; i < count; i++) {
        /* the first bytes alone tell nearly all keys apart */
        if (elder->body == key->body && jsv_strings_equal(document, elder, document, key)) {
            return true;
        }
        elder = jsv_node_next(elder + 1);
    }
    return false;
}

int jsv_find_duplicate(
    struct jsv_reader *reader, uint32_t object, uint32_t count, uint32_t *ret_key)
{
    struct check check;
    int r = start_check(reader, count, &check);
    if (r < 0) {
        return r;
    }
    *ret_key = 0;
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < count; i++) {
        struct jsv_key_slot *slot = find_slot(&check, key);
        if (slot->check == check.number) {
            *ret_key = key;
            break;
        }
        *slot = (struct jsv_key_slot){check.number, key};
        key += 1 + jsv_node_skip(&check.nodes[key + 1]);
    }
    return 0;
}

/* Close the gaps that dropped members, whose keys are of type NONE, leave in the tape. */
static uint32_t compact(struct jsv_node *nodes, uint32_t object, uint32_t *count)
{
    uint32_t from = object + 1;
    uint32_t to = from;
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
    return to;
}

static size_t offset_of(const struct check *check, uint32_t key)
{
    return jsv_value_offset((struct jsv_value){check->document, &check->nodes[key]});
}

static void note_dropped(const struct check *check, uint32_t dropped, uint32_t kept)
{
    struct jsv_buf *out = check->reader->dropped;
    if (out) {
        const struct jsv_dropped note = {offset_of(check, dropped), offset_of(check, kept)};
        jsv_buf_append(out, &note, sizeof(note));
    }
}

int jsv_drop_duplicates(
    struct jsv_reader *reader, uint32_t object, uint32_t *count, size_t *node_count)
{
    struct check check;
    int r = start_check(reader, *count, &check);
    if (r < 0) {
        return r;
    }
    struct jsv_node *nodes = (struct jsv_node *)(void *)reader->document->block;
    uint32_t key = object + 1;
    for (uint32_t i = 0; i < *count; i++) {
        struct jsv_key_slot *slot = find_slot(&check, key);
        if (slot->check == check.number) {
            note_dropped(&check, slot->key, key);
            nodes[slot->key].head = JSV_TYPE_NONE;
        }
        *slot = (struct jsv_key_slot){check.number, key};
        key += 1 + jsv_node_skip(&nodes[key + 1]);
    }
    *node_count = compact(nodes, object, count);
    return 0;
}
