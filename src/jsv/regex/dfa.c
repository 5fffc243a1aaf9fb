/*
 * The subset construction: a state of the table is a set of nodes of the
 * nondeterministic automaton (nfa.c). The question is only whether the pattern
 * matches anywhere, not where, which makes three things simple:
 *
 * - a match may begin anywhere, so every step also adds the entry node;
 * - the end of the pattern ends the search, so there is one final state;
 * - ^ is passed only in the first state; $ is passed at the end of the text,
 *   which is a column of the table like any character.
 *
 * Two lists of the same nodes in different order are the same state. So the
 * hash of a state does not depend on the order, and a state is compared with
 * the current set by looking at the marks of its nodes.
 *
 * The number of states can be exponential in the size of the pattern, so states
 * and work are limited. Larger patterns are left to PCRE2 or simulation.
 */
#include "jsv/regex/dfa.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "jsv/base/utf8.h"
#include "jsv/regex/nfa.h"

/* 64 KiB of table: a small part of the second-level cache, and indexes have 16 bits. */
#define ENTRIES_MAX 32768
/* Visits to nodes while building: a few milliseconds. */
#define WORK_MAX 2000000

/* A state is the index of its row in the table, except for these. */
enum {
    STATE_FAIL,         /* no match, whatever follows */
    STATE_MATCH,        /* a match, whatever follows */
    STATE_BEYOND_ASCII, /* the byte is not ASCII: decode the character */
    FIRST_ROW,
};

/* Columns of the end of the text and of bytes beyond ASCII; kind k has column k + 2. */
#define COLUMN_END    0
#define COLUMN_BEYOND 1
#define COLUMN_FIRST  2

struct jsv_dfa {
    size_t size; /* of the whole block */
    const uint16_t *table;
    /* Characters beyond ASCII from starts[i] on have the column start_columns[i]. */
    const uint32_t *starts;
    const uint8_t *start_columns;
    size_t start_count;
    uint16_t first;
    uint8_t columns[256]; /* of each byte */
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
    uint64_t work; /* besides visits to nodes */

    uint16_t *table;
    struct state *states;
    size_t state_count;
    size_t state_max;
    uint16_t *slots; /* hash table of states: index + 1, or 0 */
    size_t slot_mask;

    struct jsv_nfa_state current;
};

static uint16_t row_of(const struct builder *builder, size_t state)
{
    return (uint16_t)(FIRST_ROW + state * builder->columns);
}

static size_t hash_current(const struct builder *builder)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < builder->current.count; i++) {
        uint64_t word = (builder->current.items[i] + 1u) * 0x9E3779B97F4A7C15u;
        sum += word ^ word >> 32;
    }
    return (size_t)(sum ^ sum >> 29);
}

static bool equals_current(const struct builder *builder, const struct state *state)
{
    if (state->count != builder->current.count) {
        return false;
    }
    for (size_t i = 0; i < state->count; i++) {
        if (builder->current.marks[state->nodes[i]] != builder->current.round) {
            return false;
        }
    }
    return true;
}

/* Add the current set as the last state. */
static int add_state(struct builder *builder)
{
    if (builder->state_count == builder->state_max) {
        return -E2BIG;
    }
    struct state *state = &builder->states[builder->state_count];
    state->count = builder->current.count;
    state->nodes = jsv_arena_array(builder->arena, state->count, sizeof state->nodes[0]);
    if (!state->nodes) {
        return -ENOMEM;
    }
    memcpy(state->nodes, builder->current.items, state->count * sizeof state->nodes[0]);
    builder->state_count++;
    return 0;
}

/* Find or add the row of the current set. */
static int find_row(struct builder *builder, uint16_t *ret_row)
{
    size_t slot = hash_current(builder) & builder->slot_mask;
    for (; builder->slots[slot]; slot = (slot + 1) & builder->slot_mask) {
        size_t known = builder->slots[slot] - 1u;
        builder->work++;
        if (equals_current(builder, &builder->states[known])) {
            *ret_row = row_of(builder, known);
            return 0;
        }
    }
    size_t state = builder->state_count;
    int error = add_state(builder);
    if (error) {
        return error;
    }
    builder->slots[slot] = (uint16_t)(state + 1);
    *ret_row = row_of(builder, state);
    return 0;
}

/* Whether the current set needs no row; *ret_next is then its result. */
static bool is_decided(const struct builder *builder, uint16_t *ret_next)
{
    *ret_next = builder->current.matches ? STATE_MATCH : STATE_FAIL;
    return builder->current.matches || builder->current.count == 0;
}

/* The state after a character of some kind. */
static int step(struct builder *builder, size_t state, unsigned kind, uint16_t *ret_next)
{
    const struct state from = builder->states[state];
    jsv_nfa_state_begin(&builder->current);
    builder->work += from.count;
    for (size_t i = 0; i < from.count; i++) {
        const struct jsv_nfa_node *node = &builder->nfa.nodes[from.nodes[i]];
        if (node->kind == JSV_NFA_SET &&
            jsv_alphabet_contains(&builder->alphabet, node->set, kind)) {
            jsv_nfa_state_add(&builder->current, node->next, false, false);
        }
    }
    jsv_nfa_state_add(&builder->current, builder->nfa.entry, false, false);
    return is_decided(builder, ret_next) ? 0 : find_row(builder, ret_next);
}

/* The result of a state at the end of the text. */
static uint16_t step_end(struct builder *builder, size_t state, bool at_start)
{
    const struct state from = builder->states[state];
    jsv_nfa_state_begin(&builder->current);
    for (size_t i = 0; i < from.count; i++) {
        if (builder->nfa.nodes[from.nodes[i]].kind == JSV_NFA_END) {
            jsv_nfa_state_add(&builder->current, from.nodes[i], at_start, true);
        }
    }
    return builder->current.matches ? STATE_MATCH : STATE_FAIL;
}

static bool is_too_much_work(const struct builder *builder)
{
    return builder->work + builder->current.visits > WORK_MAX;
}

static int fill_row(struct builder *builder, size_t state, bool at_start)
{
    uint16_t *row = builder->table + row_of(builder, state);
    row[COLUMN_END] = step_end(builder, state, at_start);
    row[COLUMN_BEYOND] = STATE_BEYOND_ASCII;
    for (unsigned kind = 0; kind < builder->alphabet.kinds; kind++) {
        int error = step(builder, state, kind, &row[COLUMN_FIRST + kind]);
        if (!error && is_too_much_work(builder)) {
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
 * hash table, because an equal state later has not passed ^.
 */
static int make_states(struct builder *builder, uint16_t *ret_first)
{
    jsv_nfa_state_begin(&builder->current);
    jsv_nfa_state_add(&builder->current, builder->nfa.entry, true, false);
    if (is_decided(builder, ret_first)) {
        return 0;
    }
    size_t first = builder->state_count;
    int error = add_state(builder);
    for (size_t state = 0; state < builder->state_count && !error; state++) {
        error = fill_row(builder, state, state == first);
    }
    *ret_first = FIRST_ROW;
    return error;
}

/* Prepare for up to state_max states, a power of two. */
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
    uint32_t *lists = jsv_arena_array(builder->arena, 4 * nodes + 1, sizeof lists[0]);
    if (!builder->table || !builder->states || !builder->slots || !lists) {
        return -ENOMEM;
    }
    memset(builder->slots, 0, slots * sizeof builder->slots[0]);
    memset(lists, 0, nodes * sizeof lists[0]);
    builder->current = (struct jsv_nfa_state){
        .nodes = builder->nfa.nodes,
        .marks = lists,
        .items = lists + nodes,
        .pending = lists + 2 * nodes,
        .visits = builder->current.visits,
    };
    return 0;
}

/* Most patterns need few states. If not, the work starts again with space for more. */
static int build_table(struct builder *builder, uint16_t *ret_first)
{
    int error;
    size_t state_max = 64;
    bool larger_helps;
    do {
        error = builder_init(builder, state_max);
        error = error ? error : make_states(builder, ret_first);
        larger_helps = builder->state_max == state_max && !is_too_much_work(builder);
        state_max *= 8;
    } while (error == -E2BIG && larger_helps);
    return error;
}

/* List the columns of characters. @return the number of starts beyond ASCII. */
static size_t map_characters(
    const struct jsv_alphabet *alphabet, uint8_t *columns, uint32_t *starts, uint8_t *start_columns)
{
    size_t count = 0;
    for (size_t byte = 128; byte < 256; byte++) {
        columns[byte] = COLUMN_BEYOND;
    }
    for (size_t i = 0; i < alphabet->segment_count; i++) {
        uint32_t start = alphabet->starts[i];
        uint32_t end =
            i + 1 < alphabet->segment_count ? alphabet->starts[i + 1] : JSV_CODE_POINT_MAX + 1;
        uint8_t column = (uint8_t)(alphabet->kind_of[i] + COLUMN_FIRST);
        for (; start < end && start < 128; start++) {
            columns[start] = column;
        }
        if (start < end && (count == 0 || start_columns[count - 1] != column)) {
            starts[count] = start;
            start_columns[count++] = column;
        }
    }
    return count;
}

/* Copy the parts needed for searching into one block. */
static int pack(
    const struct builder *builder,
    uint16_t first,
    const struct jsv_allocator *allocator,
    struct jsv_dfa **ret_dfa)
{
    size_t entries = row_of(builder, builder->state_count);
    size_t segments = builder->alphabet.segment_count;
    size_t size = sizeof(struct jsv_dfa) + segments * sizeof(uint32_t) +
                  entries * sizeof(uint16_t) + segments;
    struct jsv_dfa *dfa = jsv_alloc(allocator, size);
    if (!dfa) {
        return -ENOMEM;
    }
    uint32_t *starts = (uint32_t *)(dfa + 1);
    uint16_t *table = (uint16_t *)(starts + segments);
    uint8_t *start_columns = (uint8_t *)(table + entries);
    memcpy(table, builder->table, entries * sizeof table[0]);
    dfa->size = size;
    dfa->first = first;
    dfa->starts = starts;
    dfa->start_columns = start_columns;
    dfa->table = table;
    dfa->start_count = map_characters(&builder->alphabet, dfa->columns, starts, start_columns);
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
    struct jsv_nfa_part whole = {&syntax->root->group, NULL};
    int error = jsv_nfa_build(syntax, whole, arena, &builder.nfa);
    error = error ? error : jsv_alphabet_build(&builder.nfa, arena, &builder.alphabet);
    if (error) {
        return error;
    }
    builder.columns = builder.alphabet.kinds + COLUMN_FIRST;
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

static uint8_t find_column(const struct jsv_dfa *dfa, uint32_t character)
{
    if (character < 128) {
        return dfa->columns[character];
    }
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
    return dfa->start_columns[low];
}

/* Continue at a character beyond ASCII. A function of its own, so that the loop below needs no
   registers saved: 12 of 37 instructions of a short search. */
static __attribute__((noinline)) bool
search_beyond_ascii(const struct jsv_dfa *dfa, const uint16_t *row, struct jsv_str rest)
{
    while (rest.size > 0) {
        uint32_t character;
        size_t size = jsv_utf8_decode(rest, &character);
        rest = (struct jsv_str){rest.data + size, rest.size - size};
        uint16_t state = row[find_column(dfa, character)];
        if (state < FIRST_ROW) {
            return state == STATE_MATCH;
        }
        row = dfa->table + state;
    }
    return row[COLUMN_END] == STATE_MATCH;
}

bool jsv_dfa_search(const struct jsv_dfa *dfa, struct jsv_str subject)
{
    const char *at = subject.data;
    const char *end = at + subject.size;
    const uint16_t *row = dfa->table;
    uint16_t state = dfa->first;
    while (state >= FIRST_ROW) {
        row = dfa->table + state;
        uint16_t next;
        /*
         * Runs stay in one state. The processor predicts that the next state is
         * the same and does not wait for the table: several times faster than
         * following it.
         */
        do {
            if (at == end) {
                return row[COLUMN_END] == STATE_MATCH;
            }
            next = row[dfa->columns[(unsigned char)*at++]];
        } while (next == state);
        state = next;
    }
    if (state == STATE_BEYOND_ASCII) {
        return search_beyond_ascii(dfa, row, (struct jsv_str){at - 1, (size_t)(end - at) + 1});
    }
    return state == STATE_MATCH;
}
