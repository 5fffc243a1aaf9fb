/*
 * The tape: a document in memory. Inside libjsv only.
 *
 * A document is an array of 16-byte nodes in the order of the text. A member
 * is its key node (a string) followed by its value's node; a container's node
 * is followed by its contents.
 *
 *             head                                                 body
 *             bits 0-7  8-15    16-31                32-63
 *   null      type      -       -                    start         -
 *   boolean   type      -       -                    start         0 or 1
 *   string    type      flags   size                 start         first 8 bytes, zero-padded
 *     LONG    type      flags   0                    start         size
 *   number    type      flags   exponent (int16)     start         significand
 *     BIG     type      flags   0                    start         characters
 *   array,    type      count (24 bits)              start         0-31 skip, 32-63 end
 *   object
 *
 * start is an offset into the text: of a string's first character (behind the
 * quote), of any other value's first character. An ESCAPED string's start is
 * instead counted down from the end of the document's block, where its decoded
 * bytes follow a struct jsv_decoded with the place in the text.
 * end is the offset behind the closing bracket. skip is the number of nodes of
 * the container, itself included, so a subtree can be moved as it is. A count
 * of JSV_COUNT_MANY means: too many for 24 bits, walk and count.
 *
 * A key of up to 8 bytes is compared by head and body alone.
 */
#pragma once

#include <string.h>

#include <jsv/json.h>

#include "jsv/base/number.h"

struct jsv_node {
    uint64_t head;
    uint64_t body;
};

enum jsv_node_flags {
    JSV_NODE_ESCAPED = 1 << 0,  /* string: the text holds escapes, decoded bytes are in the block */
    JSV_NODE_LONG = 1 << 1,     /* string: size does not fit 16 bits */
    JSV_NODE_NEGATIVE = 1 << 0, /* number: written with a minus sign */
    JSV_NODE_DECIMAL = 1 << 1,  /* number: written with a fraction or an exponent */
    JSV_NODE_BIG = 1 << 2,      /* number: significand or exponent do not fit the node */
};

#define JSV_NODE_FLAGS_SHIFT 8
#define JSV_NODE_SIZE_SHIFT  16
#define JSV_NODE_COUNT_SHIFT 8
#define JSV_NODE_START_SHIFT 32
#define JSV_COUNT_MANY       0xFFFFFFu
#define JSV_STRING_SHORT_MAX 0xFFFFu /* longest string that is not LONG */
#define JSV_PREFIX_SIZE      8

/* Type and size of a string that is not LONG; equal for equal keys, escaped or not. */
#define JSV_KEY_HEAD_MASK 0xFFFF00FFull

/* Precedes the decoded bytes of an ESCAPED string; start and end span the text between quotes. */
struct jsv_decoded {
    uint32_t start;
    uint32_t end;
};

struct jsv_document {
    const char *text;
    size_t text_size;
    char *copy; /* of the text, when it was read with JSV_READ_COPY */
    size_t copy_size;
    char *block; /* nodes from below, decoded strings from above */
    size_t block_size;
    size_t node_count;
    struct jsv_allocator allocator;
};

static inline const struct jsv_node *jsv_document_nodes(const struct jsv_document *document)
{
    return (const struct jsv_node *)(const void *)document->block;
}

static inline enum jsv_type jsv_node_type(const struct jsv_node *node)
{
    return (enum jsv_type)(node->head & 0xFF);
}

static inline unsigned jsv_node_flags(const struct jsv_node *node)
{
    return (unsigned)(node->head >> JSV_NODE_FLAGS_SHIFT) & 0xFF;
}

static inline uint32_t jsv_node_start(const struct jsv_node *node)
{
    return (uint32_t)(node->head >> JSV_NODE_START_SHIFT);
}

static inline bool jsv_node_is_container(const struct jsv_node *node)
{
    return jsv_node_type(node) >= JSV_TYPE_ARRAY;
}

/* Number of nodes of a value, its contents included. */
static inline uint32_t jsv_node_skip(const struct jsv_node *node)
{
    return jsv_node_is_container(node) ? (uint32_t)node->body : 1;
}

static inline const struct jsv_node *jsv_node_next(const struct jsv_node *node)
{
    return node + jsv_node_skip(node);
}

/* Behind the last node of a container. */
static inline const struct jsv_node *jsv_container_end(const struct jsv_node *container)
{
    return container + (uint32_t)container->body;
}

/* Offset behind a container's closing bracket. */
static inline uint32_t jsv_node_end(const struct jsv_node *node)
{
    return (uint32_t)(node->body >> 32);
}

static inline uint32_t jsv_string_size(const struct jsv_node *node)
{
    return jsv_node_flags(node) & JSV_NODE_LONG
               ? (uint32_t)node->body
               : (uint32_t)(node->head >> JSV_NODE_SIZE_SHIFT) & JSV_STRING_SHORT_MAX;
}

static inline const char *
jsv_string_data(const struct jsv_document *document, const struct jsv_node *node)
{
    uint32_t start = jsv_node_start(node);
    bool escaped = __builtin_expect(jsv_node_flags(node) & JSV_NODE_ESCAPED, 0);
    return escaped ? document->block + document->block_size - start : document->text + start;
}

static inline struct jsv_str
jsv_string_text(const struct jsv_document *document, const struct jsv_node *node)
{
    return (struct jsv_str){jsv_string_data(document, node), jsv_string_size(node)};
}

/* The first bytes of a string as a word, zero-padded: what body holds. */
static inline uint64_t jsv_prefix(const char *data, size_t size)
{
    uint64_t word = 0;
    memcpy(&word, data, size < JSV_PREFIX_SIZE ? size : JSV_PREFIX_SIZE);
    return word;
}

/* The exponent of a number that is not BIG. */
static inline int jsv_number_exponent(const struct jsv_node *node)
{
    return (int16_t)(node->head >> JSV_NODE_SIZE_SHIFT);
}

static inline void jsv_node_set_string(
    struct jsv_node *node, unsigned flags, uint32_t start, uint32_t size, uint64_t prefix)
{
    uint64_t head = JSV_TYPE_STRING | (uint64_t)start << JSV_NODE_START_SHIFT;
    if (__builtin_expect(size > JSV_STRING_SHORT_MAX, 0)) {
        flags |= JSV_NODE_LONG;
        prefix = size;
        size = 0;
    }
    node->head =
        head | (uint64_t)flags << JSV_NODE_FLAGS_SHIFT | (uint64_t)size << JSV_NODE_SIZE_SHIFT;
    node->body = prefix;
}

/* Whether two texts of at least a word are the same: a call would cost more than the loop. */
static inline bool jsv_words_equal(const char *a, const char *b, size_t size)
{
    uint64_t x;
    uint64_t y;
    for (size_t at = 0; at + sizeof(x) < size; at += sizeof(x)) {
        memcpy(&x, a + at, sizeof(x));
        memcpy(&y, b + at, sizeof(y));
        if (x != y) {
            return false;
        }
    }
    memcpy(&x, a + size - sizeof(x), sizeof(x));
    memcpy(&y, b + size - sizeof(y), sizeof(y));
    return x == y;
}

/* A name prepared for comparing with many keys. */
struct jsv_key {
    uint64_t head;
    uint64_t prefix;
    struct jsv_str text;
};

static inline struct jsv_key jsv_key_from(struct jsv_str text)
{
    return (struct jsv_key){
        .head = JSV_TYPE_STRING | (uint64_t)text.size << JSV_NODE_SIZE_SHIFT,
        .prefix = jsv_prefix(text.data, text.size),
        .text = text,
    };
}

static inline bool jsv_key_equals_node(
    const struct jsv_key *key, const struct jsv_document *document, const struct jsv_node *node)
{
    if (__builtin_expect(key->text.size > JSV_STRING_SHORT_MAX, 0)) {
        return jsv_string_size(node) == key->text.size &&
               memcmp(jsv_string_data(document, node), key->text.data, key->text.size) == 0;
    }
    if ((node->head & JSV_KEY_HEAD_MASK) != key->head || node->body != key->prefix) {
        return false;
    }
    return key->text.size <= JSV_PREFIX_SIZE ||
           jsv_words_equal(jsv_string_data(document, node), key->text.data, key->text.size);
}

/* Whether two strings hold the same text; they may come from different documents. */
static inline bool jsv_strings_equal(
    const struct jsv_document *document_a,
    const struct jsv_node *a,
    const struct jsv_document *document_b,
    const struct jsv_node *b)
{
    if ((a->head & JSV_KEY_HEAD_MASK) != (b->head & JSV_KEY_HEAD_MASK) || a->body != b->body) {
        return false;
    }
    uint32_t size = jsv_string_size(a);
    return size <= JSV_PREFIX_SIZE ||
           jsv_words_equal(jsv_string_data(document_a, a), jsv_string_data(document_b, b), size);
}

/* Elements or members of a container. */
size_t jsv_node_count(const struct jsv_node *container);
/* The value's own text; a string's quotes are part of it. */
struct jsv_str jsv_node_span(const struct jsv_document *document, const struct jsv_node *node);
/* The exact number. The value must be of type NUMBER. */
struct jsv_number jsv_value_number(struct jsv_value value);
