/*
 * Parsing a pattern into a tree of terms.
 *
 * The parser reads the pattern once, from left to right, and keeps the
 * innermost open group. Groups know their parents, so there is no recursion.
 * The number of capturing groups is counted first, because in the legacy
 * grammar \2 is a character unless there is a second group.
 */
#include <assert.h>
#include <errno.h>

#include "jsv/base/utf8.h"
#include "jsv/regex/parser.h"

static int fail(struct jsv_regex_parser *parser, int error, size_t offset, const char *message)
{
    parser->fault = (struct jsv_regex_fault){offset, message};
    return error;
}

int jsv_regex_invalid(struct jsv_regex_parser *parser, size_t offset, const char *message)
{
    return fail(parser, -EINVAL, offset, message);
}

uint32_t jsv_regex_read_literal(struct jsv_regex_parser *parser)
{
    struct jsv_str rest = {parser->text.data + parser->offset, parser->text.size - parser->offset};
    uint32_t character;
    parser->offset += jsv_utf8_decode(rest, &character);
    return character;
}

/* ---- nodes ---- */

static int add_branch(struct jsv_regex_parser *parser, struct jsv_regex_group *group)
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

static int add_node(
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

/* Read a number; a very large one is reduced to the largest count. */
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

static bool read_braces(struct jsv_regex_parser *parser, uint32_t *ret_min, uint32_t *ret_max)
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

/* Read a quantifier, if there is one. */
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
    } else if (!read_braces(parser, &node->min, &node->max)) {
        return 0;
    }
    if (node->min > node->max) {
        return jsv_regex_invalid(parser, start, "the numbers of the quantifier are out of order");
    }
    node->lazy = jsv_regex_accept(parser, '?');
    if (node->width.min == 0 && node->min != node->max) {
        parser->syntax.empty_loop = true;
    }
    return 0;
}

static int
finish_term(struct jsv_regex_parser *parser, struct jsv_regex_node *node, bool quantifiable)
{
    int error = quantifiable ? read_quantifier(parser, node) : 0;
    struct jsv_regex_width *width = &parser->group->group.last->width;
    width->min = jsv_regex_add_counts(width->min, multiply(node->width.min, node->min));
    width->max = jsv_regex_add_counts(width->max, multiply(node->width.max, node->max));
    return error;
}

/* ---- terms ---- */

static int add_assertion(struct jsv_regex_parser *parser, enum jsv_regex_kind kind, size_t offset)
{
    struct jsv_regex_node *node;
    int error = add_node(parser, kind, offset, &node);
    return error ? error : finish_term(parser, node, false);
}

static int add_set(struct jsv_regex_parser *parser, const struct jsv_charset *set, size_t offset)
{
    struct jsv_regex_node *node;
    int error = add_node(parser, JSV_REGEX_SET, offset, &node);
    if (error) {
        return error;
    }
    node->set = *set;
    node->set_index = parser->syntax.set_count++;
    node->width = (struct jsv_regex_width){1, 1};
    if (set->properties) {
        parser->syntax.regular = false;
    }
    return finish_term(parser, node, true);
}

static int add_character(struct jsv_regex_parser *parser, uint32_t character, size_t offset)
{
    struct jsv_charset_builder builder = jsv_charset_builder_on(parser->arena);
    struct jsv_charset set;
    int error = jsv_charset_add(&builder, character, character);
    error = error ? error : jsv_charset_build(&builder, false, &set);
    return error ? error : add_set(parser, &set, offset);
}

static int add_literal(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset;
    return add_character(parser, jsv_regex_read_literal(parser), offset);
}

static int
add_reference(struct jsv_regex_parser *parser, const struct jsv_regex_escape *escape, size_t offset)
{
    struct jsv_regex_node *node;
    int error = add_node(parser, JSV_REGEX_REFERENCE, offset, &node);
    if (error) {
        return error;
    }
    node->reference = (struct jsv_regex_reference){
        .index = escape->index,
        .name = escape->name,
        .next = parser->syntax.references,
    };
    node->width = (struct jsv_regex_width){0, JSV_REGEX_UNBOUNDED};
    parser->syntax.references = node;
    parser->syntax.regular = false;
    return finish_term(parser, node, true);
}

static int add_boundary(struct jsv_regex_parser *parser, enum jsv_regex_kind kind, size_t offset)
{
    parser->syntax.regular = false;
    return add_assertion(parser, kind, offset);
}

static int add_escape(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset++;
    struct jsv_regex_escape escape;
    int error = jsv_regex_read_escape(parser, false, &escape);
    if (error) {
        return error;
    }
    switch (escape.kind) {
    case JSV_REGEX_ESCAPE_SET:
        return add_set(parser, &escape.set, offset);
    case JSV_REGEX_ESCAPE_REFERENCE:
        return add_reference(parser, &escape, offset);
    case JSV_REGEX_ESCAPE_BOUNDARY:
        return add_boundary(parser, JSV_REGEX_BOUNDARY, offset);
    case JSV_REGEX_ESCAPE_NOT_BOUNDARY:
        return add_boundary(parser, JSV_REGEX_NOT_BOUNDARY, offset);
    case JSV_REGEX_ESCAPE_CHARACTER:
    default:
        return add_character(parser, escape.character, offset);
    }
}

static int add_class(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset++;
    struct jsv_charset set;
    int error = jsv_regex_read_class(parser, &set);
    return error ? error : add_set(parser, &set, offset);
}

static int add_dot(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset++;
    struct jsv_charset set;
    int error = jsv_charset_complement(parser->arena, &jsv_charset_newline, &set);
    return error ? error : add_set(parser, &set, offset);
}

/* A {, } or ] where a term should begin: a literal in the legacy grammar. */
static int lone_bracket(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset;
    char bracket = jsv_regex_peek(parser, 0);
    uint32_t min;
    uint32_t max;
    if (bracket == '{' && read_braces(parser, &min, &max)) {
        return jsv_regex_invalid(parser, offset, "nothing to repeat");
    }
    if (parser->strict) {
        return jsv_regex_invalid(parser, offset, "a literal bracket must be escaped");
    }
    /* [[:alpha:]] would be one of [ : a l p h, followed by a ], which is not meant. */
    if (bracket == ']' && parser->posix_offset != SIZE_MAX) {
        return jsv_regex_invalid(parser, parser->posix_offset, "ECMA-262 has no POSIX classes");
    }
    return add_literal(parser);
}

/* ---- groups ---- */

/* Whether a parenthesis captures: ( and (?<name> do, (?: and (?<= do not. */
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

static unsigned count_groups(struct jsv_str text)
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
            error = jsv_regex_invalid(parser, start, "two groups have the same name");
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

/* Read the kind of group after its opening parenthesis. */
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
    return jsv_regex_invalid(parser, node->offset, "ECMA-262 has no such kind of group");
}

static int open_group(struct jsv_regex_parser *parser)
{
    struct jsv_regex_node *node;
    int error = add_node(parser, JSV_REGEX_GROUP, parser->offset, &node);
    if (error) {
        return error;
    }
    node->group.depth = parser->group->group.depth + 1;
    if (node->group.depth > JSV_REGEX_DEPTH_MAX) {
        return fail(parser, -E2BIG, node->offset, "parentheses are nested more than 250 deep");
    }
    parser->offset++;
    error = read_group_kind(parser, node);
    error = error ? error : add_branch(parser, &node->group);
    parser->group = node;
    return error;
}

/* Look-aheads may be repeated in the legacy grammar, look-behinds never. */
static bool
is_quantifiable(const struct jsv_regex_parser *parser, const struct jsv_regex_node *node)
{
    return node->kind == JSV_REGEX_GROUP || (!parser->strict && !node->group.behind);
}

static struct jsv_regex_width group_width(const struct jsv_regex_group *group)
{
    struct jsv_regex_width width = group->first->width;
    for (const struct jsv_regex_branch *branch = group->first->next; branch;
         branch = branch->next) {
        width.min = branch->width.min < width.min ? branch->width.min : width.min;
        width.max = branch->width.max > width.max ? branch->width.max : width.max;
    }
    return width;
}

static int close_group(struct jsv_regex_parser *parser)
{
    struct jsv_regex_node *node = parser->group;
    if (!node->parent) {
        return jsv_regex_invalid(
            parser, parser->offset, "closing parenthesis without an opening one");
    }
    node->group.end = parser->offset++;
    if (node->kind == JSV_REGEX_GROUP) {
        node->width = group_width(&node->group);
    }
    parser->group = node->parent;
    return finish_term(parser, node, is_quantifiable(parser, node));
}

/* ---- references ---- */

/* The group of a reference; NULL if no group has the name. */
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
 * A reference before or inside its group matches the empty string: a group
 * captures when it ends, and every repetition forgets the captures inside it.
 * (Not so in look-behinds, which are matched backwards; translate.c rejects
 * references there.)
 */
static int resolve_references(struct jsv_regex_parser *parser)
{
    for (struct jsv_regex_node *node = parser->syntax.references; node;
         node = node->reference.next) {
        struct jsv_regex_node *group = find_group(parser, &node->reference);
        if (!group) {
            return jsv_regex_invalid(parser, node->offset, "no group has this name");
        }
        if (node->offset > group->group.end) {
            group->group.referenced = true;
            node->reference.group = group;
        }
    }
    return 0;
}

/* ---- patterns ---- */

static int read_next(struct jsv_regex_parser *parser)
{
    size_t offset = parser->offset;
    switch (jsv_regex_peek(parser, 0)) {
    case '|':
        parser->offset++;
        return add_branch(parser, &parser->group->group);
    case '(':
        return open_group(parser);
    case ')':
        return close_group(parser);
    case '*':
    case '+':
    case '?':
        return jsv_regex_invalid(parser, offset, "nothing to repeat");
    case '{':
    case '}':
    case ']':
        return lone_bracket(parser);
    case '^':
        parser->offset++;
        return add_assertion(parser, JSV_REGEX_START, offset);
    case '$':
        parser->offset++;
        return add_assertion(parser, JSV_REGEX_END, offset);
    case '.':
        return add_dot(parser);
    case '[':
        return add_class(parser);
    case '\\':
        return add_escape(parser);
    default:
        return add_literal(parser);
    }
}

static int parse_all(struct jsv_regex_parser *parser)
{
    while (!jsv_regex_at_end(parser)) {
        int error = read_next(parser);
        if (error) {
            return error;
        }
    }
    if (parser->group->parent) {
        return jsv_regex_invalid(parser, parser->group->offset, "the parenthesis is not closed");
    }
    parser->group->width = group_width(&parser->group->group);
    return resolve_references(parser);
}

static int check_text(struct jsv_regex_parser *parser)
{
    if (parser->text.size > JSV_REGEX_PATTERN_SIZE_MAX) {
        return fail(
            parser, -E2BIG, JSV_REGEX_PATTERN_SIZE_MAX, "the pattern is longer than 64 KiB");
    }
    size_t valid = jsv_utf8_valid_prefix(parser->text);
    if (valid < parser->text.size) {
        return jsv_regex_invalid(parser, valid, "the pattern is not valid UTF-8");
    }
    parser->groups_total = count_groups(parser->text);
    if (parser->groups_total > JSV_REGEX_GROUPS_MAX) {
        return fail(parser, -E2BIG, 0, "there are more than 1,000 capturing groups");
    }
    return 0;
}

static int begin(struct jsv_regex_parser *parser)
{
    int error = check_text(parser);
    if (error) {
        return error;
    }
    parser->groups =
        jsv_arena_array(parser->arena, parser->groups_total + 1, sizeof parser->groups[0]);
    if (!parser->groups) {
        return -ENOMEM;
    }
    error = add_node(parser, JSV_REGEX_GROUP, 0, &parser->group);
    if (error) {
        return error;
    }
    parser->syntax.root = parser->group;
    return add_branch(parser, &parser->group->group);
}

int jsv_regex_parse(
    struct jsv_str pattern,
    bool strict,
    struct jsv_arena *arena,
    struct jsv_regex_syntax *ret_syntax,
    struct jsv_regex_fault *reterr_fault)
{
    struct jsv_regex_parser parser = {
        .text = pattern,
        .strict = strict,
        .posix_offset = SIZE_MAX,
        .arena = arena,
        .syntax = {.regular = true},
    };
    int error = begin(&parser);
    error = error ? error : parse_all(&parser);
    if (!error) {
        *ret_syntax = parser.syntax;
    } else if (error != -ENOMEM) {
        *reterr_fault = parser.fault;
    }
    return error;
}
