/*
 * What stands in parentheses, and references to it.
 *
 * A group is a term with alternatives inside. Those that capture have a number,
 * by the order of their opening parentheses, and perhaps a name. A reference
 * may come before its group, so all are resolved when the pattern is read.
 */
#include <assert.h>
#include <errno.h>

#include "jsv/regex/parser.h"

/* Whether the parenthesis at the start captures: ( and (?<name> do, (?: and (?<= do not. */
static bool captures(const char *text, size_t size)
{
    if (size < 2 || text[1] != '?') {
        return true;
    }
    if (size < 3 || text[2] != '<') {
        return false;
    }
    return size < 4 || (text[3] != '=' && text[3] != '!');
}

unsigned jsv_regex_count_groups(struct jsv_str text)
{
    unsigned count = 0;
    bool in_class = false;
    for (size_t i = 0; i < text.size; i++) {
        const char *at = text.data + i;
        if (*at == '\\') {
            i++;
        } else if (in_class) {
            in_class = *at != ']';
        } else if (*at == '[') {
            in_class = true;
        } else if (*at == '(') {
            count += captures(at, text.size - i);
        }
    }
    return count;
}

/* ---- opening and closing ---- */

static int read_group_name(struct jsv_regex_parser *parser, struct jsv_regex_group *group)
{
    size_t start = parser->offset;
    int error = jsv_regex_read_name(parser, &group->name);
    for (unsigned i = 1; i < group->index && !error; i++) {
        if (jsv_str_equal(group->name, parser->groups[i]->group.name)) {
            error = jsv_regex_fail(parser, -EINVAL, start, "two groups have the same name");
        }
    }
    return error;
}

static int begin_capture(struct jsv_regex_parser *parser, struct jsv_regex_node *node, bool named)
{
    assert(parser->groups_open < parser->groups_total);
    node->group.index = ++parser->groups_open;
    parser->groups[node->group.index] = node;
    return named ? read_group_name(parser, &node->group) : 0;
}

static int
begin_look(struct jsv_regex_parser *parser, struct jsv_regex_node *node, bool behind, bool negative)
{
    node->kind = JSV_REGEX_LOOK;
    node->group.behind = behind;
    node->group.negative = negative;
    if (behind) {
        node->group.next_behind = parser->syntax.look_behinds;
        parser->syntax.look_behinds = node;
    }
    parser->syntax.regular = false;
    return 0;
}

/* What follows an opening parenthesis says what kind of group it is. */
static int read_group_kind(struct jsv_regex_parser *parser, struct jsv_regex_node *node)
{
    if (!jsv_regex_accept(parser, '?')) {
        return begin_capture(parser, node, false);
    }
    if (jsv_regex_accept(parser, ':')) {
        return 0;
    }
    bool behind = jsv_regex_accept(parser, '<');
    if (jsv_regex_accept(parser, '=')) {
        return begin_look(parser, node, behind, false);
    }
    if (jsv_regex_accept(parser, '!')) {
        return begin_look(parser, node, behind, true);
    }
    if (behind) {
        return begin_capture(parser, node, true);
    }
    return jsv_regex_fail(parser, -EINVAL, node->offset, "ECMA-262 has no such kind of group");
}

int jsv_regex_open_group(struct jsv_regex_parser *parser)
{
    struct jsv_regex_node *node;
    int error = jsv_regex_add_node(parser, JSV_REGEX_GROUP, parser->offset, &node);
    if (error) {
        return error;
    }
    node->group.depth = parser->group->group.depth + 1;
    if (node->group.depth > JSV_REGEX_DEPTH_MAX) {
        return jsv_regex_fail(
            parser, -E2BIG, node->offset, "parentheses are nested more than 250 deep");
    }
    parser->offset++;
    error = read_group_kind(parser, node);
    error = error ? error : jsv_regex_add_branch(parser, &node->group);
    parser->group = node;
    return error;
}

/* Look-aheads may be repeated in legacy grammar, look-behinds nowhere. */
static bool
is_quantifiable(const struct jsv_regex_parser *parser, const struct jsv_regex_node *node)
{
    return node->kind == JSV_REGEX_GROUP || (!parser->strict && !node->group.behind);
}

struct jsv_regex_width jsv_regex_group_width(const struct jsv_regex_group *group)
{
    struct jsv_regex_width width = group->first->width;
    for (const struct jsv_regex_branch *branch = group->first->next; branch;
         branch = branch->next) {
        width.min = branch->width.min < width.min ? branch->width.min : width.min;
        width.max = branch->width.max > width.max ? branch->width.max : width.max;
    }
    return width;
}

int jsv_regex_close_group(struct jsv_regex_parser *parser)
{
    struct jsv_regex_node *node = parser->group;
    if (!node->parent) {
        return jsv_regex_fail(
            parser, -EINVAL, parser->offset, "a closing parenthesis has no opening one");
    }
    node->group.end = parser->offset++;
    if (node->kind == JSV_REGEX_GROUP) {
        node->width = jsv_regex_group_width(&node->group);
    }
    parser->group = node->parent;
    return jsv_regex_finish_term(parser, node, is_quantifiable(parser, node));
}

/* ---- references ---- */

/* The group a reference means; NULL when there is none of that name. */
static struct jsv_regex_node *
find_group(const struct jsv_regex_parser *parser, const struct jsv_regex_reference *reference)
{
    if (reference->index > 0) {
        return parser->groups[reference->index];
    }
    for (unsigned i = 1; i <= parser->groups_open; i++) {
        if (jsv_str_equal(parser->groups[i]->group.name, reference->name)) {
            return parser->groups[i];
        }
    }
    return NULL;
}

/*
 * A reference inside its own group, or before it, has nothing to see: a group
 * captures when it ends, and every repetition begins with the captures inside
 * it forgotten. (In look-behinds, which are matched backwards, that is not so;
 * references there are refused by support.c.)
 */
int jsv_regex_resolve_references(struct jsv_regex_parser *parser)
{
    for (struct jsv_regex_node *node = parser->syntax.references; node;
         node = node->reference.next) {
        struct jsv_regex_node *group = find_group(parser, &node->reference);
        if (!group) {
            return jsv_regex_fail(parser, -EINVAL, node->offset, "no group has this name");
        }
        if (node->offset > group->group.end) {
            group->group.referenced = true;
            node->reference.group = group;
        }
    }
    return 0;
}
