/*
 * The cost of work in steps of about 25 nanoseconds. Entering a schema takes
 * one. Work of a size that the document or the schema decides takes steps in
 * proportion, so that a budget of steps limits the time.
 */
#pragma once

#include "jsv/base/number.h"
#include "jsv/json/node.h"

#define JSV_STEP_NS 25

/* Characters counted or compared. */
static inline uint64_t jsv_steps_for_text(size_t size)
{
    return size / 32;
}

/* Comparing texts up to this size is not charged: it takes at most a step. */
#define JSV_TEXT_SHORT 256

/* Characters compared; free for short texts. */
static inline uint64_t jsv_steps_for_long_text(size_t size)
{
    return __builtin_expect(size > JSV_TEXT_SHORT, 0) ? jsv_steps_for_text(size) : 0;
}

/* Characters decoded and read as a document by a new reader. */
static inline uint64_t jsv_steps_for_content(size_t size)
{
    return 64 + size / 8;
}

/* Elements or members of a container, looked at one by one. */
static inline uint64_t jsv_steps_for_contents(const struct jsv_node *container)
{
    return ((uint32_t)container->head >> JSV_NODE_COUNT_SHIFT) / 2;
}

/* Nodes looked at in sequence. */
static inline uint64_t jsv_steps_for_nodes(const struct jsv_node *from, const struct jsv_node *end)
{
    return (uint64_t)(end - from) / 4;
}

/* A value compared with others that differ at first sight. */
static inline uint64_t jsv_steps_for_others(uint64_t others)
{
    return (others + 1) / 2;
}

/* Digits of a number that are read, compared or hashed. */
static inline uint64_t jsv_steps_for_digits(size_t size)
{
    return size / 24;
}

static inline size_t jsv_digits_of(const struct jsv_node *number)
{
    return jsv_node_flags(number) & JSV_NODE_BIG ? number->body : 0;
}

/* A number compared; free without fraction and exponent. */
static inline uint64_t jsv_steps_for_number(const struct jsv_node *node)
{
    bool is_decimal = jsv_node_flags(node) & JSV_NODE_DECIMAL;
    return is_decimal + jsv_steps_for_digits(jsv_digits_of(node));
}

/* All contents of a container hashed or compared, with members in any order. */
static inline uint64_t jsv_steps_for_depths(const struct jsv_node *container)
{
    size_t size = jsv_node_end(container) - jsv_node_start(container);
    return 3 * (uint64_t)jsv_node_skip(container) + size / 16;
}

/* Elements of an array tested for equality; a few are compared pairwise. */
static inline uint64_t jsv_steps_for_unique(const struct jsv_node *array)
{
    uint64_t count = (uint32_t)array->head >> JSV_NODE_COUNT_SHIFT;
    return jsv_steps_for_depths(array) + (count <= 16 ? count * count / 4 : 0);
}

/* Two values of one type compared that are not different at first sight. */
static inline uint64_t jsv_steps_for_pair(const struct jsv_node *a, const struct jsv_node *b)
{
    if (jsv_node_is_container(a)) {
        uint32_t count_a = (uint32_t)a->head >> JSV_NODE_COUNT_SHIFT;
        uint32_t count_b = (uint32_t)b->head >> JSV_NODE_COUNT_SHIFT;
        bool many = count_a == JSV_COUNT_MANY || count_b == JSV_COUNT_MANY; /* counted by a walk */
        bool differ = count_a != count_b && !many;
        return differ ? 0 : jsv_steps_for_depths(a) + jsv_steps_for_depths(b);
    }
    if (jsv_node_type(a) == JSV_TYPE_STRING) {
        bool same_size = jsv_string_size(a) == jsv_string_size(b);
        return same_size ? jsv_steps_for_text(jsv_string_size(a)) : 0;
    }
    bool number = jsv_node_type(a) == JSV_TYPE_NUMBER;
    return number ? jsv_steps_for_digits(2 * jsv_digits_of(b)) : 0; /* the first was read before */
}

/* A number divided by another: quadratic in the digits, by words of 19. */
static inline uint64_t
jsv_steps_for_division(const struct jsv_number *number, const struct jsv_number *divisor)
{
    uint64_t words =
        (number->spelling.size * number->big + divisor->spelling.size * divisor->big) / 19;
    return 1 + jsv_steps_for_digits(19 * words) + words * words / 16;
}

/* A search, by the size of its text. */
static inline uint64_t jsv_steps_to_search(size_t size)
{
    return 1 + size / 4;
}

/* The time PCRE2 took, in nanoseconds; resets it. */
static inline uint64_t jsv_steps_for_matching(uint64_t *cost)
{
    uint64_t steps = (*cost + JSV_STEP_NS - 1) / JSV_STEP_NS;
    *cost = 0;
    return steps;
}

/* Both together. */
static inline uint64_t jsv_steps_for_search(size_t size, uint64_t *cost)
{
    return jsv_steps_to_search(size) + jsv_steps_for_matching(cost);
}
