/*
 * The subset construction. A state of the table is the set of nodes of the
 * nondeterministic automaton (nfa.c) it could be in. We ask whether the
 * pattern matches anywhere and never where, which makes three things simple:
 *
 * - a match may begin anywhere, so every step also enters the automaton anew;
 * - reaching the end of the pattern ends the search: one final state for all;
 * - ^ is passed when the first state is made and never again; $ is passed when
 *   the text has ended, which is a column of the table like any character.
 *
 * States are found by sets, not by lists: two lists of the same nodes in
 * another order are one state. So a state's hash does not depend on the order,
 * and lists are compared by looking up the marks that the set at hand has just
 * left on its nodes.
 *
 * The number of states can be exponential in the pattern, and is bounded; so
 * is the work. A pattern beyond that is left to PCRE2, or simulated.
 */
#include "jsv/regex/dfa.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/utf8.h"
#include "jsv/regex/alphabet.h"
#include "jsv/regex/nfa.h"

/* 64 KiB of table: a small part of the second-level cache, and indexes fit 16 bits. */
#define ENTRIES_MAX 32768
/* Nodes looked at while building; a few milliseconds. */
#define WORK_MAX 2000000

/*
 * A state is the index of its row in the table, which leaves small numbers
 * that are no rows to mean other things.
 */
enum {
    STATE_FAIL,  /* no match, whatever follows */
    STATE_MATCH, /* a match, whatever follows */
    FIRST_ROW,
};

/* Column of the end of the text; kind k of the alphabet has column k + 1. */
#define COLUMN_END 0

struct jsv_dfa {
    size_t size; /* of the whole block */
    const uint16_t *table;
    /* Characters beyond ASCII: from starts[i] on they have columns[i]. */
    const uint32_t *starts;
    const uint16_t *columns;
    size_t start_count;
    uint16_t first;
    uint16_t ascii[128]; /* column */
};

/* ---- building ---- */

/* The nodes of a state. */
struct state {
    uint32_t *nodes;
    size_t count;
};

struct builder {
    struct jsv_nfa nfa;
    struct jsv_alphabet alphabet;
    struct jsv_arena *arena;
    unsigned columns;
    size_t work;

    uint16_t *table;
    struct state *states;
    size_t state_count;
    size_t state_max;
    uint16_t *slots; /* hash table of states: index + 1, or 0 */
    size_t slot_mask;

    /* The set at hand: nodes that wait for a character or for the end of the text. */
    uint32_t *set;
    size_t set_count;
    bool set_matches;
    uint32_t *marks; /* of each node: the round in which it was seen last */
    uint32_t round;
    uint32_t *pending;
};

static uint16_t row_of(const struct builder *builder, size_t state)
{
    return (uint16_t)(FIRST_ROW + state * builder->columns);
}

/* Which of the nodes that are passed without a character are open. */
struct passage {
    bool start;
    bool end;
};

static void set_begin(struct builder *builder)
{
    builder->set_count = 0;
    builder->set_matches = false;
    builder->round++;
}

/* Add a node to the set at hand and all that can be reached from it without a character. */
static void set_add(struct builder *builder, uint32_t node, struct passage passage)
{
    size_t pending_count = 0;
    builder->pending[pending_count++] = node;
    while (pending_count > 0) {
        uint32_t index = builder->pending[--pending_count];
        const struct jsv_nfa_node *at = &builder->nfa.nodes[index];
        if (builder->marks[index] == builder->round) {
            continue;
        }
        builder->marks[index] = builder->round;
        builder->work++;
        bool open = at->kind == JSV_NFA_SPLIT || (at->kind == JSV_NFA_START && passage.start) ||
                    (at->kind == JSV_NFA_END && passage.end);
        if (at->kind == JSV_NFA_MATCH) {
            builder->set_matches = true;
        } else if (open) {
            builder->pending[pending_count++] = at->next;
        } else if (at->kind != JSV_NFA_START) {
            builder->set[builder->set_count++] = index;
        }
        if (at->kind == JSV_NFA_SPLIT) {
            builder->pending[pending_count++] = at->other;
        }
    }
}

static size_t set_hash(const struct builder *builder)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < builder->set_count; i++) {
        uint64_t word = (builder->set[i] + 1u) * 0x9E3779B97F4A7C15u;
        sum += word ^ word >> 32;
    }
    return (size_t)(sum ^ sum >> 29);
}

static bool set_is(const struct builder *builder, const struct state *state)
{
    if (state->count != builder->set_count) {
        return false;
    }
    for (size_t i = 0; i < state->count; i++) {
        if (builder->marks[state->nodes[i]] != builder->round) {
            return false;
        }
    }
    return true;
}

/* Make the set at hand a new state. */
static int add_state(struct builder *builder, size_t *ret_state)
{
    if (builder->state_count == builder->state_max) {
        return -E2BIG;
    }
    struct state *state = &builder->states[builder->state_count];
    state->count = builder->set_count;
    state->nodes = jsv_arena_array(builder->arena, state->count, sizeof state->nodes[0]);
    if (!state->nodes) {
        return -ENOMEM;
    }
    memcpy(state->nodes, builder->set, state->count * sizeof state->nodes[0]);
    *ret_state = builder->state_count++;
    return 0;
}

/* The row of the set at hand, made if need be. */
static int find_row(struct builder *builder, uint16_t *ret_row)
{
    size_t slot = set_hash(builder) & builder->slot_mask;
    for (; builder->slots[slot]; slot = (slot + 1) & builder->slot_mask) {
        size_t known = builder->slots[slot] - 1u;
        builder->work++;
        if (set_is(builder, &builder->states[known])) {
            *ret_row = row_of(builder, known);
            return 0;
        }
    }
    size_t state;
    int error = add_state(builder, &state);
    if (error) {
        return error;
    }
    builder->slots[slot] = (uint16_t)(state + 1);
    *ret_row = row_of(builder, state);
    return 0;
}

/* Where a state goes with a character of some kind. */
static int step(struct builder *builder, size_t state, unsigned kind, uint16_t *ret_next)
{
    const struct state from = builder->states[state];
    const struct passage closed = {0};
    set_begin(builder);
    builder->work += from.count;
    for (size_t i = 0; i < from.count; i++) {
        const struct jsv_nfa_node *node = &builder->nfa.nodes[from.nodes[i]];
        if (node->kind == JSV_NFA_SET &&
            jsv_alphabet_contains(&builder->alphabet, node->set, kind)) {
            set_add(builder, node->next, closed);
        }
    }
    set_add(builder, builder->nfa.entry, closed);
    if (builder->set_matches || builder->set_count == 0) {
        *ret_next = builder->set_matches ? STATE_MATCH : STATE_FAIL;
        return 0;
    }
    return find_row(builder, ret_next);
}

/* What a state means when the text has ended. */
static uint16_t step_end(struct builder *builder, size_t state, bool at_start)
{
    const struct state from = builder->states[state];
    set_begin(builder);
    for (size_t i = 0; i < from.count; i++) {
        if (builder->nfa.nodes[from.nodes[i]].kind == JSV_NFA_END) {
            set_add(builder, from.nodes[i], (struct passage){.start = at_start, .end = true});
        }
    }
    return builder->set_matches ? STATE_MATCH : STATE_FAIL;
}

static int fill_row(struct builder *builder, size_t state, bool at_start)
{
    uint16_t *row = builder->table + row_of(builder, state);
    row[COLUMN_END] = step_end(builder, state, at_start);
    for (unsigned kind = 0; kind < builder->alphabet.kinds; kind++) {
        int error = step(builder, state, kind, &row[kind + 1]);
        if (!error && builder->work > WORK_MAX) {
            error = -E2BIG;
        }
        if (error) {
            return error;
        }
    }
    return 0;
}

/*
 * Make the first state and all that follow from it. The first is not in the
 * hash table: at the end of an empty text it has passed ^, and its like has not.
 */
static int make_states(struct builder *builder, uint16_t *ret_first)
{
    set_begin(builder);
    set_add(builder, builder->nfa.entry, (struct passage){.start = true});
    if (builder->set_matches || builder->set_count == 0) {
        *ret_first = builder->set_matches ? STATE_MATCH : STATE_FAIL;
        return 0;
    }
    size_t first;
    int error = add_state(builder, &first);
    for (size_t state = 0; state < builder->state_count && !error; state++) {
        error = fill_row(builder, state, state == first);
    }
    *ret_first = FIRST_ROW;
    return error;
}

/* Make a builder for so many states; a power of two. */
static int builder_init(struct builder *builder, size_t state_max)
{
    size_t nodes = builder->nfa.node_count;
    size_t slots = 2 * state_max;
    size_t rows_max = (ENTRIES_MAX - FIRST_ROW) / builder->columns;
    builder->state_max = state_max < rows_max ? state_max : rows_max;
    size_t entries = FIRST_ROW + builder->state_max * builder->columns;
    builder->state_count = 0;
    builder->slot_mask = slots - 1;
    builder->table = jsv_arena_array(builder->arena, entries, sizeof builder->table[0]);
    builder->states =
        jsv_arena_array(builder->arena, builder->state_max, sizeof builder->states[0]);
    builder->slots = jsv_arena_array(builder->arena, slots, sizeof builder->slots[0]);
    builder->set = jsv_arena_array(builder->arena, nodes, sizeof builder->set[0]);
    builder->marks = jsv_arena_array(builder->arena, nodes, sizeof builder->marks[0]);
    builder->pending = jsv_arena_array(builder->arena, 2 * nodes + 1, sizeof builder->pending[0]);
    if (!builder->table || !builder->states || !builder->slots || !builder->set ||
        !builder->marks || !builder->pending) {
        return -ENOMEM;
    }
    memset(builder->slots, 0, slots * sizeof builder->slots[0]);
    memset(builder->marks, 0, nodes * sizeof builder->marks[0]);
    builder->round = 0;
    return 0;
}

/* Most patterns need few states. One that needs more is done again from the start with more. */
static int build_table(struct builder *builder, uint16_t *ret_first)
{
    int error;
    size_t state_max = 64;
    bool larger_helps;
    do {
        error = builder_init(builder, state_max);
        error = error ? error : make_states(builder, ret_first);
        larger_helps = builder->state_max == state_max && builder->work <= WORK_MAX;
        state_max *= 8;
    } while (error == -E2BIG && larger_helps);
    return error;
}

/* Write down which columns characters have. @return how many starts there are beyond ASCII. */
static size_t map_characters(
    const struct jsv_alphabet *alphabet, uint16_t *ascii, uint32_t *starts, uint16_t *columns)
{
    size_t count = 0;
    for (size_t i = 0; i < alphabet->segment_count; i++) {
        uint32_t start = alphabet->starts[i];
        uint32_t end =
            i + 1 < alphabet->segment_count ? alphabet->starts[i + 1] : JSV_CODE_POINT_MAX + 1;
        uint16_t column = (uint16_t)(alphabet->kind_of[i] + 1);
        for (; start < end && start < 128; start++) {
            ascii[start] = column;
        }
        if (start < end && (count == 0 || columns[count - 1] != column)) {
            starts[count] = start;
            columns[count++] = column;
        }
    }
    return count;
}

/* Copy what searching needs into one block. */
static int pack(
    const struct builder *builder,
    uint16_t first,
    const struct jsv_allocator *allocator,
    struct jsv_dfa **ret_dfa)
{
    size_t entries = row_of(builder, builder->state_count);
    size_t segments = builder->alphabet.segment_count;
    size_t size = sizeof(struct jsv_dfa) + segments * sizeof(uint32_t) +
                  segments * sizeof(uint16_t) + entries * sizeof(uint16_t);
    struct jsv_dfa *dfa = jsv_alloc(allocator, size);
    if (!dfa) {
        return -ENOMEM;
    }
    uint32_t *starts = (uint32_t *)(dfa + 1);
    uint16_t *columns = (uint16_t *)(starts + segments);
    uint16_t *table = columns + segments;
    memcpy(table, builder->table, entries * sizeof table[0]);
    dfa->size = size;
    dfa->first = first;
    dfa->starts = starts;
    dfa->columns = columns;
    dfa->table = table;
    dfa->start_count = map_characters(&builder->alphabet, dfa->ascii, starts, columns);
    *ret_dfa = dfa;
    return 0;
}

int jsv_dfa_build(
    const struct jsv_regex_syntax *syntax,
    struct jsv_arena *arena,
    const struct jsv_allocator *allocator,
    struct jsv_dfa **ret_dfa)
{
    struct builder builder = {.arena = arena};
    int error = jsv_nfa_build(syntax, arena, &builder.nfa);
    error = error ? error : jsv_alphabet_build(&builder.nfa, arena, &builder.alphabet);
    if (error) {
        return error;
    }
    builder.columns = builder.alphabet.kinds + 1;
    uint16_t first;
    error = build_table(&builder, &first);
    return error ? error : pack(&builder, first, allocator, ret_dfa);
}

void jsv_dfa_free(struct jsv_dfa *dfa, const struct jsv_allocator *allocator)
{
    if (dfa) {
        jsv_dealloc(allocator, dfa, dfa->size);
    }
}

/* ---- searching ---- */

/* Not inlined: the loop that calls it is about ASCII, and does better without. */
static __attribute__((noinline)) uint16_t
column_beyond_ascii(const struct jsv_dfa *dfa, struct jsv_str text)
{
    uint32_t character;
    jsv_utf8_decode(text, &character);
    size_t low = 0;
    size_t high = dfa->start_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (dfa->starts[middle] <= character) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return dfa->columns[low];
}

/* The column of the next character, and past it. */
static inline uint16_t next_column(const struct jsv_dfa *dfa, const char **at, const char *end)
{
    const char *start = *at;
    unsigned char lead = (unsigned char)*start;
    if (lead < 0x80) {
        *at = start + 1;
        return dfa->ascii[lead];
    }
    *at = start + (lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4);
    return column_beyond_ascii(dfa, (struct jsv_str){start, (size_t)(end - start)});
}

bool jsv_dfa_search(const struct jsv_dfa *dfa, struct jsv_str subject)
{
    const char *at = subject.data;
    const char *end = at + subject.size;
    uint16_t state = dfa->first;
    while (state >= FIRST_ROW) {
        const uint16_t *row = dfa->table + state;
        uint16_t next;
        /*
         * Runs stay in one state. The processor guesses that the next state is
         * this one and need not wait for the table: several times faster than
         * following it.
         */
        do {
            if (at == end) {
                return row[COLUMN_END] == STATE_MATCH;
            }
            next = row[next_column(dfa, &at, end)];
        } while (next == state);
        state = next;
    }
    return state == STATE_MATCH;
}
