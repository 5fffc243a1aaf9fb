#include "schema/explain_members.h"

#include "base/hash.h"

/* Names times members up to which looking at each in turn is cheaper than an index. */
#define PAIRS_MAX 256

/* A member: where its key is, counted from the object, and which one it is. */
static uint64_t
pack_member(const struct jsv_named_members *members, const struct jsv_node *key, size_t index)
{
    return (uint64_t)(key - members->object) << 32 | index;
}

static size_t home_of(const struct jsv_named_members *members, struct jsv_str name)
{
    return (size_t)jsv_hash(name, (uint64_t)(uintptr_t)members->object) & (members->capacity - 1);
}

int jsv_named_members_index(struct jsv_explain *x, struct jsv_named_members *members, size_t names)
{
    const struct jsv_node *object = members->object;
    size_t count = jsv_node_count(object);
    if (count <= 1 || names <= 1 || names * count <= PAIRS_MAX) {
        return 0;
    }
    members->capacity = 4;
    while (members->capacity < 2 * count) {
        members->capacity *= 2;
    }
    int r = jsv_explain_take_words(x, members->capacity, &members->at);
    if (r < 0) {
        return r;
    }
    uint64_t *slots = words_at(x, members->at);
    const struct jsv_node *key = object + 1;
    for (size_t i = 0; i < count; i++, key = jsv_node_next(key + 1)) {
        size_t slot = home_of(members, jsv_string_text(x->document, key));
        while (slots[slot]) {
            slot = (slot + 1) & (members->capacity - 1);
        }
        slots[slot] = pack_member(members, key, i);
    }
    return 0;
}

const struct jsv_node *jsv_named_members_find(
    const struct jsv_explain *x,
    const struct jsv_named_members *members,
    const struct jsv_key *name,
    size_t *ret_index)
{
    if (members->capacity == 0) {
        const struct jsv_node *key = members->object + 1;
        const struct jsv_node *end = jsv_node_next(members->object);
        for (*ret_index = 0; key < end; key = jsv_node_next(key + 1), ++*ret_index) {
            if (jsv_key_equals_node(name, x->document, key)) {
                return key;
            }
        }
        return NULL;
    }
    const uint64_t *slots = words_at(x, members->at);
    size_t slot = home_of(members, name->text);
    for (; slots[slot]; slot = (slot + 1) & (members->capacity - 1)) {
        const struct jsv_node *key = members->object + (slots[slot] >> 32);
        if (jsv_key_equals_node(name, x->document, key)) {
            *ret_index = (uint32_t)slots[slot];
            return key;
        }
    }
    return NULL;
}
