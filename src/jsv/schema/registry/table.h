/*
 * A hash table in an arena.
 *
 * Entries begin with a struct jsv_table_key; the table holds pointers to them.
 * A key is a text and its owner, such as the resource of an anchor. Both are
 * optional. Hashing is seeded because the texts come from schemas.
 */
#pragma once

#include <jsv/jsv.h>

struct jsv_table_key {
    const void *owner;
    struct jsv_str text; /* borrowed */
};

struct jsv_table {
    struct jsv_arena *arena;
    struct jsv_table_key **slots; /* open addressing, a power of two */
    size_t capacity;
    size_t count;
};

static inline struct jsv_table jsv_table_on(struct jsv_arena *arena)
{
    return (struct jsv_table){.arena = arena};
}

/* The entry with a key, or NULL. */
void *jsv_table_find(const struct jsv_table *table, const void *owner, struct jsv_str text);

/* Add an entry. @return 0; -EEXIST when its key is taken; -ENOMEM. */
int jsv_table_add(struct jsv_table *table, struct jsv_table_key *entry);

/* Remove an entry that is in the table. */
void jsv_table_remove(struct jsv_table *table, const struct jsv_table_key *entry);
