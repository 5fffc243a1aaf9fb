#include "jsv/schema/registry/table.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/hash.h"

#define CAPACITY_MIN 16

/* The address of the arena is the seed, because authors of schemas cannot know it. */
static size_t home_of(const struct jsv_table *table, const void *owner, struct jsv_str text)
{
    uint64_t seed = (uint64_t)(uintptr_t)table->arena;
    uint64_t hash = ((uint64_t)(uintptr_t)owner ^ seed) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 32;
    if (text.size) {
        hash ^= jsv_hash(text, seed);
    }
    return (size_t)hash & (table->capacity - 1);
}

static bool has_key(const struct jsv_table_key *entry, const void *owner, struct jsv_str text)
{
    return entry->owner == owner && jsv_str_equal(entry->text, text);
}

/* The slot of a key, or the empty one where it belongs. */
static size_t slot_of(const struct jsv_table *table, const void *owner, struct jsv_str text)
{
    size_t at = home_of(table, owner, text);
    while (table->slots[at] && !has_key(table->slots[at], owner, text)) {
        at = (at + 1) & (table->capacity - 1);
    }
    return at;
}

void *jsv_table_find(const struct jsv_table *table, const void *owner, struct jsv_str text)
{
    return table->count ? table->slots[slot_of(table, owner, text)] : NULL;
}

static int grow(struct jsv_table *table)
{
    struct jsv_table_key **old = table->slots;
    size_t old_capacity = table->capacity;
    size_t capacity = old_capacity ? 2 * old_capacity : CAPACITY_MIN;
    struct jsv_table_key **slots = jsv_arena_array(table->arena, capacity, sizeof(*slots));
    if (!slots) {
        return -ENOMEM;
    }
    memset(slots, 0, capacity * sizeof(*slots));
    table->slots = slots;
    table->capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i]) {
            slots[slot_of(table, old[i]->owner, old[i]->text)] = old[i];
        }
    }
    return 0;
}

int jsv_table_add(struct jsv_table *table, struct jsv_table_key *entry)
{
    if (2 * (table->count + 1) > table->capacity) {
        int r = grow(table);
        if (r < 0) {
            return r;
        }
    }
    size_t at = slot_of(table, entry->owner, entry->text);
    if (table->slots[at]) {
        return -EEXIST;
    }
    table->slots[at] = entry;
    table->count++;
    return 0;
}

/* Move later entries up, so that no search ends at the gap too early. */
void jsv_table_remove(struct jsv_table *table, const struct jsv_table_key *entry)
{
    size_t mask = table->capacity - 1;
    size_t gap = slot_of(table, entry->owner, entry->text);
    for (size_t at = (gap + 1) & mask; table->slots[at]; at = (at + 1) & mask) {
        size_t home = home_of(table, table->slots[at]->owner, table->slots[at]->text);
        bool stays = ((at - home) & mask) < ((at - gap) & mask);
        if (!stays) {
            table->slots[gap] = table->slots[at];
            gap = at;
        }
    }
    table->slots[gap] = NULL;
    table->count--;
}
