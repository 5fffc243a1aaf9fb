/*
 * Nothing is left to what PCRE2 takes a construct to mean. Sets are written out
 * in code points, ^ and $ as \A and \z, characters that are not letters or
 * digits as numbers, groups by number, and only those capture that something
 * refers to. \b stays, for it means the same; so do the counts.
 *
 * Between all this stand the checkpoints that match.c explains, so that from
 * one to the next PCRE2 has no choice and not far to go:
 *
 * - at the start, and at the start of each branch where there are several or
 *   where the group is repeated;
 * - behind whatever is repeated or has several branches, and behind look-arounds;
 * - after so many terms and parentheses in a row;
 * - before what looks at many characters and may fail at the last of them.
 */
#include "jsv/regex/translate.h"

#include <errno.h>

#include "jsv/base/hex.h"
#include "jsv/regex/match.h"

/* PCRE2 counts to 65535. Sets can be repeated more often in pieces; this many of those will do. */
#define COUNT_MAX  65535u
#define PIECES_MAX 16u
/* Terms without choice from one checkpoint to the next. */
#define STRETCH_MAX 8
/* \b looks at the characters on both sides and takes as long as so many terms. */
#define BOUNDARY_TERMS 4
/* Looks at as many characters as this are paid for in advance. */
#define LONG_LOOK 64u
/* So many ranges take as long as a bitmap; a property takes as long as so many ranges. */
#define ITEMS_PER_WEIGHT 8
#define PROPERTY_ITEMS   2
/* Ranges in a class. There is no checkpoint while something like [...]* looks at a subject. */
#define ITEMS_MAX 256

struct translator {
    struct jsv_arena *arena;
    struct jsv_buf *out;
    size_t offset; /* of the set being written */
    unsigned groups;
    unsigned stretch; /* terms since the last checkpoint */
    uint32_t weight;
    struct jsv_regex_fault fault;
    int error;
};

static void write_text(struct translator *translator, const char *text)
{
    jsv_buf_append_str(translator->out, jsv_str_from(text));
}

static void write_number(struct translator *translator, uint32_t number, unsigned base)
{
    char digits[10];
    size_t first = sizeof digits;
    do {
        digits[--first] = jsv_hex_digit(number % base);
        number /= base;
    } while (number > 0);
    jsv_buf_append(translator->out, digits + first, sizeof digits - first);
}

static void fail(struct translator *translator, size_t offset, const char *message)
{
    translator->error = -E2BIG;
    translator->fault = (struct jsv_regex_fault){offset, message};
}

static void write_checkpoint(struct translator *translator, unsigned number)
{
    write_text(translator, "(?C");
    write_number(translator, number, 10);
    write_text(translator, ")");
    translator->stretch = 0;
}

/* Pay in advance for what looks at many characters before it can fail. */
static void write_advance(struct translator *translator, uint32_t characters)
{
    if (characters >= LONG_LOOK) {
        write_checkpoint(translator, 32 - (unsigned)__builtin_clz(characters));
    }
}

/* ---- sets ---- */

static void write_character(struct translator *translator, uint32_t character)
{
    bool plain = (character >= '0' && character <= '9') || (character >= 'A' && character <= 'Z') ||
                 (character >= 'a' && character <= 'z');
    if (plain) {
        jsv_buf_append_byte(translator->out, (char)character);
    } else {
        write_text(translator, "\\x{");
        write_number(translator, character, 16);
        write_text(translator, "}");
    }
}

static void write_property(struct translator *translator, const struct jsv_charset_property *used)
{
    write_text(translator, used->negated ? "\\P{" : "\\p{");
    write_text(translator, used->property.prefix);
    write_text(translator, used->property.name);
    write_text(translator, "}");
}

static size_t class_items(const struct jsv_charset *set)
{
    size_t items = set->count;
    for (const struct jsv_charset_property *used = set->properties; used; used = used->next) {
        items += PROPERTY_ITEMS;
    }
    return items;
}

/*
 * How long PCRE2 takes to look up a character. Where all are below U+0100 there
 * is a bitmap; otherwise it goes through the class from one end to the other.
 */
static uint32_t class_weight(const struct jsv_charset *set, size_t items)
{
    bool narrow = !set->properties && set->ranges[set->count - 1].last < 0x100;
    return narrow ? 1 : 2 + (uint32_t)(items / ITEMS_PER_WEIGHT);
}

static void write_class(struct translator *translator, const struct jsv_charset *set, bool negated)
{
    size_t items = class_items(set);
    if (items > ITEMS_MAX) {
        fail(translator, translator->offset, "a class has more than 256 ranges and properties");
        return;
    }
    uint32_t weight = class_weight(set, items);
    translator->weight = weight > translator->weight ? weight : translator->weight;
    write_text(translator, negated ? "[^" : "[");
    for (size_t i = 0; i < set->count; i++) {
        write_character(translator, set->ranges[i].first);
        if (set->ranges[i].first != set->ranges[i].last) {
            write_text(translator, "-");
            write_character(translator, set->ranges[i].last);
        }
    }
    for (const struct jsv_charset_property *used = set->properties; used; used = used->next) {
        write_property(translator, used);
    }
    write_text(translator, "]");
}

/* What is not in a set, as a class. PCRE2 has none for the empty set, whose opposite is not empty.
 */
static void write_outside(struct translator *translator, const struct jsv_charset *set)
{
    struct jsv_charset_builder builder = jsv_charset_builder_on(translator->arena);
    struct jsv_charset inverse;
    int error = jsv_charset_add_outside(&builder, set);
    error = error ? error : jsv_charset_build(&builder, false, &inverse);
    if (error) {
        translator->error = error;
    } else {
        write_class(translator, &inverse, true);
    }
}

static void write_set(struct translator *translator, const struct jsv_charset *set)
{
    const struct jsv_range *ranges = set->ranges;
    if (set->properties) {
        write_class(translator, set, set->negated);
    } else if (set->count == 0) {
        write_outside(translator, set);
    } else if (set->count > 1 && ranges[set->count - 1].last == JSV_CODE_POINT_MAX) {
        /* "All but" is shorter the other way round. */
        write_outside(translator, set);
    } else if (set->count > 1) {
        write_class(translator, set, false);
    } else if (ranges[0].first == ranges[0].last) {
        write_character(translator, ranges[0].first);
    } else if (ranges[0].first == 0 && ranges[0].last == JSV_CODE_POINT_MAX) {
        write_text(translator, ".");
    } else {
        write_class(translator, set, false);
    }
}

/* ---- terms ---- */

static void write_counts(struct translator *translator, uint32_t min, uint32_t max, bool lazy)
{
    if (min == 1 && max == 1) {
        return;
    }
    write_text(translator, "{");
    write_number(translator, min, 10);
    write_text(translator, ",");
    if (max != JSV_REGEX_UNBOUNDED) {
        write_number(translator, max, 10);
    }
    write_text(translator, lazy ? "}?" : "}");
}

static uint32_t at_most(uint32_t number, uint32_t max)
{
    return number < max ? number : max;
}

/* x{70000,80000} is x{65535,65535}x{4465,14465}. */
static void write_set_term(struct translator *translator, const struct jsv_regex_node *node)
{
    uint32_t min = node->min;
    uint32_t max = node->max;
    bool bounded = max != JSV_REGEX_UNBOUNDED;
    translator->offset = node->offset;
    if ((bounded ? max : min) > PIECES_MAX * COUNT_MAX) {
        fail(translator, node->offset, "something is repeated more often than PCRE2 can count");
        return;
    }
    write_advance(translator, min);
    while (min > COUNT_MAX || (bounded && max > COUNT_MAX)) {
        uint32_t piece_min = at_most(min, COUNT_MAX);
        uint32_t piece_max = bounded ? COUNT_MAX : piece_min;
        write_set(translator, &node->set);
        write_counts(translator, piece_min, piece_max, node->lazy);
        min -= piece_min;
        max -= bounded ? piece_max : 0;
    }
    write_set(translator, &node->set);
    write_counts(translator, min, max, node->lazy);
}

/* The counts of something that is no set. To match nothing once is as good as often. */
static void write_group_counts(struct translator *translator, const struct jsv_regex_node *node)
{
    bool bounded = node->max != JSV_REGEX_UNBOUNDED;
    if (node->width.max == 0) {
        return;
    }
    if (node->min > COUNT_MAX || (bounded && node->max > COUNT_MAX)) {
        fail(translator, node->offset, "something is repeated more often than PCRE2 can count");
        return;
    }
    write_counts(translator, node->min, node->max, node->lazy);
}

static void write_reference(struct translator *translator, const struct jsv_regex_node *node)
{
    const struct jsv_regex_node *group = node->reference.group;
    if (!group || group->group.number == 0) {
        return;
    }
    /* The parentheses put the checkpoint into every repetition. */
    write_text(translator, "(?:");
    write_checkpoint(translator, JSV_CHECKPOINT_REFERENCE);
    write_text(translator, "\\g{");
    write_number(translator, group->group.number, 10);
    write_text(translator, "})");
    write_group_counts(translator, node);
}

static void write_branches(struct translator *translator, const struct jsv_regex_node *node);

static void write_group(struct translator *translator, struct jsv_regex_node *node)
{
    if (node->group.referenced) {
        node->group.number = ++translator->groups;
    }
    write_text(translator, node->group.referenced ? "(" : "(?:");
    write_branches(translator, node);
    write_text(translator, ")");
    write_group_counts(translator, node);
}

static void write_look(struct translator *translator, const struct jsv_regex_node *node)
{
    const struct jsv_regex_group *group = &node->group;
    for (const struct jsv_regex_branch *branch = group->first; branch && group->behind;
         branch = branch->next) {
        write_advance(translator, branch->width.max);
    }
    write_text(translator, group->behind ? "(?<" : "(?");
    write_text(translator, group->negative ? "!" : "=");
    write_branches(translator, node);
    write_text(translator, ")");
    write_group_counts(translator, node);
}

/* Whether a term can be left out: repeated never, or nothing that may as well not be there. */
static bool is_void(const struct jsv_regex_node *node)
{
    return node->max == 0 || (node->min == 0 && node->width.max == 0);
}

static void write_atom(struct translator *translator, struct jsv_regex_node *node)
{
    switch (node->kind) {
    case JSV_REGEX_SET:
        write_set_term(translator, node);
        break;
    case JSV_REGEX_GROUP:
        write_group(translator, node);
        break;
    case JSV_REGEX_LOOK:
        write_look(translator, node);
        break;
    case JSV_REGEX_REFERENCE:
        write_reference(translator, node);
        break;
    case JSV_REGEX_START:
        write_text(translator, "\\A");
        break;
    case JSV_REGEX_END:
        write_text(translator, "\\z");
        break;
    case JSV_REGEX_BOUNDARY:
        write_text(translator, "\\b");
        break;
    case JSV_REGEX_NOT_BOUNDARY:
    default:
        write_text(translator, "\\B");
        break;
    }
}

/* Whether there were several ways to match a term, or it ended elsewhere than it went. */
static bool was_choice(const struct jsv_regex_node *term)
{
    bool branched = term->kind == JSV_REGEX_GROUP && term->group.first->next;
    return jsv_regex_is_repeated(term) || term->kind == JSV_REGEX_LOOK || branched;
}

/* The way out of the last of x{2,9} goes through as many closing parentheses as there can be more.
 */
static unsigned exit_cost(const struct jsv_regex_node *term)
{
    bool nested = term->kind != JSV_REGEX_SET && term->max != JSV_REGEX_UNBOUNDED;
    uint32_t more = nested ? term->max - term->min : 0;
    return more > 0 ? 32 - (unsigned)__builtin_clz(more) : 0;
}

static void write_terms(struct translator *translator, struct jsv_regex_node *term)
{
    for (; term && !translator->error; term = term->next) {
        if (is_void(term)) {
            continue;
        }
        write_atom(translator, term);
        bool boundary = term->kind == JSV_REGEX_BOUNDARY || term->kind == JSV_REGEX_NOT_BOUNDARY;
        translator->stretch += boundary ? BOUNDARY_TERMS : 1;
        if (was_choice(term)) {
            write_checkpoint(translator, exit_cost(term));
        } else if (translator->stretch > STRETCH_MAX) {
            write_checkpoint(translator, 0);
        }
    }
}

static void write_branches(struct translator *translator, const struct jsv_regex_node *node)
{
    const struct jsv_regex_group *group = &node->group;
    bool choice = group->first->next || jsv_regex_is_repeated(node) || !node->parent;
    for (const struct jsv_regex_branch *branch = group->first; branch; branch = branch->next) {
        if (branch != group->first) {
            write_text(translator, "|");
        }
        if (choice || ++translator->stretch > STRETCH_MAX) {
            write_checkpoint(translator, 0);
        }
        write_terms(translator, branch->first);
    }
}

int jsv_regex_translate(
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    struct jsv_buf *out,
    uint32_t *ret_weight,
    struct jsv_regex_fault *reterr_fault)
{
    struct translator translator = {.arena = arena, .out = out, .weight = 1};
    write_branches(&translator, syntax->root);
    if (out->error == -ENOBUFS) {
        fail(&translator, 0, JSV_REGEX_TOO_LARGE);
    } else if (out->error) {
        translator.error = out->error;
    }
    if (translator.error == -E2BIG) {
        *reterr_fault = translator.fault;
    } else if (!translator.error) {
        *ret_weight = translator.weight;
    }
    return translator.error;
}
