/*
 * Thompson's construction, from the end of the pattern to its start: each part
 * is given the node that follows it and returns its entry. A repeated part is
 * built as often as it must match, followed by a loop or, if the count is
 * limited, by a chain with an exit before every link.
 */
#include "jsv/regex/nfa.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/*
 * The automaton is built twice: first without memory, to count the nodes. After
 * an error the result is not used.
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

/* All repetitions of a term share its set. */
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
        /* Matching nothing once is the same as many times. */
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
    if (!part->after) {
        return build_group(builder, part->group, next);
    }
    const struct jsv_regex_node *node = part->group->first->last;
    for (; node != part->after && !builder->error; node = node->previous) {
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

int jsv_nfa_build(
    const struct jsv_regex_syntax *syntax,
    struct jsv_nfa_part part,
    struct jsv_arena *arena,
    struct jsv_nfa *ret_nfa)
{
    static const struct jsv_charset unused = {0};
    struct builder builder = {0};
    build_all(&builder, &part);
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
    build_all(&builder, &part);
    *ret_nfa = builder.nfa;
    return 0;
}

/* ---- states ---- */

void jsv_nfa_state_add(struct jsv_nfa_state *state, uint32_t node, bool at_start, bool at_end)
{
    size_t pending_count = 0;
    state->pending[pending_count++] = node;
    while (pending_count > 0) {
        uint32_t index = state->pending[--pending_count];
        const struct jsv_nfa_node *at = &state->nodes[index];
        state->visits++;
        if (state->marks[index] == state->round) {
            continue;
        }
        state->marks[index] = state->round;
        bool passes = at->kind == JSV_NFA_SPLIT || (at->kind == JSV_NFA_START && at_start) ||
                      (at->kind == JSV_NFA_END && at_end);
        if (at->kind == JSV_NFA_SPLIT) {
            state->pending[pending_count++] = at->other;
        }
        if (passes) {
            state->pending[pending_count++] = at->next;
        } else if (at->kind == JSV_NFA_MATCH) {
            state->matches = true;
        } else if (at->kind != JSV_NFA_START) {
            state->items[state->count++] = index;
        }
    }
}

/* ---- the alphabet ---- */

/*
 * The bounds of all ranges of all sets cut the code points into segments that
 * belong to a set as a whole or not at all. All segments start as one kind;
 * then each set splits every kind that it has some but not all segments of.
 */

/* Limits of the work. Patterns with larger sets are left to PCRE2. */
#define RANGES_MAX 16384
#define VISITS_MAX 1000000

static size_t count_ranges(const struct jsv_nfa *nfa)
{
    size_t count = 0;
    for (size_t i = 0; i < nfa->set_count; i++) {
        count += nfa->sets[i]->count;
    }
    return count;
}

/* List the starts of segments: at most two for each range, and 0. */
static void cut(struct jsv_alphabet *alphabet, const struct jsv_nfa *nfa, struct jsv_range *bounds)
{
    size_t count = 0;
    bounds[count++].first = 0;
    for (size_t i = 0; i < nfa->set_count; i++) {
        const struct jsv_charset *set = nfa->sets[i];
        for (size_t k = 0; k < set->count; k++) {
            bounds[count++].first = set->ranges[k].first;
            bounds[count++].first = set->ranges[k].last + 1;
        }
    }
    jsv_ranges_sort(bounds, count);
    for (size_t i = 0; i < count && bounds[i].first <= JSV_CODE_POINT_MAX; i++) {
        if (i == 0 || bounds[i].first != bounds[i - 1].first) {
            alphabet->starts[alphabet->segment_count++] = bounds[i].first;
        }
    }
}

/* The number of segments that start before a code point. */
static size_t segments_before(const struct jsv_alphabet *alphabet, uint32_t code_point)
{
    size_t low = 0;
    size_t high = alphabet->segment_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (alphabet->starts[middle] < code_point) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The segments of a range: [first, end). */
struct span {
    size_t first;
    size_t end;
};

static struct span span_of(const struct jsv_alphabet *alphabet, struct jsv_range range)
{
    return (struct span){
        segments_before(alphabet, range.first), segments_before(alphabet, range.last + 1)};
}

/* State while a set splits kinds. */
struct split {
    size_t size[JSV_ALPHABET_KINDS_MAX];  /* segments of each kind */
    size_t share[JSV_ALPHABET_KINDS_MAX]; /* those in the set */
    unsigned becomes[JSV_ALPHABET_KINDS_MAX];
    size_t visits;
};

static int count_shares(
    const struct jsv_alphabet *alphabet, const struct jsv_charset *set, struct split *split)
{
    memset(split->share, 0, alphabet->kinds * sizeof split->share[0]);
    for (size_t k = 0; k < set->count; k++) {
        struct span span = span_of(alphabet, set->ranges[k]);
        split->visits += span.end - span.first;
        if (split->visits > VISITS_MAX) {
            return -E2BIG;
        }
        for (size_t i = span.first; i < span.end; i++) {
            split->share[alphabet->kind_of[i]]++;
        }
    }
    return 0;
}

/* Choose the kind that the share of each kind becomes. */
static int name_shares(struct jsv_alphabet *alphabet, struct split *split)
{
    unsigned kinds = alphabet->kinds;
    for (unsigned kind = 0; kind < kinds; kind++) {
        size_t share = split->share[kind];
        split->becomes[kind] = kind;
        if (share == 0 || share == split->size[kind]) {
            continue;
        }
        if (alphabet->kinds == JSV_ALPHABET_KINDS_MAX) {
            return -E2BIG;
        }
        split->becomes[kind] = alphabet->kinds;
        split->size[kind] -= share;
        split->size[alphabet->kinds++] = share;
    }
    return 0;
}

static void rename_shares(
    struct jsv_alphabet *alphabet, const struct jsv_charset *set, const struct split *split)
{
    for (size_t k = 0; k < set->count; k++) {
        struct span span = span_of(alphabet, set->ranges[k]);
        for (size_t i = span.first; i < span.end; i++) {
            alphabet->kind_of[i] = (uint8_t)split->becomes[alphabet->kind_of[i]];
        }
    }
}

static int find_kinds(struct jsv_alphabet *alphabet, const struct jsv_nfa *nfa)
{
    struct split split = {.size = {alphabet->segment_count}};
    alphabet->kinds = 1;
    memset(alphabet->kind_of, 0, alphabet->segment_count);
    for (size_t i = 0; i < nfa->set_count; i++) {
        int error = count_shares(alphabet, nfa->sets[i], &split);
        error = error ? error : name_shares(alphabet, &split);
        if (error) {
            return error;
        }
        rename_shares(alphabet, nfa->sets[i], &split);
    }
    return 0;
}

static void find_members(struct jsv_alphabet *alphabet, const struct jsv_nfa *nfa)
{
    memset(alphabet->members, 0, nfa->set_count * sizeof alphabet->members[0]);
    for (size_t set = 0; set < nfa->set_count; set++) {
        for (size_t k = 0; k < nfa->sets[set]->count; k++) {
            struct span span = span_of(alphabet, nfa->sets[set]->ranges[k]);
            for (size_t i = span.first; i < span.end; i++) {
                unsigned kind = alphabet->kind_of[i];
                alphabet->members[set][kind / 64] |= (uint64_t)1 << kind % 64;
            }
        }
    }
}

int jsv_alphabet_build(
    const struct jsv_nfa *nfa, struct jsv_arena *arena, struct jsv_alphabet *ret_alphabet)
{
    size_t ranges = count_ranges(nfa);
    if (ranges > RANGES_MAX) {
        return -E2BIG;
    }
    size_t bound_max = 2 * ranges + 1;
    struct jsv_alphabet alphabet = {
        .starts = jsv_arena_array(arena, bound_max, sizeof alphabet.starts[0]),
        .kind_of = jsv_arena_array(arena, bound_max, sizeof alphabet.kind_of[0]),
        .members = jsv_arena_array(arena, nfa->set_count, sizeof alphabet.members[0]),
    };
    struct jsv_range *bounds = jsv_arena_array(arena, bound_max, sizeof bounds[0]);
    if (!alphabet.starts || !alphabet.kind_of || !alphabet.members || !bounds) {
        return -ENOMEM;
    }
    cut(&alphabet, nfa, bounds);
    int error = find_kinds(&alphabet, nfa);
    if (error) {
        return error;
    }
    find_members(&alphabet, nfa);
    *ret_alphabet = alphabet;
    return 0;
}
