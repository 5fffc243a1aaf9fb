/*
 * A few elements are compared pairwise. Many are hashed, so that equal values
 * have equal hashes (1 and 1.0, members in any order), and only elements with
 * equal hashes are compared: one pass over the nodes of the array.
 */
#include "jsv/schema/run/unique.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/hash.h"
#include "jsv/json/node.h"
#include "jsv/json/stack.h"

/* Up to so many elements and bytes of text, comparing all pairs is cheaper. */
#define PAIRWISE_MAX      16
#define PAIRWISE_SIZE_MAX 1024

/* Whether two nodes alone show that the values differ. */
static bool surely_differ(
    const struct jsv_document *document, const struct jsv_node *a, const struct jsv_node *b)
{
    if (jsv_node_type(a) != jsv_node_type(b)) {
        return true;
    }
    if (jsv_node_type(a) == JSV_TYPE_STRING) {
        return !jsv_strings_equal(document, a, document, b);
    }
    return jsv_node_skip(a) != jsv_node_skip(b);
}

static size_t index_of(const struct jsv_node *array, const struct jsv_node *item)
{
    size_t index = 0;
    for (const struct jsv_node *other = array + 1; other < item; other = jsv_node_next(other)) {
        index++;
    }
    return index;
}

/* @param r 1 for equal, or an error. @return 0 or the error */
static int found_equal(
    struct jsv_value array,
    const struct jsv_node *a,
    const struct jsv_node *b,
    int r,
    size_t ret_equal[2])
{
    if (ret_equal) {
        ret_equal[0] = index_of(array.node, a);
        ret_equal[1] = index_of(array.node, b);
    }
    return r < 0 ? r : 0;
}

static int compare_pairs(struct jsv_unique *unique, struct jsv_value array, size_t ret_equal[2])
{
    const struct jsv_node *first = array.node + 1;
    const struct jsv_node *end = jsv_container_end(array.node);
    for (const struct jsv_node *item = first; item < end; item = jsv_node_next(item)) {
        for (const struct jsv_node *other = first; other < item; other = jsv_node_next(other)) {
            if (surely_differ(array.document, other, item)) {
                continue;
            }
            int r = jsv_equality_test(
                unique->equality,
                (struct jsv_value){array.document, other},
                (struct jsv_value){array.document, item});
            if (r != 0) {
                return found_equal(array, other, item, r, ret_equal);
            }
        }
    }
    return 1;
}

/* A container whose contents are being hashed. */
struct open {
    const struct jsv_node *next; /* element or key to hash next */
    const struct jsv_node *end;
    uint64_t hash;
    uint64_t key; /* hash of the key whose value is being hashed */
    bool object;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t mixed =
        (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) * 0xD6E8FEB86659FD93ull;
    return mixed ^ mixed >> 32;
}

struct hashing {
    const struct jsv_document *document;
    uint64_t seed;
    struct jsv_stack *open; /* struct open */
};

static uint64_t hash_scalar(const struct hashing *hashing, const struct jsv_node *node)
{
    if (jsv_node_type(node) == JSV_TYPE_STRING) {
        return jsv_hash(jsv_string_text(hashing->document, node), hashing->seed);
    }
    if (jsv_node_type(node) == JSV_TYPE_NUMBER) {
        struct jsv_number number = jsv_value_number((struct jsv_value){hashing->document, node});
        return jsv_number_hash(&number, hashing->seed);
    }
    return mix(hashing->seed, (uint64_t)jsv_node_type(node) << 1 | node->body);
}

/* The order of elements matters, that of members does not. */
static void add_to(struct open *open, uint64_t hash)
{
    open->hash = open->object ? open->hash + mix(open->key, hash) : mix(open->hash, hash);
}

static int hash_value(struct hashing *hashing, const struct jsv_node *node, uint64_t *ret_hash)
{
    hashing->open->count = 0;
    for (;;) {
        uint64_t hash;
        if (jsv_node_is_container(node)) {
            struct open *open = jsv_stack_push(hashing->open, 1);
            if (!open) {
                return -ENOMEM;
            }
            bool object = jsv_node_type(node) == JSV_TYPE_OBJECT;
            *open = (struct open){node + 1, jsv_node_next(node), object ? 1 : 2, 0, object};
        } else {
            hash = hash_scalar(hashing, node);
            if (hashing->open->count == 0) {
                *ret_hash = hash;
                return 0;
            }
            add_to(jsv_stack_top(hashing->open), hash);
        }
        struct open *top = jsv_stack_top(hashing->open);
        while (top->next == top->end) {
            hash = mix(top->hash, hashing->seed);
            jsv_stack_pop(hashing->open);
            if (hashing->open->count == 0) {
                *ret_hash = hash;
                return 0;
            }
            top = jsv_stack_top(hashing->open);
            add_to(top, hash);
        }
        if (top->object) {
            top->key = hash_scalar(hashing, top->next++);
        }
        node = top->next;
        top->next = jsv_node_next(node);
    }
}

/* Small, because there are at least twice as many as elements. */
struct slot {
    uint32_t item; /* node index relative to the array; 0: empty */
    uint32_t tag;  /* the upper half of the hash */
};

static __attribute__((noinline)) int
compare_hashed(struct jsv_unique *unique, struct jsv_value array, size_t ret_equal[2])
{
    size_t count = jsv_value_count(array);
    size_t capacity = 4 * PAIRWISE_MAX;
    while (capacity < 2 * count) {
        capacity *= 2;
    }
    unique->slots.count = 0;
    struct slot *slots = jsv_stack_push(&unique->slots, capacity);
    if (!slots) {
        return -ENOMEM;
    }
    memset(slots, 0, capacity * sizeof(*slots));
    struct hashing hashing = {
        .document = array.document,
        .seed = (uint64_t)(uintptr_t)slots,
        .open = &unique->open,
    };
    const struct jsv_node *item = array.node + 1;
    for (size_t i = 0; i < count; i++, item = jsv_node_next(item)) {
        uint64_t hash;
        int r = hash_value(&hashing, item, &hash);
        if (r < 0) {
            return r;
        }
        uint32_t tag = (uint32_t)(hash >> 32);
        size_t at = (size_t)hash & (capacity - 1);
        for (; slots[at].item; at = (at + 1) & (capacity - 1)) {
            const struct jsv_node *other = array.node + slots[at].item;
            if (slots[at].tag != tag) {
                continue;
            }
            r = jsv_equality_test(
                unique->equality,
                (struct jsv_value){array.document, other},
                (struct jsv_value){array.document, item});
            if (r != 0) {
                return found_equal(array, other, item, r, ret_equal);
            }
        }
        slots[at] = (struct slot){(uint32_t)(item - array.node), tag};
    }
    return 1;
}

struct jsv_unique jsv_unique_on(struct jsv_arena *scratch, struct jsv_equality *equality)
{
    return (struct jsv_unique){
        .slots = jsv_stack_on(scratch, sizeof(struct slot)),
        .open = jsv_stack_on(scratch, sizeof(struct open)),
        .equality = equality,
    };
}

int jsv_unique_test(struct jsv_unique *unique, struct jsv_value array, size_t ret_equal[2])
{
    bool is_small = jsv_node_count(array.node) <= PAIRWISE_MAX &&
                    jsv_node_end(array.node) - jsv_node_start(array.node) <= PAIRWISE_SIZE_MAX;
    return is_small ? compare_pairs(unique, array, ret_equal)
                    : compare_hashed(unique, array, ret_equal);
}
