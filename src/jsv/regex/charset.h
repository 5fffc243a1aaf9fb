/*
 * Sets of code points, which a character of a pattern can match.
 *
 * A set is a sorted list of ranges that neither touch nor overlap, and
 * optionally Unicode properties whose members only PCRE2 knows. Valid UTF-8 has
 * no surrogates. A set contains them if it contains both their neighbours, which
 * keeps lists short and makes equal sets have equal lists.
 */
#pragma once

#include <jsv/jsv.h>

#define JSV_CODE_POINT_MAX  0x10FFFFu
#define JSV_SURROGATE_FIRST 0xD800u
#define JSV_SURROGATE_LAST  0xDFFFu

static inline bool jsv_is_surrogate(uint32_t code_point)
{
    return code_point >= JSV_SURROGATE_FIRST && code_point <= JSV_SURROGATE_LAST;
}

/* A property as PCRE2 spells it: \p{<prefix><name>}. */
struct jsv_property {
    const char *prefix;
    const char *name;
    bool known; /* to PCRE2; otherwise only the name is valid */
};

/* Look up the text between the braces: "Lu", "Script=Greek", "Emoji". */
bool jsv_property_find(struct jsv_str text, struct jsv_property *ret_property);

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
    bool negated; /* only with properties; otherwise the ranges are inverted */
};

/* The sets \d, \w, \s, and the characters that a dot does not match. */
extern const struct jsv_charset jsv_charset_digit;
extern const struct jsv_charset jsv_charset_word;
extern const struct jsv_charset jsv_charset_space;
extern const struct jsv_charset jsv_charset_newline;

/* A set under construction. The arena owns it and the result. */
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

/* Add a range, a set (not a negated one), or a property. @return 0 or -ENOMEM. */
int jsv_charset_add(struct jsv_charset_builder *builder, uint32_t first, uint32_t last);
int jsv_charset_add_set(struct jsv_charset_builder *builder, const struct jsv_charset *set);
int jsv_charset_add_property(
    struct jsv_charset_builder *builder, const struct jsv_property *property, bool negated);

/* Finish the set, or its complement. @return 0 or -ENOMEM. Do not use the builder again. */
int jsv_charset_build(
    struct jsv_charset_builder *builder, bool negated, struct jsv_charset *ret_set);

/* The complement of the ranges of a set. @return 0 or -ENOMEM. */
int jsv_charset_complement(
    struct jsv_arena *arena, const struct jsv_charset *set, struct jsv_charset *ret_set);

/* Sort by first code point, in place, in O(n log n). */
void jsv_ranges_sort(struct jsv_range *ranges, size_t count);
