#include "jsv/schema/program/names.h"

#include <assert.h>
#include <errno.h>

#include "jsv/base/hash.h"

/* Multipliers tried per table size before it is doubled. */
#define TRIES_MAX 16

/*
 * A small table may grow to this many slots per name to avoid collisions; a
 * large one, which always has some, only to twice the names.
 */
#define SLOTS_PER_NAME_MAX 16
#define SLOTS_SMALL        1024

/* Colliding names before the whole name is hashed. */
#define CHAIN_MAX 8

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15ull;
    uint64_t mixed = (*state ^ *state >> 30) * 0xBF58476D1CE4E5B9ull;
    return mixed ^ mixed >> 27;
}

static size_t place_of(const struct jsv_names_table *table, const struct jsv_key *name)
{
    return (size_t)((name->prefix ^ name->head) * table->multiplier >> table->shift);
}

/* The number of names whose slot is taken. */
static uint32_t count_collisions(
    const struct jsv_names_table *table,
    const struct jsv_key *names,
    uint32_t count,
    unsigned char *taken)
{
    memset(taken, 0, (size_t)1 << (64 - table->shift));
    uint32_t collisions = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t place = place_of(table, &names[i]);
        collisions += taken[place];
        taken[place] = 1;
    }
    return collisions;
}

/* Search for the multiplier with the fewest collisions, growing the table while there are any. */
static uint32_t choose_multiplier(
    struct jsv_names_table *table,
    const struct jsv_key *names,
    uint32_t count,
    unsigned bits,
    unsigned bits_max,
    unsigned char *taken)
{
    uint64_t state = count;
    struct jsv_names_table best = {0};
    uint32_t fewest = UINT32_MAX;
    for (; bits <= bits_max && fewest > 0; bits++) {
        table->shift = 64 - bits;
        for (unsigned i = 0; i < TRIES_MAX && fewest > 0; i++) {
            table->multiplier = next_random(&state) | 1;
            uint32_t collisions = count_collisions(table, names, count, taken);
            if (collisions < fewest) {
                fewest = collisions;
                best = *table;
            }
        }
    }
    table->multiplier = best.multiplier;
    table->shift = best.shift;
    return fewest;
}

static void
put_name(struct jsv_names_table *table, uint32_t at, const struct jsv_key *name, uint32_t index)
{
    size_t size = name->text.size;
    table->texts[at] = name->text.data;
    table->slots[at] = (struct jsv_name_slot){
        .head = (uint32_t)name->head,
        .prefix = name->prefix,
        .tail =
            size > JSV_PREFIX_SIZE ? jsv_load_word(name->text.data + size - sizeof(uint64_t)) : 0,
        .at = index,
    };
}

/* The maximum size of a table, in bits. */
static unsigned bits_max_of(unsigned bits, uint32_t count)
{
    uint64_t slots = (uint64_t)count * SLOTS_PER_NAME_MAX;
    if (slots > SLOTS_SMALL) {
        slots = 2ull * count > SLOTS_SMALL ? 2ull * count : SLOTS_SMALL;
    }
    while ((2ull << bits) <= slots) {
        bits++;
    }
    return bits;
}

static size_t home_of(const struct jsv_names_table *table, struct jsv_str text)
{
    return (size_t)jsv_hash(text, (uint64_t)(uintptr_t)table->by_text) & table->by_text_mask;
}

/* Whether the name of a slot equals the string of a node. */
static bool slot_is(
    const struct jsv_names_table *table,
    const struct jsv_name_slot *slot,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    return jsv_name_has_start(slot, node) &&
           (jsv_name_is_short(slot) ||
            jsv_name_is_text(table, slot, jsv_string_data(document, node)));
}

static const struct jsv_name_slot *slot_by_text(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    size_t at = home_of(table, jsv_string_text(document, node));
    for (; table->by_text[at]; at = (at + 1) & table->by_text_mask) {
        const struct jsv_name_slot *slot = &table->slots[table->by_text[at] - 1];
        if (slot_is(table, slot, document, node)) {
            return slot;
        }
    }
    return NULL;
}

const struct jsv_name_slot *jsv_names_slot_far(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    const struct jsv_name_slot *slot =
        jsv_names_home(table, jsv_names_head(node->head), node->body);
    if (slot->chain == JSV_CHAIN_LONG) {
        return slot_by_text(table, document, node);
    }
    while (!slot_is(table, slot, document, node)) {
        if (slot->chain == 0) {
            return NULL;
        }
        slot = &table->slots[slot->chain];
    }
    return slot;
}

/* Allocate the table by text for all names. */
static int make_by_text(struct jsv_names_table *table, struct jsv_arena *arena)
{
    size_t capacity = 4;
    while (capacity < 2 * (size_t)table->count) {
        capacity *= 2;
    }
    table->by_text = jsv_arena_array(arena, capacity, sizeof(*table->by_text));
    if (!table->by_text) {
        return -ENOMEM;
    }
    memset(table->by_text, 0, capacity * sizeof(*table->by_text));
    table->by_text_mask = capacity - 1;
    return 0;
}

static void put_by_text(struct jsv_names_table *table, uint32_t slot)
{
    size_t size = table->slots[slot].head >> JSV_NODE_SIZE_SHIFT;
    size_t at = home_of(table, (struct jsv_str){table->texts[slot], size});
    while (table->by_text[at]) {
        at = (at + 1) & table->by_text_mask;
    }
    table->by_text[at] = slot + 1;
}

/* Find the names of a chain by their text from now on. */
static int
lengthen_chain(struct jsv_names_table *table, struct jsv_arena *arena, struct jsv_name_slot *first)
{
    if (!table->by_text && make_by_text(table, arena) < 0) {
        return -ENOMEM;
    }
    for (const struct jsv_name_slot *slot = first;; slot = &table->slots[slot->chain]) {
        put_by_text(table, (uint32_t)(slot - table->slots));
        if (slot->chain == 0) {
            break;
        }
    }
    first->chain = JSV_CHAIN_LONG;
    return 0;
}

static uint32_t chain_length(const struct jsv_names_table *table, const struct jsv_name_slot *slot)
{
    uint32_t length = 1;
    for (; slot->chain; slot = &table->slots[slot->chain]) {
        length++;
    }
    return length;
}

/* Add a new name. @param next The first free slot for chains. */
static int add_name(
    struct jsv_names_table *table,
    struct jsv_arena *arena,
    const struct jsv_key *name,
    uint32_t index,
    uint32_t *next)
{
    uint32_t place = (uint32_t)place_of(table, name);
    struct jsv_name_slot *first = &table->slots[place];
    if (first->head == 0) {
        put_name(table, place, name, index);
        return 0;
    }
    if (first->chain != JSV_CHAIN_LONG && chain_length(table, first) == CHAIN_MAX) {
        int r = lengthen_chain(table, arena, first);
        if (r < 0) {
            return r;
        }
    }
    uint32_t added = (*next)++;
    put_name(table, added, name, index);
    if (first->chain == JSV_CHAIN_LONG) {
        put_by_text(table, added);
    } else {
        table->slots[added].chain = first->chain;
        first->chain = added;
    }
    return 0;
}

int jsv_names_build(
    struct jsv_names_table *table,
    struct jsv_arena *arena,
    struct jsv_arena *scratch,
    const struct jsv_key *names,
    uint32_t count)
{
    unsigned bits = 1;
    while ((1ull << bits) < count) {
        bits++;
    }
    unsigned bits_max = bits_max_of(bits, count);
    unsigned char *taken = jsv_arena_alloc(scratch, (size_t)1 << bits_max);
    if (!taken) {
        return -ENOMEM;
    }
    *table = (struct jsv_names_table){.count = count};
    uint32_t chained = choose_multiplier(table, names, count, bits, bits_max, taken);
    assert(table->shift > 32 && table->shift < 64);
    uint32_t next = 1u << (64 - table->shift);
    table->simple = chained == 0;
    table->slots = jsv_arena_array(arena, next + (size_t)chained, sizeof(*table->slots));
    table->texts = jsv_arena_array(arena, next + (size_t)chained, sizeof(*table->texts));
    if (!table->slots || !table->texts) {
        return -ENOMEM;
    }
    memset(table->slots, 0, next * sizeof(*table->slots));
    for (uint32_t i = 0; i < count; i++) {
        table->simple &= names[i].text.size <= JSV_NAME_ENDS_SIZE;
        if (jsv_names_has(table, &names[i])) {
            table->count--;
            continue;
        }
        int r = add_name(table, arena, &names[i], i, &next);
        if (r < 0) {
            return r;
        }
    }
    table->slot_count = next;
    return 0;
}
