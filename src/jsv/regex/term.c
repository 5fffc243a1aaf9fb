/*
 * Terms in the tree: a new one goes to the end of the open alternative, and
 * when it has been read, a quantifier may follow.
 *
 * Every term knows its width, the least and the most characters it can match.
 * What is too large to count is as good as endless.
 */
#include <errno.h>

#include "jsv/regex/parser.h"

/* ---- the tree ---- */

int jsv_regex_add_branch(struct jsv_regex_parser *parser, struct jsv_regex_group *group)
{
    struct jsv_regex_branch *branch = jsv_arena_alloc(parser->arena, sizeof *branch);
    if (!branch) {
        return -ENOMEM;
    }
    *branch = (struct jsv_regex_branch){0};
    if (group->last) {
        group->last->next = branch;
    } else {
        group->first = branch;
    }
    group->last = branch;
    return 0;
}

int jsv_regex_add_node(
    struct jsv_regex_parser *parser,
    enum jsv_regex_kind kind,
    size_t offset,
    struct jsv_regex_node **ret_node)
{
    struct jsv_regex_node *node = jsv_arena_alloc(parser->arena, sizeof *node);
    if (!node) {
        return -ENOMEM;
    }
    *node = (struct jsv_regex_node){
        .kind = kind,
        .min = 1,
        .max = 1,
        .offset = offset,
        .parent = parser->group,
    };
    if (parser->group) {
        struct jsv_regex_branch *branch = parser->group->group.last;
        node->previous = branch->last;
        if (branch->last) {
            branch->last->next = node;
        } else {
            branch->first = node;
        }
        branch->last = node;
    }
    *ret_node = node;
    return 0;
}

/* ---- quantifiers ---- */

static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product;
    return __builtin_mul_overflow(a, b, &product) ? JSV_REGEX_UNBOUNDED : product;
}

/* Read a number; one too large for us is as good as any that large. */
static bool read_count(struct jsv_regex_parser *parser, uint32_t *ret_count)
{
    size_t start = parser->offset;
    uint32_t count = 0;
    char digit = jsv_regex_peek(parser, 0);
    while (digit >= '0' && digit <= '9') {
        count = jsv_regex_add_counts(multiply(count, 10), (uint32_t)(digit - '0'));
        parser->offset++;
        digit = jsv_regex_peek(parser, 0);
    }
    *ret_count = count == JSV_REGEX_UNBOUNDED ? JSV_REGEX_UNBOUNDED - 1 : count;
    return parser->offset > start;
}

bool jsv_regex_read_braces(struct jsv_regex_parser *parser, uint32_t *ret_min, uint32_t *ret_max)
{
    size_t start = parser->offset;
    uint32_t min;
    uint32_t max;
    if (jsv_regex_accept(parser, '{') && read_count(parser, &min)) {
        max = min;
        if (jsv_regex_accept(parser, ',') && !read_count(parser, &max)) {
            max = JSV_REGEX_UNBOUNDED;
        }
        if (jsv_regex_accept(parser, '}')) {
            *ret_min = min;
            *ret_max = max;
            return true;
        }
    }
    parser->offset = start;
    return false;
}

/* Read a quantifier into the node if there is one. */
static int read_quantifier(struct jsv_regex_parser *parser, struct jsv_regex_node *node)
{
    size_t start = parser->offset;
    if (jsv_regex_accept(parser, '*')) {
        node->min = 0;
        node->max = JSV_REGEX_UNBOUNDED;
    } else if (jsv_regex_accept(parser, '+')) {
        node->max = JSV_REGEX_UNBOUNDED;
    } else if (jsv_regex_accept(parser, '?')) {
        node->min = 0;
    } else if (!jsv_regex_read_braces(parser, &node->min, &node->max)) {
        return 0;
    }
    if (node->min > node->max) {
        return jsv_regex_fail(
            parser, -EINVAL, start, "the numbers of the quantifier are out of order");
    }
    node->lazy = jsv_regex_accept(parser, '?');
    if (node->width.min == 0 && node->min != node->max) {
        parser->syntax.empty_loop = true;
    }
    return 0;
}

int jsv_regex_finish_term(
    struct jsv_regex_parser *parser, struct jsv_regex_node *node, bool quantifiable)
{
    int error = quantifiable ? read_quantifier(parser, node) : 0;
    struct jsv_regex_width *width = &parser->group->group.last->width;
    width->min = jsv_regex_add_counts(width->min, multiply(node->width.min, node->min));
    width->max = jsv_regex_add_counts(width->max, multiply(node->width.max, node->max));
    return error;
}
