/*
 * What work costs. A step is about 25 nanoseconds: entering a schema takes
 * one. Work whose size others decide, the document's author or the schema's,
 * takes steps in proportion, so that a budget of steps bounds the time.
 */
#pragma once

#include "base/number.h"
#include "json/node.h"
#include "regex/regex.h"

/* Characters counted, searched or checked. */
static inline uint64_t jsv_steps_for_text(size_t size)
{
    return size / 64;
}

/* Elements or members of a container that are looked at one by one. */
static inline uint64_t jsv_steps_for_contents(const struct jsv_node *container)
{
    return (container->head >> JSV_NODE_COUNT_SHIFT & JSV_COUNT_MANY) / 4;
}

/* A value compared with some others. */
static inline uint64_t jsv_steps_for_equality(const struct jsv_node *node, uint64_t others)
{
    return others * jsv_node_skip(node) / 8;
}

/* A number compared. */
static inline uint64_t jsv_steps_for_number(const struct jsv_node *node)
{
    return jsv_node_flags(node) & JSV_NODE_BIG ? jsv_steps_for_text(node->body) : 0;
}

/* A number divided by another: quadratic in the digits, by words of 19. */
static inline uint64_t
jsv_steps_for_division(const struct jsv_number *number, const struct jsv_number *divisor)
{
    uint64_t words =
        (number->spelling.size * number->big + divisor->spelling.size * divisor->big) / 19;
    return words * words / 16;
}

/* The last search, beyond reading its text: PCRE2 counts in nanoseconds. */
static inline uint64_t jsv_steps_for_search(struct jsv_regex_scratch *scratch, size_t size)
{
    return jsv_steps_for_text(size) + jsv_regex_scratch_take_cost(scratch) / 25;
}
