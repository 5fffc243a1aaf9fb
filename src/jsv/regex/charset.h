/*
 * Sets of code points: what one character of a pattern can match.
 *
 * A set is a sorted list of ranges that neither touch nor overlap, and perhaps
 * some Unicode properties whose members only PCRE2 knows. Valid UTF-8 holds no
 * surrogates, so whether a set contains them does not matter; it does exactly
 * when both neighbours of the surrogates are in it, which keeps lists short
 * and equal sets equal.
 */
#pragma once

#include <jsv/jsv.h>

#include "jsv/regex/property.h"

#define JSV_CODE_POINT_MAX  0x10FFFFu
#define JSV_SURROGATE_FIRST 0xD800u
#define JSV_SURROGATE_LAST  0xDFFFu

/* Half of what UTF-16 needs for one code point, and no character. */
static inline bool jsv_is_surrogate(uint32_t code_point)
{
    return code_point >= JSV_SURROGATE_FIRST && code_point <= JSV_SURROGATE_LAST;
}

struct jsv_range {
    uint32_t first;
    uint32_t last;
};

struct jsv_charset_property {
    struct jsv_property property;
    bool negated;
    struct jsv_charset_property *next;
};

struct jsv_charset {
    const struct jsv_range *ranges;
    size_t count;
    const struct jsv_charset_property *properties;
    bool negated; /* only with properties: else the ranges say it all */
};

/* The sets behind \d, \w, \s, and what a dot does not match. */
extern const struct jsv_charset jsv_charset_digit;
extern const struct jsv_charset jsv_charset_word;
extern const struct jsv_charset jsv_charset_space;
extern const struct jsv_charset jsv_charset_newline;

/* A set in the making. The arena owns it and what it becomes. */
struct jsv_charset_builder {
    struct jsv_arena *arena;
    struct jsv_range *ranges;
    size_t count;
    size_t capacity;
    struct jsv_charset_property *properties;
};

static inline struct jsv_charset_builder jsv_charset_builder_on(struct jsv_arena *arena)
{
    return (struct jsv_charset_builder){.arena = arena};
}

/*
 * Add a range, a set (not a negated one), all that is not in some ranges, or a
 * property. @return 0 or -ENOMEM.
 */
int jsv_charset_add(struct jsv_charset_builder *builder, uint32_t first, uint32_t last);
int jsv_charset_add_set(struct jsv_charset_builder *builder, const struct jsv_charset *set);
int jsv_charset_add_outside(struct jsv_charset_builder *builder, const struct jsv_charset *set);
int jsv_charset_add_property(
    struct jsv_charset_builder *builder, const struct jsv_property *property, bool negated);

/* The set, or all that is not in it. @return 0 or -ENOMEM; the builder is used up. */
int jsv_charset_build(
    struct jsv_charset_builder *builder, bool negated, struct jsv_charset *ret_set);

/* Sort by first code point. In place, and in n log n steps whatever the order was. */
void jsv_ranges_sort(struct jsv_range *ranges, size_t count);
