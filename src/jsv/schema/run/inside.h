/*
 * What operations on the contents of arrays and objects share: knowing by its
 * type whether a value passes, and what it takes to look at all of them.
 */
#pragma once

#include "jsv/schema/run/run.h"

/* A number written without fraction or exponent: the head's bits that say so. */
#define PLAIN_INTEGER_MASK ((uint64_t)JSV_NODE_DECIMAL << JSV_NODE_FLAGS_SHIFT | 0xFF)

/* Whether a value passes without a look, by bits JSV_PASSES_*. */
ALWAYS_INLINE bool passes(unsigned types, const struct jsv_node *value)
{
    return types >> jsv_node_type(value) & 1 ||
           (types & JSV_PASSES_INTEGER && (value->head & PLAIN_INTEGER_MASK) == JSV_TYPE_NUMBER);
}

/* Check some values, or members' values behind keys, that have the same shape. */
ALWAYS_INLINE bool run_values(
    struct jsv_validator *run,
    const struct jsv_entry *entry,
    const struct jsv_node *value,
    const struct jsv_node *end,
    size_t key_size)
{
    unsigned types = (unsigned)entry->passes;
    for (; value < end; value = jsv_node_next(value) + key_size) {
        if (!passes(types, value) && !run_entry(run, entry, value)) {
            run->last_failure = (struct jsv_last_failure){entry, end, jsv_node_next(value)};
            return false;
        }
    }
    return true;
}

/* Check a member of an object by its name; in run_object.c. */
bool jsv_run_member(
    struct jsv_validator *run, const struct jsv_object *object, const struct jsv_node *key);

/* Check a value by what is said of its name. */
ALWAYS_INLINE bool
run_named(struct jsv_validator *run, const struct jsv_name_slot *name, const struct jsv_node *value)
{
    return passes(name->info, value) || run_shape(run, name->at, value);
}

/* What a look at types alone tells: a number not written as an integer may yet be one, 1.0 is. */
enum fit {
    FIT_NO,
    FIT_YES,
    FIT_IN_DOUBT,
};

/* The same of a value that does not pass. */
ALWAYS_INLINE enum fit fit_of_rest(unsigned types, const struct jsv_node *value)
{
    bool in_doubt = jsv_node_type(value) == JSV_TYPE_NUMBER && types & JSV_PASSES_INTEGER;
    return in_doubt ? FIT_IN_DOUBT : FIT_NO;
}

/* Whether nothing is inside a container; a head's lower half tells. */
ALWAYS_INLINE bool is_empty(const struct jsv_node *container)
{
    return (uint32_t)container->head >> JSV_NODE_COUNT_SHIFT == 0;
}

/* Begin to look at every element or member: more steps for many. */
ALWAYS_INLINE bool enter_all(struct jsv_validator *run, const struct jsv_node *container)
{
    run->steps -= (int64_t)jsv_steps_for_contents(container);
    return enter(run);
}

/* The same for what calls nothing, so takes no level of depth and need not leave. */
ALWAYS_INLINE bool look_at_all(struct jsv_validator *run, const struct jsv_node *container)
{
    return charge(run, 1 + jsv_steps_for_contents(container));
}

/* End what was begun with enter_all; `last` when nothing follows in the list. */
ALWAYS_INLINE bool leave_all(
    struct jsv_validator *run,
    const struct jsv_op *op,
    const struct jsv_node *node,
    bool holds,
    bool last)
{
    leave(run);
    if (last) {
        return holds;
    }
    NEXT_IF(holds);
}

/* Whether the members of an object fit by their types, where none that do is a container. */
ALWAYS_INLINE enum fit fit_flat(
    const struct jsv_object *object,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    const struct jsv_node *end = jsv_container_end(node);
    uint32_t required = 0;
    for (const struct jsv_node *key = node + 1; key < end; key += 2) {
        const struct jsv_name_slot *name = jsv_names_slot_simple(&object->names, document, key);
        name = name ? name : &object->extra;
        required += name->info >> JSV_NAME_REQUIRED_SHIFT;
        if (UNLIKELY(!passes(name->info, key + 1))) {
            return fit_of_rest(name->info, key + 1);
        }
    }
    return required == object->required_count ? FIT_YES : FIT_NO;
}

/* The same where each of the names must be there, and no other: no two members have the same. */
ALWAYS_INLINE enum fit fit_exact(
    const struct jsv_object *object,
    const struct jsv_document *document,
    const struct jsv_node *node)
{
    uint32_t count = (uint32_t)node->head >> JSV_NODE_COUNT_SHIFT;
    if (UNLIKELY(count != object->required_count)) {
        return FIT_NO;
    }
    const struct jsv_node *end = node + 1 + 2 * (size_t)count;
    for (const struct jsv_node *key = node + 1; key < end; key += 2) {
        const struct jsv_name_slot *name = jsv_names_slot_simple(&object->names, document, key);
        if (UNLIKELY(!name)) {
            return FIT_NO;
        }
        if (UNLIKELY(!passes(name->info, key + 1))) {
            return fit_of_rest(name->info, key + 1);
        }
    }
    return FIT_YES;
}
