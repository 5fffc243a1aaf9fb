/*
 * Thompson's simulation of the automaton (nfa.c): one list has the nodes before
 * a character, another those after it. The work is at most nodes times
 * characters. That can still take long, so visits to nodes have a budget, and
 * the search ends with -ELOOP when it is used up, as with PCRE2.
 *
 * A pattern that begins with ^ and look-aheads becomes several automata, one
 * for each look-ahead and one for the rest. All of them begin at the start of
 * the text, so they run one after the other.
 */
#include "jsv/regex/simulate.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/utf8.h"
#include "jsv/regex/nfa.h"

/* Nanoseconds for a search, and for each byte; for 64 KiB far less than 50 ms. */
#define BUDGET      24000000
#define BUDGET_BYTE 32
/* Nanoseconds for a visit to a node. */
#define VISIT_COST 4

/* Automata of a pattern: 15 look-aheads, and the rest. */
#define PARTS_MAX 16

/* The characters of a node. */
struct set {
    uint64_t ascii[2];
    const struct jsv_range *ranges; /* beyond ASCII */
    size_t count;
};

struct part {
    const struct jsv_nfa_node *nodes;
    const struct set *sets;
    uint32_t node_count;
    uint32_t entry;
    bool at_start; /* matches at the start of the text only */
    bool negative; /* must not match */
};

struct jsv_simulation {
    size_t size; /* of the whole block */
    uint32_t node_max;
    size_t part_count;
    struct part parts[];
};

/* ---- patterns that can be simulated ---- */

static bool is_once(const struct jsv_regex_node *node, enum jsv_regex_kind kind)
{
    return node && node->kind == kind && !jsv_regex_is_repeated(node);
}

static bool group_is_regular(const struct jsv_regex_group *group);

static bool terms_are_regular(const struct jsv_regex_node *node)
{
    for (; node; node = node->next) {
        bool regular = node->kind == JSV_REGEX_GROUP ? group_is_regular(&node->group)
                       : node->kind == JSV_REGEX_SET
                           ? !node->set.properties
                           : node->kind == JSV_REGEX_START || node->kind == JSV_REGEX_END;
        if (!regular) {
            return false;
        }
    }
    return true;
}

static bool group_is_regular(const struct jsv_regex_group *group)
{
    for (const struct jsv_regex_branch *branch = group->first; branch; branch = branch->next) {
        if (!terms_are_regular(branch->first)) {
            return false;
        }
    }
    return true;
}

/* Whether a group matches at the start of the text only: each branch begins with ^. */
static bool group_is_at_start(const struct jsv_regex_group *group)
{
    for (const struct jsv_regex_branch *branch = group->first; branch; branch = branch->next) {
        const struct jsv_regex_node *node = branch->first;
        if (!is_once(node, JSV_REGEX_START) &&
            !(is_once(node, JSV_REGEX_GROUP) && group_is_at_start(&node->group))) {
            return false;
        }
    }
    return true;
}

/* A part of the pattern that becomes an automaton. */
struct source {
    struct jsv_nfa_part part;
    bool at_start;
    bool negative;
};

/* Split a pattern. @return the number of parts; 0 if it cannot be simulated. */
static size_t find_sources(const struct jsv_regex_syntax *syntax, struct source *sources)
{
    const struct jsv_regex_group *root = &syntax->root->group;
    const struct jsv_regex_node *node = root->first->first;
    size_t count = 0;
    if (syntax->regular) {
        sources[0] = (struct source){.part = {root, NULL}, .at_start = group_is_at_start(root)};
        return 1;
    }
    if (root->first->next || !is_once(node, JSV_REGEX_START)) {
        return 0;
    }
    while (is_once(node->next, JSV_REGEX_LOOK) && !node->next->group.behind) {
        node = node->next;
        if (count + 1 == PARTS_MAX || !group_is_regular(&node->group)) {
            return 0;
        }
        sources[count++] = (struct source){
            .part = {&node->group, NULL}, .at_start = true, .negative = node->group.negative};
    }
    if (!terms_are_regular(node->next)) {
        return 0;
    }
    sources[count++] = (struct source){.part = {root, node}, .at_start = true};
    return count;
}

/* ---- building ---- */

static size_t count_ranges(const struct jsv_nfa *nfa)
{
    size_t count = 0;
    for (size_t i = 0; i < nfa->set_count; i++) {
        count += nfa->sets[i]->count;
    }
    return count;
}

/* Bytes of a part in the block. All members have the same alignment. */
static size_t part_size(const struct jsv_nfa *nfa)
{
    return nfa->set_count * sizeof(struct set) + count_ranges(nfa) * sizeof(struct jsv_range) +
           nfa->node_count * sizeof(struct jsv_nfa_node);
}

static void add_to_set(struct set *set, struct jsv_range *ranges, struct jsv_range range)
{
    for (uint32_t c = range.first; c <= range.last && c < 128; c++) {
        set->ascii[c / 64] |= (uint64_t)1 << c % 64;
    }
    if (range.last >= 128) {
        ranges[set->count++] = range;
    }
}

/* Copy a part into the block. @return the end of it. */
static char *
pack_part(const struct jsv_nfa *nfa, const struct source *source, char *at, struct part *ret_part)
{
    struct set *sets = (struct set *)(void *)at;
    struct jsv_range *ranges = (struct jsv_range *)(void *)(sets + nfa->set_count);
    struct jsv_nfa_node *nodes = (struct jsv_nfa_node *)(void *)(ranges + count_ranges(nfa));
    for (size_t i = 0; i < nfa->set_count; i++) {
        sets[i] = (struct set){.ranges = ranges};
        for (size_t k = 0; k < nfa->sets[i]->count; k++) {
            add_to_set(&sets[i], ranges, nfa->sets[i]->ranges[k]);
        }
        ranges += nfa->sets[i]->count;
    }
    memcpy(nodes, nfa->nodes, nfa->node_count * sizeof(*nodes));
    *ret_part = (struct part){
        .nodes = nodes,
        .sets = sets,
        .node_count = (uint32_t)nfa->node_count,
        .entry = nfa->entry,
        .at_start = source->at_start,
        .negative = source->negative,
    };
    return (char *)(nodes + nfa->node_count);
}

int jsv_simulation_build(
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    const struct jsv_allocator *allocator,
    struct jsv_simulation **ret_simulation)
{
    struct source sources[PARTS_MAX];
    struct jsv_nfa nfas[PARTS_MAX];
    size_t count = find_sources(syntax, sources);
    size_t size = sizeof(struct jsv_simulation) + count * sizeof(struct part);
    *ret_simulation = NULL;
    for (size_t i = 0; i < count; i++) {
        int error = jsv_nfa_build(syntax, sources[i].part, arena, &nfas[i]);
        if (error) {
            return error;
        }
        size += part_size(&nfas[i]);
    }
    if (count == 0) {
        return 0;
    }
    struct jsv_simulation *simulation = jsv_alloc(allocator, size);
    if (!simulation) {
        return -ENOMEM;
    }
    *simulation = (struct jsv_simulation){.size = size, .part_count = count};
    char *at = (char *)(simulation->parts + count);
    for (size_t i = 0; i < count; i++) {
        at = pack_part(&nfas[i], &sources[i], at, &simulation->parts[i]);
        uint32_t nodes = simulation->parts[i].node_count;
        simulation->node_max = nodes > simulation->node_max ? nodes : simulation->node_max;
    }
    *ret_simulation = simulation;
    return 0;
}

void jsv_simulation_free(struct jsv_simulation *simulation, const struct jsv_allocator *allocator)
{
    if (simulation) {
        jsv_dealloc(allocator, simulation, simulation->size);
    }
}

size_t jsv_simulation_size(const struct jsv_simulation *simulation)
{
    return simulation->size;
}

/* ---- searching ---- */

struct search {
    const struct part *part;
    uint32_t *now; /* nodes before the current character */
    size_t now_count;
    struct jsv_nfa_state next; /* after it */
    int64_t visits_max;
};

static bool set_has(const struct set *set, uint32_t character)
{
    if (character < 128) {
        return set->ascii[character / 64] >> character % 64 & 1;
    }
    size_t low = 0;
    size_t high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->ranges[middle].last < character) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < set->count && set->ranges[low].first <= character;
}

/* Make the next list the current one, and begin a new one. */
static void advance(struct search *search)
{
    uint32_t *now = search->now;
    search->now = search->next.items;
    search->now_count = search->next.count;
    search->next.items = now;
    search->next.visits += search->now_count;
    jsv_nfa_state_begin(&search->next);
}

static void step(struct search *search, uint32_t character)
{
    const struct part *part = search->part;
    advance(search);
    for (size_t i = 0; i < search->now_count && !search->next.matches; i++) {
        const struct jsv_nfa_node *node = &part->nodes[search->now[i]];
        if (node->kind == JSV_NFA_SET && set_has(&part->sets[node->set], character)) {
            jsv_nfa_state_add(&search->next, node->next, false, false);
        }
    }
    if (!part->at_start) {
        jsv_nfa_state_add(&search->next, part->entry, false, false);
    }
}

/* The end of the text. */
static void finish(struct search *search, bool at_start)
{
    advance(search);
    for (size_t i = 0; i < search->now_count && !search->next.matches; i++) {
        if (search->part->nodes[search->now[i]].kind == JSV_NFA_END) {
            jsv_nfa_state_add(&search->next, search->now[i], at_start, true);
        }
    }
}

static bool is_over_budget(struct search *search)
{
    return search->next.visits > (uint64_t)search->visits_max;
}

/* Whether a part matches. @return 1, 0 or -ELOOP */
static int search_part(struct search *search, struct jsv_str subject)
{
    search->next.nodes = search->part->nodes;
    jsv_nfa_state_begin(&search->next);
    jsv_nfa_state_add(&search->next, search->part->entry, true, false);
    for (size_t at = 0; at < subject.size && !search->next.matches;) {
        uint32_t character;
        at += jsv_utf8_decode((struct jsv_str){subject.data + at, subject.size - at}, &character);
        step(search, character);
        search->next.visits++;
        if (is_over_budget(search)) {
            return -ELOOP;
        }
        if (search->next.count == 0 && search->part->at_start) {
            return search->next.matches;
        }
    }
    if (!search->next.matches) {
        finish(search, subject.size == 0);
    }
    return is_over_budget(search) ? -ELOOP : search->next.matches;
}

int jsv_simulation_search(
    const struct jsv_simulation *simulation,
    struct jsv_str subject,
    struct jsv_regex_scratch *scratch)
{
    size_t nodes = simulation->node_max;
    /* A round for each character of each part, and three more. */
    uint64_t rounds = (subject.size + 3) * simulation->part_count;
    struct jsv_scratch_lists memory;
    if (!jsv_scratch_get_lists(scratch, nodes, rounds, &memory)) {
        return -ENOMEM;
    }
    int64_t budget = jsv_scratch_bounded(scratch, BUDGET + BUDGET_BYTE * (int64_t)subject.size);
    struct search search = {
        .now = memory.lists,
        .next =
            {
                .items = memory.lists + nodes,
                .pending = memory.lists + 2 * nodes,
                .marks = memory.marks,
                .round = *memory.round,
            },
        .visits_max = budget / VISIT_COST,
    };
    int r = 1;
    for (size_t i = 0; i < simulation->part_count && r == 1; i++) {
        search.part = &simulation->parts[i];
        r = search_part(&search, subject);
        r = r >= 0 && search.part->negative ? !r : r;
    }
    *memory.round = search.next.round;
    jsv_scratch_add_cost(scratch, search.next.visits * VISIT_COST);
    return r;
}
