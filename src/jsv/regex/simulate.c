/*
 * Thompson's simulation. Two lists hold the nodes of the automaton (nfa.c) that
 * wait for a character: those of this character and those of the next. What a
 * search takes is bounded by nodes times characters. That can still be long,
 * so each look at a node is taken from a budget; when it is gone, the search is
 * given up, as with PCRE2.
 *
 * A pattern that begins with ^ and look-aheads is several automata, one for
 * each look-ahead and one for the rest. All of them begin at the start of the
 * text, so they can be asked one after the other.
 */
#include "jsv/regex/simulate.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/utf8.h"
#include "jsv/regex/nfa.h"

/* Nanoseconds of a search of any size, and for each byte; at 64 KiB far less than 50 ms. */
#define BUDGET      24000000
#define BUDGET_BYTE 32
/* Of a look at a node. */
#define NODE_COST 4

/* Look-aheads at the start. */
#define PARTS_MAX 16

/* Which characters a node goes on with. */
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
    bool at_start; /* begins at the start of the text and nowhere else */
    bool negative; /* must not match */
};

struct jsv_simulation {
    size_t size; /* of the whole block */
    uint32_t node_max;
    size_t part_count;
    struct part parts[];
};

/* ---- which patterns ---- */

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

/* Whether a group can match at the start of the text alone: each of its branches begins with ^. */
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

/* What becomes an automaton of its own: a group, or the terms of its only branch behind one. */
struct source {
    struct jsv_nfa_part part;
    bool at_start;
    bool negative;
};

/* Take a pattern apart. @return how many parts; 0 when it cannot be simulated. */
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

/* What a part takes in the block; aligned, since all it consists of is. */
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

/* Copy a part into the block. @return behind it. */
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
        int error = jsv_nfa_build_part(syntax, &sources[i].part, arena, &nfas[i]);
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

struct list {
    uint32_t *nodes;
    size_t count;
};

struct search {
    const struct part *part;
    uint32_t *marks; /* of each node: the round in which it was seen last */
    uint32_t *round;
    uint32_t *pending;
    struct list now;
    struct list next;
    bool found;
    int64_t left; /* of the budget */
};

/* Which of the nodes that are passed without a character are open. */
struct passage {
    bool start;
    bool end;
};

/* Add a node to the next list and all that can be reached from it without a character. */
static void add(struct search *search, uint32_t node, struct passage passage)
{
    const struct jsv_nfa_node *nodes = search->part->nodes;
    size_t pending_count = 0;
    search->pending[pending_count++] = node;
    while (pending_count > 0) {
        uint32_t index = search->pending[--pending_count];
        const struct jsv_nfa_node *at = &nodes[index];
        search->left -= NODE_COST;
        if (search->marks[index] == *search->round) {
            continue;
        }
        search->marks[index] = *search->round;
        switch (at->kind) {
        case JSV_NFA_SPLIT:
            search->pending[pending_count++] = at->other;
            search->pending[pending_count++] = at->next;
            break;
        case JSV_NFA_START:
        case JSV_NFA_END:
            if (at->kind == JSV_NFA_START ? passage.start : passage.end) {
                search->pending[pending_count++] = at->next;
            } else if (at->kind == JSV_NFA_END) {
                search->next.nodes[search->next.count++] = index;
            }
            break;
        case JSV_NFA_SET:
            search->next.nodes[search->next.count++] = index;
            break;
        case JSV_NFA_MATCH:
            search->found = true;
            break;
        }
    }
}

/* Begin a new list; the one just made is that of now. */
static void turn(struct search *search)
{
    struct list now = search->now;
    search->now = search->next;
    search->next = now;
    search->next.count = 0;
    ++*search->round;
}

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

static void step(struct search *search, uint32_t character)
{
    const struct part *part = search->part;
    const struct passage closed = {0};
    turn(search);
    for (size_t i = 0; i < search->now.count && !search->found; i++) {
        const struct jsv_nfa_node *node = &part->nodes[search->now.nodes[i]];
        search->left -= NODE_COST;
        if (node->kind == JSV_NFA_SET && set_has(&part->sets[node->set], character)) {
            add(search, node->next, closed);
        }
    }
    if (!part->at_start) {
        add(search, part->entry, closed);
    }
}

/* What is left when the text has ended. */
static void finish(struct search *search, bool at_start)
{
    turn(search);
    for (size_t i = 0; i < search->now.count && !search->found; i++) {
        uint32_t node = search->now.nodes[i];
        search->left -= NODE_COST;
        if (search->part->nodes[node].kind == JSV_NFA_END) {
            add(search, node, (struct passage){.start = at_start, .end = true});
        }
    }
}

/* Whether a part matches. @return 1, 0 or -ELOOP */
static int search_part(struct search *search, struct jsv_str subject)
{
    search->found = false;
    search->next.count = 0;
    turn(search);
    add(search, search->part->entry, (struct passage){.start = true});
    for (size_t at = 0; at < subject.size && !search->found;) {
        uint32_t character = (unsigned char)subject.data[at];
        size_t size = 1;
        if (character >= 0x80) {
            size =
                jsv_utf8_decode((struct jsv_str){subject.data + at, subject.size - at}, &character);
        }
        at += size;
        step(search, character);
        search->left -= NODE_COST;
        if (search->left < 0) {
            return -ELOOP;
        }
        if (search->next.count == 0 && search->part->at_start) {
            return search->found;
        }
    }
    if (!search->found) {
        finish(search, subject.size == 0);
    }
    return search->left < 0 ? -ELOOP : search->found;
}

int jsv_simulation_search(
    const struct jsv_simulation *simulation,
    struct jsv_str subject,
    struct jsv_regex_scratch *scratch)
{
    size_t nodes = simulation->node_max;
    /* rounds: one for each character of each part, and three more */
    uint64_t rounds = (subject.size + 3) * simulation->part_count;
    struct jsv_scratch_room room;
    if (!jsv_scratch_take_room(scratch, nodes, rounds, &room)) {
        return -ENOMEM;
    }
    int64_t budget = jsv_scratch_bounded(scratch, BUDGET + BUDGET_BYTE * (int64_t)subject.size);
    struct search search = {
        .marks = room.marks,
        .round = room.round,
        .now = {room.lists, 0},
        .next = {room.lists + nodes, 0},
        .pending = room.lists + 2 * nodes,
        .left = budget,
    };
    int r = 1;
    for (size_t i = 0; i < simulation->part_count && r == 1; i++) {
        search.part = &simulation->parts[i];
        r = search_part(&search, subject);
        r = r >= 0 && search.part->negative ? !r : r;
    }
    jsv_scratch_add_cost(scratch, budget - search.left);
    return r;
}
