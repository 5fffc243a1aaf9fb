/*
 * Deep equality, without recursion.
 *
 * Two equal values whose objects list their members in the same order have
 * tapes of the same shape: same types, same counts, one node after the other.
 * So both tapes are walked in step, a node at a time, and the first node that
 * differs settles it. Only an object whose members have another order
 * interrupts the walk: both its member lists are sorted by name, the pairs of
 * values that are containers are put aside to be walked later, and the walk
 * goes on behind the object. Each object is sorted at most once, so the whole
 * costs O(n log n), and nothing is allocated while the order agrees.
 */
#include "jsv/json/equal.h"

#include <errno.h>

#include "jsv/json/node.h"

struct pair {
    const struct jsv_node *a;
    const struct jsv_node *b;
};

struct comparison {
    const struct jsv_document *document_a;
    const struct jsv_document *document_b;
    struct jsv_members *members;
    struct jsv_stack *waiting; /* struct pair */
};

static bool numbers_equal(const struct comparison *comparison, struct pair pair)
{
    /* Below the offset a head holds type, flags and exponent: equal when written alike. */
    bool same_head = (uint32_t)pair.a->head == (uint32_t)pair.b->head;
    if (same_head && pair.a->body == pair.b->body && !(jsv_node_flags(pair.a) & JSV_NODE_BIG)) {
        return true;
    }
    struct jsv_number a = jsv_value_number((struct jsv_value){comparison->document_a, pair.a});
    struct jsv_number b = jsv_value_number((struct jsv_value){comparison->document_b, pair.b});
    return jsv_number_equal(&a, &b);
}

/* Whether two nodes can begin equal values; for scalars that is equality itself. */
static bool nodes_agree(const struct comparison *comparison, struct pair pair)
{
    enum jsv_type type = jsv_node_type(pair.a);
    if (type != jsv_node_type(pair.b)) {
        return false;
    }
    switch (type) {
    case JSV_TYPE_BOOLEAN:
        return pair.a->body == pair.b->body;
    case JSV_TYPE_NUMBER:
        return numbers_equal(comparison, pair);
    case JSV_TYPE_STRING:
        return jsv_strings_equal(comparison->document_a, pair.a, comparison->document_b, pair.b);
    case JSV_TYPE_ARRAY:
    case JSV_TYPE_OBJECT:
        return jsv_node_count(pair.a) == jsv_node_count(pair.b);
    case JSV_TYPE_NONE:
    case JSV_TYPE_NULL:
        break;
    }
    return true;
}

/* Whether two objects with as many members have the same names in the same order. */
static bool same_order(const struct comparison *comparison, struct pair objects)
{
    const struct jsv_node *end = jsv_node_next(objects.a);
    const struct jsv_node *a = objects.a + 1;
    const struct jsv_node *b = objects.b + 1;
    while (a < end) {
        if (!jsv_strings_equal(comparison->document_a, a, comparison->document_b, b)) {
            return false;
        }
        a = jsv_node_next(a + 1);
        b = jsv_node_next(b + 1);
    }
    return true;
}

/* Compare two members of the same rank; put their values aside if those are containers. */
static int compare_members(struct comparison *comparison, struct pair keys)
{
    struct pair values = {keys.a + 1, keys.b + 1};
    if (!jsv_strings_equal(comparison->document_a, keys.a, comparison->document_b, keys.b) ||
        !nodes_agree(comparison, values)) {
        return 0;
    }
    if (jsv_node_is_container(values.a)) {
        struct pair *waiting = jsv_stack_push(comparison->waiting, 1);
        if (!waiting) {
            return -ENOMEM;
        }
        *waiting = values;
    }
    return 1;
}

/* Compare two objects with as many members in different order. */
static int compare_sorted(struct comparison *comparison, struct pair objects)
{
    struct jsv_members *members = comparison->members;
    members->sorted.count = 0;
    int r = jsv_members_push(members, (struct jsv_value){comparison->document_a, objects.a});
    if (r < 0) {
        return r;
    }
    size_t count = members->sorted.count;
    r = jsv_members_push(members, (struct jsv_value){comparison->document_b, objects.b});
    if (r < 0) {
        return r;
    }
    for (size_t i = 0; i < count; i++) {
        struct pair keys = {jsv_members_key(members, i), jsv_members_key(members, count + i)};
        r = compare_members(comparison, keys);
        if (r <= 0) {
            return r;
        }
    }
    return 1;
}

/* Walk two values in step. */
static int compare_pair(struct comparison *comparison, struct pair pair)
{
    const struct jsv_node *end = jsv_node_next(pair.a);
    while (pair.a < end) {
        if (!nodes_agree(comparison, pair)) {
            return 0;
        }
        if (jsv_node_type(pair.a) == JSV_TYPE_OBJECT && !same_order(comparison, pair)) {
            int r = compare_sorted(comparison, pair);
            if (r <= 0) {
                return r;
            }
            pair = (struct pair){jsv_node_next(pair.a), jsv_node_next(pair.b)};
        } else {
            pair.a++;
            pair.b++;
        }
    }
    return 1;
}

struct jsv_equality jsv_equality_on(struct jsv_arena *scratch)
{
    return (struct jsv_equality){
        .members = jsv_members_on(scratch),
        .waiting = jsv_stack_on(scratch, sizeof(struct pair)),
    };
}

int jsv_equality_test(struct jsv_equality *equality, struct jsv_value a, struct jsv_value b)
{
    if (!a.node || !b.node) {
        return a.node == b.node;
    }
    struct comparison comparison = {
        .document_a = a.document,
        .document_b = b.document,
        .members = &equality->members,
        .waiting = &equality->waiting,
    };
    equality->waiting.count = 0;
    int r = compare_pair(&comparison, (struct pair){a.node, b.node});
    while (r > 0 && equality->waiting.count > 0) {
        const struct pair *next = jsv_stack_pop(&equality->waiting);
        r = compare_pair(&comparison, *next);
    }
    return r;
}

int jsv_value_equal(struct jsv_value a, struct jsv_value b, struct jsv_arena *scratch)
{
    struct jsv_equality equality = jsv_equality_on(scratch);
    return jsv_equality_test(&equality, a, b);
}
