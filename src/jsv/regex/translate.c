/*
 * Writing a pattern in PCRE2's language, in constructs that mean the same
 * everywhere: sets as code points, ^ and $ as \A and \z, characters other than
 * letters and digits as numbers, groups by number. Only groups with a reference
 * capture. \b and counts mean the same in PCRE2.
 *
 * Checkpoints (match.c) are inserted so that from one to the next PCRE2 has no
 * choice and little to do:
 *
 * - at the start, and at the start of each branch if there are several or the
 *   group is repeated;
 * - after everything that is repeated or has branches, and after look-arounds;
 * - after a number of terms and parentheses;
 * - before terms that read many characters and may fail at the last of them.
 */
#include "jsv/regex/translate.h"

#include <errno.h>

#include "jsv/base/ascii.h"
#include "jsv/regex/match.h"

/* PCRE2 counts to 65,535. A set can be repeated more often in several pieces. */
#define COUNT_MAX  65535u
#define PIECES_MAX 16u
/* Terms from one checkpoint to the next. */
#define STRETCH_MAX 8
/* \b reads the characters on both sides, which takes as long as this many terms. */
#define BOUNDARY_TERMS 4
/* A term that reads this many characters gets a checkpoint before it. */
#define LONG_LOOK 64u
/* This many ranges cost as much as a bitmap; a property costs as much as this many ranges. */
#define ITEMS_PER_WEIGHT 8
#define PROPERTY_ITEMS   2
/* Ranges in a class, because there are no checkpoints within [...]*. */
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

/* A checkpoint before a term that reads many characters before it can fail. */
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
 * The cost of looking up a character. PCRE2 has a bitmap for classes below
 * U+0100 and reads other classes from one end to the other.
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

/* Write a set as a negated class. PCRE2 has no class for the empty set. */
static void write_outside(struct translator *translator, const struct jsv_charset *set)
{
    struct jsv_charset inverse;
    int error = jsv_charset_complement(translator->arena, set, &inverse);
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
        /* The negated class is shorter. */
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
        fail(translator, node->offset, "a repetition count is beyond PCRE2's limit");
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

/* Counts of a group or reference. Matching nothing once is the same as many times. */
static void write_group_counts(struct translator *translator, const struct jsv_regex_node *node)
{
    bool bounded = node->max != JSV_REGEX_UNBOUNDED;
    if (node->width.max == 0) {
        return;
    }
    if (node->min > COUNT_MAX || (bounded && node->max > COUNT_MAX)) {
        fail(translator, node->offset, "a repetition count is beyond PCRE2's limit");
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
    /* With parentheses the checkpoint is part of every repetition. */
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

/* Whether a term can be left out: it never matches a character, or may be skipped. */
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

/* Whether a term can match in several ways, or ends at another position than PCRE2 is at. */
static bool needs_checkpoint(const struct jsv_regex_node *term)
{
    bool branched = term->kind == JSV_REGEX_GROUP && term->group.first->next;
    return jsv_regex_is_repeated(term) || term->kind == JSV_REGEX_LOOK || branched;
}

/* PCRE2 leaves x{2,9} through a closing parenthesis for each possible further repetition. */
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
        if (needs_checkpoint(term)) {
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

/* ---- what PCRE2 would match differently ---- */

/*
 * Without references ECMA-262 and PCRE2 match the same texts, except that PCRE2
 * 10.42 needs to know how far to step back for a look-behind.
 *
 * A reference shows what a group captured, and there the two differ:
 *
 * - Each repetition of a group forgets the captures inside it in ECMA-262, but
 *   not in PCRE2: (?:(a)|b)*\1 on "ab". That matters if a repetition can skip
 *   the referenced group.
 * - A repetition that matches the empty string is undone in ECMA-262, but not in
 *   PCRE2: (?:(?=(a)))?\1. That matters if such a repetition contains the
 *   referenced group, or decides what the group captures in a look-around, which
 *   is never tried again.
 * - ECMA-262 matches look-behinds from right to left. That matters if a
 *   reference, or a repeated group, is inside one.
 *
 * Such patterns are rejected, because the answer could be wrong.
 */

/* Longest look-behind, in characters: PCRE2 steps back that far at every position. */
#define LOOK_BEHIND_MAX 255

static bool is_inside_look_behind(const struct jsv_regex_node *node)
{
    for (node = node->parent; node; node = node->parent) {
        if (node->kind == JSV_REGEX_LOOK && node->group.behind) {
            return true;
        }
    }
    return false;
}

static bool may_repeat_nothing(const struct jsv_regex_node *node)
{
    return node->width.min == 0 && node->min != node->max;
}

/* Check a referenced group, from the group outwards. @return NULL if it is supported. */
static const char *
check_group(const struct jsv_regex_syntax *syntax, const struct jsv_regex_node *group)
{
    bool skippable = false;
    bool repeated = false;
    for (const struct jsv_regex_node *node = group; node->parent; node = node->parent) {
        const struct jsv_regex_node *parent = node->parent;
        if (skippable && node->max > 1) {
            return "unsupported: reference to a group that a repetition can skip";
        }
        if (may_repeat_nothing(node)) {
            return "unsupported: reference to a group in a repetition of the empty string";
        }
        repeated = repeated || node->max > 1;
        skippable = skippable || node->min == 0 || parent->group.first->next;
        if (parent->kind == JSV_REGEX_LOOK && parent->group.behind && repeated) {
            return "unsupported: reference to a repeated group in a look-behind";
        }
        if (parent->kind == JSV_REGEX_LOOK && syntax->empty_loop) {
            return "unsupported: reference to a group in a look-around together with a "
                   "repetition of the empty string";
        }
    }
    return NULL;
}

static const char *
check_reference(const struct jsv_regex_syntax *syntax, const struct jsv_regex_node *reference)
{
    if (is_inside_look_behind(reference)) {
        return "unsupported: reference in a look-behind";
    }
    const struct jsv_regex_node *group = reference->reference.group;
    return group ? check_group(syntax, group) : NULL;
}

/* PCRE2 needs a fixed length for each branch of a look-behind. */
static const char *check_look_behind(const struct jsv_regex_node *look)
{
    for (const struct jsv_regex_branch *branch = look->group.first; branch; branch = branch->next) {
        if (branch->width.min != branch->width.max) {
            return "unsupported: look-behind of variable length";
        }
        if (branch->width.max > LOOK_BEHIND_MAX) {
            return "unsupported: look-behind of more than 255 characters";
        }
    }
    return NULL;
}

/* @return 0; -EINVAL with the fault set. */
static int
check_support(const struct jsv_regex_syntax *syntax, struct jsv_regex_fault *reterr_fault)
{
    const struct jsv_regex_node *node = syntax->references;
    const char *message = NULL;
    for (; node; node = node->reference.next) {
        message = check_reference(syntax, node);
        if (message) {
            break;
        }
    }
    for (node = message ? node : syntax->look_behinds; node && !message;
         node = message ? node : node->group.next_behind) {
        message = check_look_behind(node);
    }
    if (message) {
        *reterr_fault = (struct jsv_regex_fault){node->offset, message};
        return -EINVAL;
    }
    return 0;
}

int jsv_regex_translate(
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    struct jsv_buf *out,
    uint32_t *ret_weight,
    struct jsv_regex_fault *reterr_fault)
{
    struct translator translator = {.arena = arena, .out = out, .weight = 1};
    int error = check_support(syntax, reterr_fault);
    if (error) {
        return error;
    }
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
