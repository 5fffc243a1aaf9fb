/*
 * What work costs. A step is about 25 nanoseconds: entering a schema takes
 * one. Work whose size others decide, the document's author or the schema's,
 * takes steps in proportion, so that a budget of steps bounds the time.
 */
#pragma once

#include "base/number.h"
#include "json/node.h"

/* Characters counted, searched or checked. */
static inline uint64_t jsv_steps_for_text(size_t size)
{
    return size / 64;
}

/* Characters decoded and read as a document, by a reader made for it. */
static inline uint64_t jsv_steps_for_content(size_t size)
{
    return 64 + size / 8;
}

/* Elements or members of a container that are looked at one by one. */
static inline uint64_t jsv_steps_for_contents(const struct jsv_node *container)
{
    return ((uint32_t)container->head >> JSV_NODE_COUNT_SHIFT) / 4;
}

/* Nodes that are looked at, one behind the other. */
static inline uint64_t jsv_steps_for_nodes(const struct jsv_node *from, const struct jsv_node *end)
{
    return (uint64_t)(end - from) / 4;
}

/* A value compared with some others, which is never for nothing. */
static inline uint64_t jsv_steps_for_equality(const struct jsv_node *node, uint64_t others)
{
    return (others * jsv_node_skip(node) + 1) / 2;
}

/* A number compared: for one without fraction and exponent that is next to nothing. */
static inline uint64_t jsv_steps_for_number(const struct jsv_node *node)
{
    unsigned flags = jsv_node_flags(node);
    return (flags & JSV_NODE_DECIMAL ? 1 : 0) +
           (flags & JSV_NODE_BIG ? jsv_steps_for_text(node->body) : 0);
}

/* A number divided by another: quadratic in the digits, by words of 19. */
static inline uint64_t
jsv_steps_for_division(const struct jsv_number *number, const struct jsv_number *divisor)
{
    uint64_t words =
        (number->spelling.size * number->big + divisor->spelling.size * divisor->big) / 19;
    return 1 + words * words / 16;
}

/* A search, by its text. */
static inline uint64_t jsv_steps_to_search(size_t size)
{
    return 1 + jsv_steps_for_text(size);
}

/* What PCRE2 took for searches, in nanoseconds; that is paid for then. */
static inline uint64_t jsv_steps_for_matching(uint64_t *cost)
{
    uint64_t steps = *cost / 25;
    *cost = 0;
    return steps;
}

/* Both together. */
static inline uint64_t jsv_steps_for_search(size_t size, uint64_t *cost)
{
    return jsv_steps_to_search(size) + jsv_steps_for_matching(cost);
}
