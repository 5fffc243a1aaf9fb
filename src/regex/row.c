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
 * Terms become steps:
 *
 * - one byte of a set, or a run of them, by a table: of each byte, the sets it
 *   is in;
 * - a stretch of fixed length, such as ast_ or [0-9]{4}-[0-9]{2}, where each
 *   byte must be in a range of its own: eight of them are compared at once.
 */
#include "regex/row.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/word.h"

/* What a row may have. Patterns with more are rare, and a table matches them as well. */
#define TERMS_MAX 64
#define STEPS_MAX 96
#define SETS_MAX  8 /* a bit each in a byte */
/* Terms looked at, those of a repeated group again each time: bounds the work. */
#define WALK_MAX 256
/* Counts have 16 bits; larger ones are left to PCRE2, which knows when to refuse them. */
#define COUNT_UNBOUNDED UINT16_MAX
/* A range repeated more often than this is no stretch but a run, and takes less memory. */
#define STRETCH_MAX 64
/* Bytes compared at once, and the highest bit of each. */
#define WORD_SIZE 8
#define HIGH_BITS 0x8080808080808080u

enum step_kind {
    STEP_RUN,     /* as many bytes of a set as there are, within bounds */
    STEP_ONE,     /* one byte of a set */
    STEP_STRETCH, /* some bytes, each in a range */
    /* No step follows those. */
    STEP_REST,  /* a run to the end of the text */
    STEP_END,   /* the end of the text */
    STEP_MATCH, /* whatever the text goes on with */
};

struct step {
    uint8_t kind;
    uint8_t set;  /* its bit */
    uint8_t size; /* of a stretch */
    /* A run: how often. */
    uint16_t min;
    uint16_t max;
    /* A stretch: the bounds of each byte, of the first in the lowest one. */
    uint64_t low;
    uint64_t high;    /* with the highest bit of each byte set */
    uint64_t checked; /* the highest bit of each byte that the stretch has */
};

struct jsv_row {
    size_t size;       /* of the whole block */
    uint8_t sets[256]; /* of each byte: the sets it is in, a bit each */
    struct step steps[];
};

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
    struct step steps[STEPS_MAX];
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
    return term->min < COUNT_UNBOUNDED && (endless || term->max < COUNT_UNBOUNDED) &&
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
static struct step *add_step(struct builder *builder, enum step_kind kind)
{
    if (builder->step_count == STEPS_MAX) {
        return NULL;
    }
    struct step *step = &builder->steps[builder->step_count++];
    *step = (struct step){.kind = (uint8_t)kind};
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
    struct step *step = add_step(builder, is_one ? STEP_ONE : STEP_RUN);
    uint8_t set = find_set(builder, &term->set);
    if (!step || !set) {
        return false;
    }
    step->set = set;
    step->min = (uint16_t)term->min;
    step->max = term->max == JSV_REGEX_UNBOUNDED ? COUNT_UNBOUNDED : (uint16_t)term->max;
    return true;
}

static bool can_stretch(const struct term *term)
{
    return term->is_range && term->min == term->max && term->min <= STRETCH_MAX;
}

/* A further byte at the end of the stretch, in a further step if need be. */
static bool lengthen(struct builder *builder, struct step **stretch, const struct term *term)
{
    if (!*stretch || (*stretch)->size == WORD_SIZE) {
        *stretch = add_step(builder, STEP_STRETCH);
    }
    struct step *step = *stretch;
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
    struct step *step = NULL;
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
    struct step *last = builder->step_count > 0 ? &builder->steps[builder->step_count - 1] : NULL;
    if (builder->ended && last && last->kind != STEP_STRETCH) {
        last->kind = STEP_REST;
        return true;
    }
    return add_step(builder, builder->ended ? STEP_END : STEP_MATCH);
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

void jsv_row_free(struct jsv_row *row, const struct jsv_allocator *allocator)
{
    if (row) {
        jsv_dealloc(allocator, row, row->size);
    }
}

/* ---- searching ---- */

/* Four bytes, the first of them lowest. */
static inline uint64_t load_four(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return le32toh(word);
}

/* The next eight bytes, the first of them lowest, with zeros for what is not left; some is. */
static inline uint64_t load_word(const char *at, size_t left)
{
    if (left >= WORD_SIZE) {
        return le64toh(jsv_load_word(at));
    }
    if (left >= 4) {
        return load_four(at) | load_four(at + left - 4) << 8 * (left - 4);
    }
    const unsigned char *bytes = (const unsigned char *)at;
    size_t middle = left / 2;
    size_t last = left - 1;
    return bytes[0] | (uint64_t)bytes[middle] << 8 * middle | (uint64_t)bytes[last] << 8 * last;
}

/*
 * A byte less another one keeps its highest bit, which is set before, unless the
 * rest of it was smaller. So the bits that are left say which bytes are within
 * bounds. A byte beyond ASCII is not, and fails; it may also spoil what is found
 * about the bytes behind it, which matters no more then.
 */
static inline bool take_stretch(const struct step *step, const char **at, const char *end)
{
    size_t left = (size_t)(end - *at);
    if (left < step->size) {
        return false;
    }
    uint64_t text = load_word(*at, left);
    uint64_t not_below = (text | HIGH_BITS) - step->low;
    uint64_t not_above = step->high - text;
    *at += step->size;
    return (step->checked & ~(not_below & not_above & ~text)) == 0;
}

static inline bool
take_one(const struct step *step, const uint8_t sets[static 256], const char **at, const char *end)
{
    return *at < end && sets[(unsigned char)*(*at)++] & step->set;
}

static inline bool
take_run(const struct step *step, const uint8_t sets[static 256], const char **at, const char *end)
{
    const char *start = *at;
    if (step->max != COUNT_UNBOUNDED && step->max < end - start) {
        end = start + step->max;
    }
    const char *stop = start;
    while (stop < end && sets[(unsigned char)*stop] & step->set) {
        stop++;
    }
    *at = stop;
    return stop - start >= step->min;
}

static inline bool
take_rest(const struct step *step, const uint8_t sets[static 256], const char *at, const char *end)
{
    size_t left = (size_t)(end - at);
    if (left < step->min || (left > step->max && step->max != COUNT_UNBOUNDED)) {
        return false;
    }
    while (at < end && sets[(unsigned char)*at] & step->set) {
        at++;
    }
    return at == end;
}

static inline bool
take(const struct step *step, const uint8_t sets[static 256], const char **at, const char *end)
{
    if (step->kind == STEP_STRETCH) {
        return take_stretch(step, at, end);
    }
    return step->kind == STEP_ONE ? take_one(step, sets, at, end) : take_run(step, sets, at, end);
}

bool jsv_row_search(const struct jsv_row *row, struct jsv_str subject)
{
    const char *at = subject.data;
    const char *end = at + subject.size;
    const struct step *step = row->steps;
    for (; step->kind < STEP_REST; step++) {
        if (!take(step, row->sets, &at, end)) {
            return false;
        }
    }
    if (step->kind == STEP_REST) {
        return take_rest(step, row->sets, at, end);
    }
    return at == end || step->kind == STEP_MATCH;
}
