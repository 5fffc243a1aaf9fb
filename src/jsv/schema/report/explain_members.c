#include "jsv/schema/report/explain_members.h"

#include "jsv/base/hash.h"

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

static int index_members(struct jsv_explain *x, struct jsv_named_members *members, size_t count)
{
    const struct jsv_node *object = members->object;
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
        struct jsv_str name = jsv_string_text(x->document, key);
        r = charge(x, 3 + jsv_steps_for_text(name.size));
        if (r < 0) {
            return r;
        }
        size_t slot = home_of(members, name);
        while (slots[slot]) {
            slot = (slot + 1) & (members->capacity - 1);
        }
        slots[slot] = pack_member(members, key, i);
    }
    return 0;
}

int jsv_named_members_on(
    struct jsv_explain *x,
    const struct jsv_node *object,
    size_t names,
    struct jsv_named_members *ret_members)
{
    *ret_members = (struct jsv_named_members){
        .object = object,
        .end = jsv_node_next(object),
        .next = object + 1,
    };
    size_t count = jsv_node_count(object);
    bool few = count <= 1 || names <= 1 || names * count <= PAIRS_MAX;
    return few ? 0 : index_members(x, ret_members, count);
}

/* The member of a name among those from one on; NULL when it is not there. */
static const struct jsv_node *find_between(
    const struct jsv_explain *x,
    const struct jsv_node *key,
    const struct jsv_node *end,
    const struct jsv_key *name,
    size_t *index)
{
    for (; key < end; key = jsv_node_next(key + 1), ++*index) {
        if (jsv_key_equals_node(name, x->document, key)) {
            return key;
        }
    }
    return NULL;
}

static const struct jsv_node *find_indexed(
    const struct jsv_explain *x,
    const struct jsv_named_members *members,
    const struct jsv_key *name,
    size_t *ret_index)
{
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

const struct jsv_node *jsv_named_members_search(
    const struct jsv_explain *x,
    struct jsv_named_members *members,
    const struct jsv_key *name,
    size_t *ret_index)
{
    const struct jsv_node *key;
    if (members->capacity > 0) {
        key = find_indexed(x, members, name, ret_index);
    } else {
        *ret_index = members->next_index;
        key = find_between(x, members->next, members->end, name, ret_index);
        if (!key) {
            *ret_index = 0;
            key = find_between(x, members->object + 1, members->next, name, ret_index);
        }
    }
    if (key) {
        members->next = jsv_node_next(key + 1);
        members->next_index = *ret_index + 1;
    }
    return key;
}
