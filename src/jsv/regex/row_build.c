/*
 * A pattern is a row when it begins with ^, has no alternatives, and repeats
 * nothing but sets, or groups a fixed number of times, which are written out.
 * Such as ^v[0-9]+\.[0-9]+$ : four terms, and the end of the text.
 *
 * Each term takes as many characters as it may, and none is ever given back.
 * That is exact when no term that has a choice shares a character with what can
 * come next. Had it taken fewer, the next character would be one of its own,
 * which neither a later term takes nor the end of the text. It is checked when
 * the row is made; a pattern that fails is no row: ^[a-z]*z$.
 *
 * Rows are matched by bytes. Within ASCII a character is a byte. Beyond, a set
 * may hold either no character or all of them, and then it must not count them:
 * [^@]+ takes bytes as well as characters, and stops between two characters.
 *
 * Terms then become steps (row_steps.h).
 */
#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/regex/row_steps.h"

/* What a row may have. Patterns with more are rare, and a table matches them as well. */
#define TERMS_MAX 64
#define STEPS_MAX 96
#define SETS_MAX  8 /* a bit each in a byte */
/* Terms looked at, those of a repeated group again each time: bounds the work. */
#define WALK_MAX 256
/* A range repeated more often than this is no stretch but a run, and takes less memory. */
#define STRETCH_MAX 64

/* ---- from tree to terms ---- */

struct byte_set {
    uint64_t ascii[2]; /* a bit for each character */
    bool beyond;       /* whether all characters beyond ASCII are in it too; else none is */
};

struct term {
    struct byte_set set;
    bool is_range; /* the set is the ASCII characters from low to high */
    uint8_t low;
    uint8_t high;
    uint32_t min;
    uint32_t max;
};

struct builder {
    struct term terms[TERMS_MAX];
    size_t term_count;
    size_t walked;
    bool anchored;
    bool ended;

    struct byte_set sets[SETS_MAX];
    size_t set_count;
    struct jsv_step steps[STEPS_MAX];
    size_t step_count;
};

static bool set_contains(const struct byte_set *set, unsigned byte)
{
    return byte < 128 ? set->ascii[byte / 64] >> byte % 64 & 1 : set->beyond;
}

static bool sets_overlap(const struct byte_set *a, const struct byte_set *b)
{
    return a->ascii[0] & b->ascii[0] || a->ascii[1] & b->ascii[1] || (a->beyond && b->beyond);
}

static bool sets_are_equal(const struct byte_set *a, const struct byte_set *b)
{
    return a->ascii[0] == b->ascii[0] && a->ascii[1] == b->ascii[1] && a->beyond == b->beyond;
}

/* @return false for a set that holds some of the characters beyond ASCII, but not all. */
static bool read_set(const struct jsv_charset *set, struct byte_set *ret_set)
{
    *ret_set = (struct byte_set){0};
    for (size_t i = 0; i < set->count; i++) {
        struct jsv_range range = set->ranges[i];
        for (uint32_t c = range.first; c <= range.last && c < 128; c++) {
            ret_set->ascii[c / 64] |= (uint64_t)1 << c % 64;
        }
        if (range.last >= 128) {
            ret_set->beyond = range.first <= 128 && range.last == JSV_CODE_POINT_MAX;
            if (!ret_set->beyond) {
                return false;
            }
        }
    }
    return true;
}

/* Add a term, or let the last one take more often what it takes anyway. @return false: too many. */
static bool append_term(struct builder *builder, const struct term *term)
{
    if (builder->term_count > 0) {
        struct term *last = &builder->terms[builder->term_count - 1];
        if (sets_are_equal(&last->set, &term->set)) {
            last->min = jsv_regex_add_counts(last->min, term->min);
            last->max = jsv_regex_add_counts(last->max, term->max);
            return true;
        }
    }
    if (builder->term_count == TERMS_MAX) {
        return false;
    }
    builder->terms[builder->term_count++] = *term;
    return true;
}

static bool add_set(struct builder *builder, const struct jsv_regex_node *node)
{
    struct term term = {.min = node->min, .max = node->max};
    if (!builder->anchored || builder->ended || ++builder->walked > WALK_MAX ||
        !read_set(&node->set, &term.set)) {
        return false;
    }
    if (node->set.count == 1 && !term.set.beyond) {
        term.is_range = true;
        term.low = (uint8_t)node->set.ranges[0].first;
        term.high = (uint8_t)node->set.ranges[0].last;
    }
    return term.max == 0 || append_term(builder, &term);
}

static bool add_branch(struct builder *builder, const struct jsv_regex_branch *branch);

static bool add_group(struct builder *builder, const struct jsv_regex_node *node)
{
    if (node->group.first->next || node->min != node->max) {
        return false;
    }
    /* To match nothing once is as good as often. */
    uint32_t times = node->width.max == 0 && node->min > 0 ? 1 : node->min;
    bool fits = true;
    for (uint32_t i = 0; i < times && fits; i++) {
        fits = add_branch(builder, node->group.first);
    }
    return fits;
}

static bool add_node(struct builder *builder, const struct jsv_regex_node *node)
{
    switch (node->kind) {
    case JSV_REGEX_SET:
        return add_set(builder, node);
    case JSV_REGEX_GROUP:
        return add_group(builder, node);
    case JSV_REGEX_START:
        builder->anchored = true;
        return builder->term_count == 0;
    case JSV_REGEX_END:
        builder->ended = true;
        return true;
    case JSV_REGEX_LOOK:
    case JSV_REGEX_REFERENCE:
    case JSV_REGEX_BOUNDARY:
    case JSV_REGEX_NOT_BOUNDARY:
    default:
        return false;
    }
}

/* Groups in groups: JSV_REGEX_DEPTH_MAX bounds the recursion. */
static bool add_branch(struct builder *builder, const struct jsv_regex_branch *branch)
{
    bool fits = true;
    for (const struct jsv_regex_node *node = branch->first; node && fits; node = node->next) {
        fits = add_node(builder, node);
    }
    return fits;
}

/* ---- whether the terms can be matched in a row ---- */

/* Whether counting bytes is as good as counting characters, and can be done. */
static bool is_countable(const struct term *term)
{
    bool endless = term->max == JSV_REGEX_UNBOUNDED;
    return term->min < JSV_STEP_UNBOUNDED && (endless || term->max < JSV_STEP_UNBOUNDED) &&
           (!term->set.beyond || (term->min <= 1 && endless));
}

/* Whether a term that takes all it may leaves nothing to choose. */
static bool is_decided(const struct builder *builder, size_t at)
{
    const struct term *term = &builder->terms[at];
    if (term->min == term->max) {
        return true;
    }
    for (size_t next = at + 1; next < builder->term_count; next++) {
        if (sets_overlap(&term->set, &builder->terms[next].set)) {
            return false;
        }
        if (builder->terms[next].min > 0) {
            break;
        }
    }
    return true;
}

/* Where the text may go on, what the last term need not take does not matter. */
static void trim(struct builder *builder)
{
    while (builder->term_count > 0) {
        struct term *last = &builder->terms[builder->term_count - 1];
        last->max = last->min;
        if (last->min > 0) {
            break;
        }
        builder->term_count--;
    }
}

static bool is_row(struct builder *builder)
{
    bool fits = builder->anchored;
    for (size_t i = 0; i < builder->term_count && fits; i++) {
        fits = is_countable(&builder->terms[i]);
    }
    if (!builder->ended) {
        trim(builder);
    }
    for (size_t i = 0; i < builder->term_count && fits; i++) {
        fits = is_decided(builder, i);
    }
    return fits;
}

/* ---- from terms to steps ---- */

/* @return NULL when there are too many. */
static struct jsv_step *add_step(struct builder *builder, enum jsv_step_kind kind)
{
    if (builder->step_count == STEPS_MAX) {
        return NULL;
    }
    struct jsv_step *step = &builder->steps[builder->step_count++];
    *step = (struct jsv_step){.kind = (uint8_t)kind};
    return step;
}

/* The bit of a set. @return 0 when there are too many. */
static uint8_t find_set(struct builder *builder, const struct byte_set *set)
{
    size_t i = 0;
    while (i < builder->set_count && !sets_are_equal(&builder->sets[i], set)) {
        i++;
    }
    if (i == SETS_MAX) {
        return 0;
    }
    if (i == builder->set_count) {
        builder->sets[builder->set_count++] = *set;
    }
    return (uint8_t)(1u << i);
}

static bool add_run(struct builder *builder, const struct term *term)
{
    bool is_one = term->min == 1 && term->max == 1;
    struct jsv_step *step = add_step(builder, is_one ? JSV_STEP_ONE : JSV_STEP_RUN);
    uint8_t set = find_set(builder, &term->set);
    if (!step || !set) {
        return false;
    }
    step->set = set;
    step->min = (uint16_t)term->min;
    step->max = term->max == JSV_REGEX_UNBOUNDED ? JSV_STEP_UNBOUNDED : (uint16_t)term->max;
    return true;
}

static bool can_stretch(const struct term *term)
{
    return term->is_range && term->min == term->max && term->min <= STRETCH_MAX;
}

/* A further byte at the end of the stretch, in a further step if need be. */
static bool lengthen(struct builder *builder, struct jsv_step **stretch, const struct term *term)
{
    if (!*stretch || (*stretch)->size == JSV_STRETCH_SIZE) {
        *stretch = add_step(builder, JSV_STEP_STRETCH);
    }
    struct jsv_step *step = *stretch;
    if (!step) {
        return false;
    }
    unsigned shift = 8u * step->size++;
    step->low |= (uint64_t)term->low << shift;
    step->high |= (uint64_t)(term->high | 0x80u) << shift;
    step->checked |= (uint64_t)0x80 << shift;
    return true;
}

/* The terms from first on until one is no stretch. @return how many they are; 0 for too many. */
static size_t add_stretch(struct builder *builder, size_t first)
{
    struct jsv_step *step = NULL;
    size_t at = first;
    for (; at < builder->term_count && can_stretch(&builder->terms[at]); at++) {
        for (uint32_t i = 0; i < builder->terms[at].min; i++) {
            if (!lengthen(builder, &step, &builder->terms[at])) {
                return 0;
            }
        }
    }
    return at - first;
}

/* A single character between runs is quicker looked up in the table. */
static bool begins_stretch(const struct builder *builder, size_t at)
{
    const struct term *term = &builder->terms[at];
    bool goes_on = at + 1 < builder->term_count && can_stretch(term + 1);
    return can_stretch(term) && (term->min > 1 || goes_on);
}

static bool add_last_step(struct builder *builder)
{
    struct jsv_step *last =
        builder->step_count > 0 ? &builder->steps[builder->step_count - 1] : NULL;
    if (builder->ended && last && last->kind != JSV_STEP_STRETCH) {
        last->kind = JSV_STEP_REST;
        return true;
    }
    return add_step(builder, builder->ended ? JSV_STEP_END : JSV_STEP_MATCH);
}

static bool make_steps(struct builder *builder)
{
    size_t taken;
    for (size_t at = 0; at < builder->term_count; at += taken) {
        if (begins_stretch(builder, at)) {
            taken = add_stretch(builder, at);
        } else {
            taken = add_run(builder, &builder->terms[at]);
        }
        if (taken == 0) {
            return false;
        }
    }
    return add_last_step(builder);
}

static void fill_sets(const struct builder *builder, uint8_t sets[static 256])
{
    for (size_t i = 0; i < builder->set_count; i++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            sets[byte] |= (uint8_t)(set_contains(&builder->sets[i], byte) << i);
        }
    }
}

int jsv_row_build(
    const struct jsv_regex_syntax *syntax,
    const struct jsv_allocator *allocator,
    struct jsv_row **ret_row)
{
    struct builder builder;
    builder.term_count = builder.set_count = builder.step_count = 0;
    builder.walked = 0;
    builder.anchored = builder.ended = false;
    *ret_row = NULL;
    if (!add_group(&builder, syntax->root) || !is_row(&builder) || !make_steps(&builder)) {
        return 0;
    }
    size_t steps_size = builder.step_count * sizeof builder.steps[0];
    size_t size = sizeof(struct jsv_row) + steps_size;
    struct jsv_row *row = jsv_alloc(allocator, size);
    if (!row) {
        return -ENOMEM;
    }
    *row = (struct jsv_row){.size = size};
    memcpy(row->steps, builder.steps, steps_size);
    fill_sets(&builder, row->sets);
    *ret_row = row;
    return 0;
}
