/*
 * ECMA-262 and PCRE2 agree on what patterns without references match, however
 * differently they go about it, but for one thing: PCRE2 10.42 wants to know
 * how far to step back for a look-behind.
 *
 * References show what a group captured, and there the two part:
 *
 * - Each repetition of a group begins with the captures inside it forgotten in
 *   ECMA-262, kept in PCRE2: (?:(a)|b)*\1 on "ab". The difference can be seen
 *   when a repetition may pass by the referenced group.
 * - A repetition that matched the empty string did not happen in ECMA-262, did
 *   in PCRE2: (?:(?=(a)))?\1. It can be seen when such a repetition contains the
 *   referenced group; or when it decides what the group captures and there is
 *   no way back, that is, in a look-around.
 * - Look-behinds are matched from right to left in ECMA-262. That can be seen
 *   when a reference is inside one, or a repeated group.
 *
 * These are refused, which is more honest than a guess; people do not write them.
 */
#include "jsv/regex/support.h"

#include <errno.h>

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

/* Whether the captures of a group that is referenced are seen alike. Goes from the group outwards.
 */
static const char *
group_problem(const struct jsv_regex_syntax *syntax, const struct jsv_regex_node *group)
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
reference_problem(const struct jsv_regex_syntax *syntax, const struct jsv_regex_node *reference)
{
    if (is_inside_look_behind(reference)) {
        return "unsupported: reference in a look-behind";
    }
    const struct jsv_regex_node *group = reference->reference.group;
    return group ? group_problem(syntax, group) : NULL;
}

/* PCRE2 wants each branch of a look-behind to have one length. */
static const char *look_behind_problem(const struct jsv_regex_node *look)
{
    for (const struct jsv_regex_branch *branch = look->group.first; branch; branch = branch->next) {
        if (branch->width.min != branch->width.max) {
            return "unsupported: look-behind of variable length";
        }
        if (branch->width.max > JSV_REGEX_LOOK_BEHIND_MAX) {
            return "unsupported: look-behind of more than 255 characters";
        }
    }
    return NULL;
}

int jsv_regex_check_support(
    const struct jsv_regex_syntax *syntax, struct jsv_regex_fault *reterr_fault)
{
    const struct jsv_regex_node *node = syntax->references;
    const char *problem = NULL;
    for (; node && !problem; node = problem ? node : node->reference.next) {
        problem = reference_problem(syntax, node);
    }
    if (!problem) {
        for (node = syntax->look_behinds; node && !problem;
             node = problem ? node : node->group.next_behind) {
            problem = look_behind_problem(node);
        }
    }
    if (problem) {
        *reterr_fault = (struct jsv_regex_fault){node->offset, problem};
        return -EINVAL;
    }
    return 0;
}
