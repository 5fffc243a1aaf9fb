/*
 * Thompson's construction, from the end of the pattern to its beginning: each
 * part is built knowing where to go on, and yields where to enter it. A part
 * that is repeated is built as often as it must match, and then as a loop or
 * as a chain with an exit at every link.
 */
#include "jsv/regex/nfa.h"

#include <assert.h>
#include <errno.h>

/*
 * Everything is built twice: first without memory, to learn how much is needed.
 * Errors stick: after one, what is built means nothing and is not looked at.
 */
struct builder {
    struct jsv_nfa nfa;
    int error;
};

static uint32_t add_node(struct builder *builder, struct jsv_nfa_node node)
{
    if (builder->nfa.node_count == JSV_NFA_NODES_MAX) {
        builder->error = -E2BIG;
        return 0;
    }
    if (builder->nfa.nodes) {
        builder->nfa.nodes[builder->nfa.node_count] = node;
    }
    return (uint32_t)builder->nfa.node_count++;
}

/* One set serves all repetitions of its term, and of the groups around it. */
static uint32_t add_set(struct builder *builder, const struct jsv_regex_node *node)
{
    if (node->kind != JSV_REGEX_SET) {
        return 0;
    }
    if (builder->nfa.sets) {
        builder->nfa.sets[node->set_index] = &node->set;
    }
    return node->set_index;
}

static uint32_t
build_group(struct builder *builder, const struct jsv_regex_group *group, uint32_t next);

/* A term's atom, matched once. */
static uint32_t
build_atom(struct builder *builder, const struct jsv_regex_node *node, uint32_t set, uint32_t next)
{
    if (node->kind == JSV_REGEX_GROUP) {
        return build_group(builder, &node->group, next);
    }
    assert(
        node->kind == JSV_REGEX_SET || node->kind == JSV_REGEX_START ||
        node->kind == JSV_REGEX_END);
    enum jsv_nfa_kind kind = node->kind == JSV_REGEX_SET     ? JSV_NFA_SET
                             : node->kind == JSV_REGEX_START ? JSV_NFA_START
                                                             : JSV_NFA_END;
    return add_node(builder, (struct jsv_nfa_node){.kind = kind, .set = set, .next = next});
}

static uint32_t
build_loop(struct builder *builder, const struct jsv_regex_node *node, uint32_t set, uint32_t next)
{
    uint32_t entry = add_node(builder, (struct jsv_nfa_node){JSV_NFA_SPLIT, .other = next});
    uint32_t body = build_atom(builder, node, set, entry);
    if (builder->nfa.nodes) {
        builder->nfa.nodes[entry].next = body;
    }
    return entry;
}

static uint32_t
build_term(struct builder *builder, const struct jsv_regex_node *node, uint32_t next)
{
    uint32_t min = node->min;
    uint32_t max = node->max;
    if (node->width.max == 0) {
        /* To match nothing once is as good as often, and often could be written out for ever. */
        min = min > 0;
        max = max > 0;
    }
    uint32_t set = add_set(builder, node);
    uint32_t entry = next;
    if (max == JSV_REGEX_UNBOUNDED) {
        entry = build_loop(builder, node, set, next);
        max = min;
    }
    for (uint32_t i = min; i < max && !builder->error; i++) {
        uint32_t more = build_atom(builder, node, set, entry);
        entry =
            add_node(builder, (struct jsv_nfa_node){JSV_NFA_SPLIT, .next = more, .other = next});
    }
    for (uint32_t i = 0; i < min && !builder->error; i++) {
        entry = build_atom(builder, node, set, entry);
    }
    return entry;
}

static uint32_t
build_branch(struct builder *builder, const struct jsv_regex_branch *branch, uint32_t next)
{
    for (const struct jsv_regex_node *node = branch->last; node && !builder->error;
         node = node->previous) {
        next = build_term(builder, node, next);
    }
    return next;
}

static uint32_t
build_group(struct builder *builder, const struct jsv_regex_group *group, uint32_t next)
{
    uint32_t entry = build_branch(builder, group->first, next);
    for (const struct jsv_regex_branch *branch = group->first->next; branch && !builder->error;
         branch = branch->next) {
        uint32_t other = build_branch(builder, branch, next);
        entry =
            add_node(builder, (struct jsv_nfa_node){JSV_NFA_SPLIT, .next = entry, .other = other});
    }
    return entry;
}

static uint32_t build_part(struct builder *builder, const struct jsv_nfa_part *part, uint32_t next)
{
    if (!part->behind) {
        return build_group(builder, part->group, next);
    }
    const struct jsv_regex_node *node = part->group->first->last;
    for (; node != part->behind && !builder->error; node = node->previous) {
        next = build_term(builder, node, next);
    }
    return next;
}

static void build_all(struct builder *builder, const struct jsv_nfa_part *part)
{
    builder->nfa.node_count = 0;
    uint32_t match = add_node(builder, (struct jsv_nfa_node){.kind = JSV_NFA_MATCH});
    builder->nfa.entry = build_part(builder, part, match);
}

int jsv_nfa_build_part(
    const struct jsv_regex_syntax *syntax,
    const struct jsv_nfa_part *part,
    struct jsv_arena *arena,
    struct jsv_nfa *ret_nfa)
{
    static const struct jsv_charset unused = {0};
    struct builder builder = {0};
    build_all(&builder, part);
    if (builder.error) {
        return builder.error;
    }
    struct jsv_nfa *nfa = &builder.nfa;
    nfa->set_count = syntax->set_count;
    nfa->nodes = jsv_arena_array(arena, nfa->node_count, sizeof nfa->nodes[0]);
    nfa->sets = jsv_arena_array(arena, nfa->set_count, sizeof nfa->sets[0]);
    if (!nfa->nodes || !nfa->sets) {
        return -ENOMEM;
    }
    for (size_t i = 0; i < nfa->set_count; i++) {
        nfa->sets[i] = &unused;
    }
    build_all(&builder, part);
    *ret_nfa = builder.nfa;
    return 0;
}

int jsv_nfa_build(
    const struct jsv_regex_syntax *syntax, struct jsv_arena *arena, struct jsv_nfa *ret_nfa)
{
    struct jsv_nfa_part all = {&syntax->root->group, NULL};
    return jsv_nfa_build_part(syntax, &all, arena, ret_nfa);
}
