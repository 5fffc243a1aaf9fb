/*
 * A set of names, fixed when a schema is compiled, that strings of a document
 * are looked up in.
 *
 * The place of a name is a product of its first bytes and its size with a
 * multiplier that was searched for until no two names fall together, so a
 * look-up is one multiplication and one comparison. Names that agree in their
 * first bytes and their size cannot be told apart so; they are chained. Where
 * a chain is long, since "property_0001" and its kind come in thousands, all
 * of the name is hashed instead.
 */
#pragma once

#include "json/node.h"

#define JSV_NAME_NONE  UINT32_MAX
#define JSV_CHAIN_LONG UINT32_MAX

struct jsv_name_slot {
    uint64_t head;   /* as in a key's node; 0 when the slot is empty */
    uint64_t prefix; /* first 8 bytes */
    uint64_t tail;   /* last 8 bytes, when there are more than 8 */
    const char *text;
    uint32_t index; /* of the name */
    uint32_t chain; /* slot of another name that falls here; 0: none; JSV_CHAIN_LONG: many */
    uint32_t at;    /* for the table's user */
    uint32_t info;  /* for the table's user */
};

struct jsv_names_table {
    uint64_t multiplier;
    unsigned shift;
    uint32_t count;
    size_t slot_count;
    struct jsv_name_slot *slots; /* the hashed ones, then the chained ones */
    uint32_t *by_text;           /* slots + 1 by hash of the whole name; NULL: no chain is long */
    size_t by_text_mask;
};

/*
 * Make a table of names, each at most JSV_STRING_SHORT_MAX long; of equal ones
 * the first counts. The names' text is borrowed. @return 0 or -ENOMEM.
 */
int jsv_names_build(
    struct jsv_names_table *table,
    struct jsv_arena *arena,
    struct jsv_arena *scratch,
    const struct jsv_key *names,
    uint32_t count);

static inline uint64_t jsv_names_mix(uint64_t prefix, uint64_t head)
{
    return prefix ^ (head & JSV_KEY_HEAD_MASK) << 40;
}

static inline uint64_t jsv_load_word(const char *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof(word));
    return word;
}

/* Whether a slot's name is the string of a node. */
static inline bool jsv_name_is(
    const struct jsv_name_slot *slot,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    if (slot->head != (node->head & JSV_KEY_HEAD_MASK) || slot->prefix != node->body) {
        return false;
    }
    size_t size = slot->head >> JSV_NODE_SIZE_SHIFT;
    if (size <= JSV_PREFIX_SIZE) {
        return true;
    }
    const char *data = jsv_string_data(document, node);
    if (jsv_load_word(data + size - sizeof(uint64_t)) != slot->tail) {
        return false;
    }
    return size <= 2 * sizeof(uint64_t) || jsv_words_equal(data, slot->text, size);
}

/* The same as jsv_names_slot, by hashing all of the name. */
const struct jsv_name_slot *jsv_names_slot_by_text(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node);

/* The slot of the name that is the string of a node; NULL when none is. */
static inline const struct jsv_name_slot *jsv_names_slot(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    uint64_t place = jsv_names_mix(node->body, node->head) * table->multiplier >> table->shift;
    const struct jsv_name_slot *slot = &table->slots[place];
    for (;;) {
        if (jsv_name_is(slot, document, node)) {
            return slot;
        }
        if (__builtin_expect(slot->chain == 0, 1)) {
            return NULL;
        }
        if (slot->chain == JSV_CHAIN_LONG) {
            return jsv_names_slot_by_text(table, document, node);
        }
        slot = &table->slots[slot->chain];
    }
}

/* Index of the name that is the string of a node; JSV_NAME_NONE when none is. */
static inline uint32_t jsv_names_find(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    const struct jsv_name_slot *slot = jsv_names_slot(table, document, node);
    return slot ? slot->index : JSV_NAME_NONE;
}

/* The used slots of a table, one after the other, from slot 0 on; NULL behind the last. */
static inline struct jsv_name_slot *
jsv_names_next(const struct jsv_names_table *table, struct jsv_name_slot *slot)
{
    struct jsv_name_slot *end = table->slots + table->slot_count;
    for (slot = slot ? slot + 1 : table->slots; slot < end; slot++) {
        if (slot->head) {
            return slot;
        }
    }
    return NULL;
}

/* The slot of a name, by the name; NULL when the table does not have it. */
static inline struct jsv_name_slot *
jsv_names_slot_of(const struct jsv_names_table *table, const struct jsv_key *name)
{
    struct jsv_node node = {name->head, name->prefix};
    struct jsv_document document = {.text = name->text.data};
    const struct jsv_name_slot *slot = jsv_names_slot(table, &document, &node);
    return slot ? table->slots + (slot - table->slots) : NULL;
}

static inline bool jsv_names_has(const struct jsv_names_table *table, const struct jsv_key *name)
{
    return jsv_names_slot_of(table, name) != NULL;
}
