#include "schema/names.h"

#include <errno.h>

/* Multipliers tried per table size before it is doubled. */
#define TRIES_MAX 16

/* Tables may grow to this many slots per name; then names that fall together are chained. */
#define SLOTS_PER_NAME_MAX 16

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15ull;
    uint64_t mixed = (*state ^ *state >> 30) * 0xBF58476D1CE4E5B9ull;
    return mixed ^ mixed >> 27;
}

static size_t place_of(const struct jsv_names_table *table, const struct jsv_key *name)
{
    return (size_t)(jsv_names_mix(name->prefix, name->head) * table->multiplier >> table->shift);
}

/* How many names fall on a place that is taken. */
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

static void put_name(struct jsv_name_slot *slot, const struct jsv_key *name, uint32_t index)
{
    size_t size = name->text.size;
    *slot = (struct jsv_name_slot){
        .head = name->head,
        .prefix = name->prefix,
        .tail =
            size > JSV_PREFIX_SIZE ? jsv_load_word(name->text.data + size - sizeof(uint64_t)) : 0,
        .text = name->text.data,
        .index = index,
    };
}

int jsv_names_build(
    struct jsv_names_table *table,
    struct jsv_arena *arena,
    const struct jsv_key *names,
    uint32_t count)
{
    unsigned bits = 1;
    while ((1ull << bits) < count) {
        bits++;
    }
    unsigned bits_max = bits;
    while ((1ull << bits_max) < (uint64_t)count * SLOTS_PER_NAME_MAX) {
        bits_max++;
    }
    unsigned char *taken = jsv_arena_alloc(arena, (size_t)1 << bits_max);
    if (!taken) {
        return -ENOMEM;
    }
    *table = (struct jsv_names_table){.count = count};
    uint32_t chained = choose_multiplier(table, names, count, bits, bits_max, taken);
    size_t hashed = (size_t)1 << (64 - table->shift);
    table->slot_count = hashed + chained;
    table->slots = jsv_arena_array(arena, table->slot_count, sizeof(*table->slots));
    if (!table->slots) {
        return -ENOMEM;
    }
    memset(table->slots, 0, hashed * sizeof(*table->slots));
    uint32_t next = (uint32_t)hashed;
    for (uint32_t i = 0; i < count; i++) {
        struct jsv_name_slot *slot = &table->slots[place_of(table, &names[i])];
        if (slot->head == 0) {
            put_name(slot, &names[i], i);
            continue;
        }
        put_name(&table->slots[next], &names[i], i);
        table->slots[next].chain = slot->chain;
        slot->chain = next++;
    }
    return 0;
}
