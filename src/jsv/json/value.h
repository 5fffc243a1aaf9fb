/*
 * Nodes as values: what the rest of the room asks of a node beyond node.h.
 */
#pragma once

#include "jsv/base/number.h"
#include "jsv/json/node.h"

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
