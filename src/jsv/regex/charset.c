#include "jsv/regex/charset.h"

#include <errno.h>
#include <string.h>

static const struct jsv_range digit_ranges[] = {{'0', '9'}};
static const struct jsv_range word_ranges[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
/* WhiteSpace and LineTerminator of ECMA-262: Zs, tabs, feeds, U+FEFF and U+2028/9. */
static const struct jsv_range space_ranges[] = {
    {'\t', '\r'},
    {' ', ' '},
    {0xA0, 0xA0},
    {0x1680, 0x1680},
    {0x2000, 0x200A},
    {0x2028, 0x2029},
    {0x202F, 0x202F},
    {0x205F, 0x205F},
    {0x3000, 0x3000},
    {0xFEFF, 0xFEFF},
};
static const struct jsv_range newline_ranges[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

#define SET_OF(array)                                                                              \
    {                                                                                              \
        .ranges = (array), .count = sizeof(array) / sizeof((array)[0])                             \
    }

const struct jsv_charset jsv_charset_digit = SET_OF(digit_ranges);
const struct jsv_charset jsv_charset_word = SET_OF(word_ranges);
const struct jsv_charset jsv_charset_space = SET_OF(space_ranges);
const struct jsv_charset jsv_charset_newline = SET_OF(newline_ranges);

/* Enough for most classes. */
#define CAPACITY_MIN 8

static int reserve(struct jsv_charset_builder *builder, size_t count)
{
    size_t needed = builder->count + count;
    if (needed <= builder->capacity) {
        return 0;
    }
    size_t capacity = 2 * builder->capacity;
    if (capacity < CAPACITY_MIN) {
        capacity = CAPACITY_MIN;
    }
    if (capacity < needed) {
        capacity = needed;
    }
    struct jsv_range *ranges = jsv_arena_array(builder->arena, capacity, sizeof ranges[0]);
    if (!ranges) {
        return -ENOMEM;
    }
    if (builder->count > 0) {
        memcpy(ranges, builder->ranges, builder->count * sizeof ranges[0]);
    }
    builder->ranges = ranges;
    builder->capacity = capacity;
    return 0;
}

/* The neighbours of a code point, without surrogates. */
static uint32_t after(uint32_t code_point)
{
    return code_point == JSV_SURROGATE_FIRST - 1 ? JSV_SURROGATE_LAST + 1 : code_point + 1;
}

static uint32_t before(uint32_t code_point)
{
    return code_point == JSV_SURROGATE_LAST + 1 ? JSV_SURROGATE_FIRST - 1 : code_point - 1;
}

int jsv_charset_add(struct jsv_charset_builder *builder, uint32_t first, uint32_t last)
{
    if (jsv_is_surrogate(first)) {
        first = JSV_SURROGATE_LAST + 1;
    }
    if (jsv_is_surrogate(last)) {
        last = JSV_SURROGATE_FIRST - 1;
    }
    if (first > last) {
        return 0;
    }
    int error = reserve(builder, 1);
    if (error) {
        return error;
    }
    builder->ranges[builder->count++] = (struct jsv_range){first, last};
    return 0;
}

int jsv_charset_complement(
    struct jsv_arena *arena, const struct jsv_charset *set, struct jsv_charset *ret_set)
{
    struct jsv_range *ranges = jsv_arena_array(arena, set->count + 1, sizeof ranges[0]);
    if (!ranges) {
        return -ENOMEM;
    }
    size_t count = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (set->ranges[i].first > next) {
            ranges[count++] = (struct jsv_range){next, before(set->ranges[i].first)};
        }
        next = after(set->ranges[i].last);
    }
    if (next <= JSV_CODE_POINT_MAX) {
        ranges[count++] = (struct jsv_range){next, JSV_CODE_POINT_MAX};
    }
    *ret_set = (struct jsv_charset){.ranges = ranges, .count = count};
    return 0;
}

int jsv_charset_add_property(
    struct jsv_charset_builder *builder, const struct jsv_property *property, bool negated)
{
    struct jsv_charset_property *added = jsv_arena_alloc(builder->arena, sizeof *added);
    if (!added) {
        return -ENOMEM;
    }
    *added = (struct jsv_charset_property){*property, negated, builder->properties};
    builder->properties = added;
    return 0;
}

static int
add_ranges(struct jsv_charset_builder *builder, const struct jsv_range *ranges, size_t count)
{
    int error = reserve(builder, count);
    if (error || count == 0) {
        return error;
    }
    memcpy(builder->ranges + builder->count, ranges, count * sizeof ranges[0]);
    builder->count += count;
    return 0;
}

int jsv_charset_add_set(struct jsv_charset_builder *builder, const struct jsv_charset *set)
{
    int error = add_ranges(builder, set->ranges, set->count);
    const struct jsv_charset_property *property = set->properties;
    for (; property && !error; property = property->next) {
        error = jsv_charset_add_property(builder, &property->property, property->negated);
    }
    return error;
}

/* Restore the heap below `start` (heapsort needs no memory and has no bad case). */
static void sift_down(struct jsv_range *heap, size_t start, size_t count)
{
    struct jsv_range moved = heap[start];
    size_t hole = start;
    for (size_t child = 2 * hole + 1; child < count; child = 2 * hole + 1) {
        if (child + 1 < count && heap[child + 1].first > heap[child].first) {
            child++;
        }
        if (heap[child].first <= moved.first) {
            break;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = moved;
}

void jsv_ranges_sort(struct jsv_range *ranges, size_t count)
{
    for (size_t start = count / 2; start > 0; start--) {
        sift_down(ranges, start - 1, count);
    }
    for (size_t left = count; left > 1; left--) {
        struct jsv_range largest = ranges[0];
        ranges[0] = ranges[left - 1];
        ranges[left - 1] = largest;
        sift_down(ranges, 0, left - 1);
    }
}

/* Join sorted ranges that touch or overlap. @return the number of ranges. */
static size_t join(struct jsv_range *ranges, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || ranges[i].first > after(ranges[kept - 1].last)) {
            ranges[kept++] = ranges[i];
        } else if (ranges[i].last > ranges[kept - 1].last) {
            ranges[kept - 1].last = ranges[i].last;
        }
    }
    return kept;
}

int jsv_charset_build(
    struct jsv_charset_builder *builder, bool negated, struct jsv_charset *ret_set)
{
    jsv_ranges_sort(builder->ranges, builder->count);
    struct jsv_charset set = {
        .ranges = builder->ranges,
        .count = join(builder->ranges, builder->count),
        .properties = builder->properties,
    };
    if (negated && !set.properties) {
        return jsv_charset_complement(builder->arena, &set, ret_set);
    }
    set.negated = negated;
    *ret_set = set;
    return 0;
}
