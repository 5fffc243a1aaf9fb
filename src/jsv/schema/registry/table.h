/*
 * Things by name: a hash table in an arena.
 *
 * What is put in begins with a struct jsv_table_key and stays where it is; the
 * table holds pointers. A key is a text and what the text belongs to: the
 * anchors of a resource, the members of an object. Either may be left empty.
 * Texts come from schemas, so hashing is seeded.
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

/* What was put in under a key; NULL when nothing was. */
void *jsv_table_find(const struct jsv_table *table, const void *owner, struct jsv_str text);

/* Put something in. @return 0; -EEXIST when its key is taken; -ENOMEM. */
int jsv_table_add(struct jsv_table *table, struct jsv_table_key *entry);

/* Take out something that is in. */
void jsv_table_remove(struct jsv_table *table, const struct jsv_table_key *entry);
