/*
 * A set of names, fixed when a schema is compiled, for looking up strings of a
 * document.
 *
 * The slot of a name is its first bytes and its size times a multiplier. The
 * multiplier is searched until no two names collide, so a look-up is one
 * multiplication and one comparison. Names with the same first bytes and size
 * collide in any case and are chained. Where a chain is long, because names
 * like "property_0001" come in thousands, the whole name is hashed instead.
 */
#pragma once

#include "jsv/base/text.h"
#include "jsv/json/node.h"

#define JSV_NAME_NONE  UINT32_MAX
#define JSV_CHAIN_LONG UINT32_MAX

/* Names up to this size are identified by their first and last bytes. */
#define JSV_NAME_ENDS_SIZE (2 * sizeof(uint64_t))

struct jsv_name_slot {
    uint32_t head;   /* as in a key's node: type and size; 0 when the slot is empty */
    uint32_t chain;  /* slot of a colliding name; 0: none; JSV_CHAIN_LONG: many */
    uint64_t prefix; /* first 8 bytes */
    uint64_t tail;   /* last 8 bytes, when there are more than 8 */
    uint32_t at;     /* index of the name, unless the user of the table stores something else */
    uint32_t info;   /* for the user of the table */
};

struct jsv_names_table {
    uint64_t multiplier;
    unsigned shift;
    uint32_t count;
    size_t slot_count;
    struct jsv_name_slot *slots; /* the hashed ones, then the chained ones */
    const char **texts;          /* of the names, by slot */
    uint32_t *by_text;           /* slots + 1 by hash of the whole name; NULL: no chain is long */
    size_t by_text_mask;
    bool simple; /* all names are identified by their ends, none are chained; gains 4 to 5 % */
};

/*
 * Make a table of names, each at most JSV_STRING_SHORT_MAX long; repeated names
 * are ignored. The text of the names is borrowed. @return 0 or -ENOMEM.
 */
int jsv_names_build(
    struct jsv_names_table *table,
    struct jsv_arena *arena,
    struct jsv_arena *scratch,
    const struct jsv_key *names,
    uint32_t count);

static inline uint32_t jsv_names_head(uint64_t head)
{
    return (uint32_t)(head & JSV_KEY_HEAD_MASK);
}

/* Whether the name of a slot has the first bytes and the size of a string. */
static inline bool jsv_name_has_start(const struct jsv_name_slot *slot, const struct jsv_node *node)
{
    return slot->prefix == node->body && slot->head == jsv_names_head(node->head);
}

/* Whether these are the whole name. */
static inline bool jsv_name_is_short(const struct jsv_name_slot *slot)
{
    return slot->head < (JSV_PREFIX_SIZE + 1) << JSV_NODE_SIZE_SHIFT;
}

/* Compare the last bytes of a text with a name of the same size, of more than a word. */
static inline bool jsv_name_has_end(const struct jsv_name_slot *slot, const char *text)
{
    size_t size = slot->head >> JSV_NODE_SIZE_SHIFT;
    return jsv_load_word(text + size - sizeof(uint64_t)) == slot->tail;
}

/* Compare a text with a name of the same size and the same first bytes. */
static inline bool jsv_name_is_text(
    const struct jsv_names_table *table, const struct jsv_name_slot *slot, const char *text)
{
    if (!jsv_name_has_end(slot, text)) {
        return false;
    }
    size_t size = slot->head >> JSV_NODE_SIZE_SHIFT;
    if (size <= JSV_NAME_ENDS_SIZE) {
        return true;
    }
    const char *name = table->texts[slot - table->slots];
    for (size_t at = sizeof(uint64_t); at + sizeof(uint64_t) < size; at += sizeof(uint64_t)) {
        if (jsv_load_word(text + at) != jsv_load_word(name + at)) {
            return false;
        }
    }
    return true;
}

/* The same as jsv_names_slot for any names and strings. */
const struct jsv_name_slot *jsv_names_slot_far(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node);

/* The slot, or the first of the chain, for a head and first bytes. */
static inline const struct jsv_name_slot *
jsv_names_home(const struct jsv_names_table *table, uint32_t head, uint64_t prefix)
{
    return &table->slots[(prefix ^ head) * table->multiplier >> table->shift];
}

/*
 * The slot of the name equal to the string of a node, or NULL. The lower half
 * of the head of a string without escapes is that of a slot; the text of a
 * string with escapes is stored elsewhere.
 */
static inline __attribute__((always_inline)) const struct jsv_name_slot *jsv_names_look_up(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node,
    bool simple)
{
    uint32_t head = (uint32_t)node->head;
    const struct jsv_name_slot *slot = jsv_names_home(table, head, node->body);
    if (slot->head == head && slot->prefix == node->body) {
        const char *text = document->text + jsv_node_start(node);
        if (jsv_name_is_short(slot) ||
            (simple ? jsv_name_has_end(slot, text) : jsv_name_is_text(table, slot, text))) {
            return slot;
        }
    }
    uint32_t odd = head & JSV_NODE_ESCAPED << JSV_NODE_FLAGS_SHIFT;
    odd |= simple ? 0 : slot->chain;
    return __builtin_expect(odd, 0) ? jsv_names_slot_far(table, document, node) : NULL;
}

/* The same for a table that is simple. */
static inline const struct jsv_name_slot *jsv_names_slot_simple(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    return jsv_names_look_up(table, document, node, true);
}

static inline const struct jsv_name_slot *jsv_names_slot(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    return jsv_names_look_up(table, document, node, false);
}

/* The `at` of the slot of a node's string, or JSV_NAME_NONE. */
static inline uint32_t jsv_names_find(
    const struct jsv_names_table *table,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    const struct jsv_name_slot *slot = jsv_names_slot(table, document, node);
    return slot ? slot->at : JSV_NAME_NONE;
}

/* Iterate over the used slots: NULL gives the first, and NULL follows the last. */
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

/* The slot of a name, or NULL. */
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
