/*
 * What is inside objects, by the names of members.
 *
 * An object's members are walked once, each looked up among the names that a
 * schema speaks of. Forms are as in run_inside.c; a flat one is a shallow one
 * that no array or object passes, so that every member takes two nodes. Of an
 * open object with one or two short names, only the members of these names are
 * looked at, and none behind the last of them.
 */
#include "jsv/schema/run/inside.h"

/* A member that patterns may speak of; `listed` when `properties` does already. */
static __attribute__((noinline)) bool run_patterns(
    struct jsv_validator *run,
    const struct jsv_object *object,
    const struct jsv_node *key,
    bool listed)
{
    bool spoken_of = listed;
    for (uint32_t i = 0; i < object->pattern_count; i++) {
        const struct jsv_object_pattern *pattern = &object->patterns[i];
        if (!search(run, pattern->regex, key)) {
            if (UNLIKELY(run->error)) {
                return false;
            }
            continue;
        }
        spoken_of = true;
        if (!run_shape(run, pattern->shape, key + 1)) {
            return false;
        }
    }
    return spoken_of || run_shape(run, object->extra.at, key + 1);
}

/* Check a member by what is said of its name, and what patterns may say. */
ALWAYS_INLINE bool run_member(
    struct jsv_validator *run,
    const struct jsv_object *object,
    const struct jsv_name_slot *name,
    const struct jsv_node *key,
    bool simple)
{
    return run_named(run, name, key + 1) &&
           (simple || !(name->info & JSV_NAME_MORE) ||
            run_patterns(run, object, key, name->info & JSV_NAME_LISTED));
}

bool jsv_run_member(
    struct jsv_validator *run, const struct jsv_object *object, const struct jsv_node *key)
{
    const struct jsv_name_slot *name = jsv_names_slot(&object->names, run->document, key);
    return run_member(run, object, name ? name : &object->extra, key, false);
}

/* Check all members by their names; `simple` when these are, and no patterns speak of them, too. */
ALWAYS_INLINE bool run_members(
    struct jsv_validator *run,
    const struct jsv_op *op,
    const struct jsv_node *node,
    bool simple,
    bool last)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    uint32_t required = 0;
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    for (const struct jsv_node *key = node + 1, *next; key < end; key = next) {
        const struct jsv_name_slot *name =
            jsv_names_look_up(&object->names, run->document, key, simple);
        name = name ? name : &object->extra;
        required += name->info >> JSV_NAME_REQUIRED_SHIFT;
        next = jsv_node_next(key + 1); /* now: the value's type is at hand, later it must be read */
        if (!run_member(run, object, name, key, simple)) {
            run->last_failure = (struct jsv_last_failure){object->schema, end, next};
            return false;
        }
    }
    return leave_all(run, op, node, required == object->required_count, last);
}

OP(object)
{
    return run_members(run, op, node, true, false);
}

OP(object_last)
{
    return run_members(run, op, node, true, true);
}

OP(object_full)
{
    return run_members(run, op, node, false, false);
}

OP(object_full_last)
{
    return run_members(run, op, node, false, true);
}

OP(object_shallow)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    uint32_t required = 0;
    if (!look_at_all(run, node)) {
        return jsv_run_out(run);
    }
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        const struct jsv_name_slot *name =
            jsv_names_slot_simple(&object->names, run->document, key);
        name = name ? name : &object->extra;
        required += name->info >> JSV_NAME_REQUIRED_SHIFT;
        if (UNLIKELY(!passes(name->info, key + 1))) {
            return fit_of_rest(name->info, key + 1) == FIT_IN_DOUBT && jsv_op_object(run, op, node);
        }
    }
    return required == object->required_count;
}

OP(object_flat)
{
    if (!look_at_all(run, node)) {
        return jsv_run_out(run);
    }
    enum fit fit = fit_flat(op->data, run->document, node);
    return LIKELY(fit == FIT_YES) || (fit == FIT_IN_DOUBT && jsv_op_object(run, op, node));
}

OP(object_exact)
{
    if (!look_at_all(run, node)) {
        return jsv_run_out(run);
    }
    enum fit fit = fit_exact(op->data, run->document, node);
    return LIKELY(fit == FIT_YES) || (fit == FIT_IN_DOUBT && jsv_op_object(run, op, node));
}

/* ---- few names ---- */

/* Names of an open object: once both are met, the other members need no look. */
ALWAYS_INLINE bool run_few(
    struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node, bool shallow)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    const struct jsv_name_slot *met = NULL;
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        const struct jsv_name_slot *name = object->few;
        if (!jsv_name_has_start(name, key) && !jsv_name_has_start(++name, key)) {
            continue;
        }
        if (!shallow && !run_named(run, name, key + 1)) {
            return false;
        }
        if (shallow && UNLIKELY(!passes(name->info, key + 1))) {
            return fit_of_rest(name->info, key + 1) == FIT_IN_DOUBT &&
                   jsv_op_object_few(run, op, node);
        }
        if (met) {
            return true;
        }
        met = name;
    }
    return object->required_count == (met ? met->info >> JSV_NAME_REQUIRED_SHIFT : 0);
}

OP(object_few)
{
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    return leave_all(run, op, node, run_few(run, op, node, false), false);
}

OP(object_few_last)
{
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    return leave_all(run, op, node, run_few(run, op, node, false), true);
}

OP(object_few_shallow)
{
    return look_at_all(run, node) ? run_few(run, op, node, true) : jsv_run_out(run);
}

/* The member of the only name; `end` when it is not there. */
ALWAYS_INLINE const struct jsv_node *
find_only(const struct jsv_object *object, const struct jsv_node *node, const struct jsv_node *end)
{
    const struct jsv_node *key = node + 1;
    while (key < end && !jsv_name_has_start(object->few, key)) {
        key = jsv_node_next(key + 1);
    }
    return key;
}

ALWAYS_INLINE bool
run_one(struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node, bool last)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    const struct jsv_node *key = find_only(object, node, end);
    bool holds = key == end ? object->required_count == 0 : run_named(run, object->few, key + 1);
    return leave_all(run, op, node, holds, last);
}

OP(object_one)
{
    return run_one(run, op, node, false);
}

OP(object_one_last)
{
    return run_one(run, op, node, true);
}

OP(object_one_shallow)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    if (!look_at_all(run, node)) {
        return jsv_run_out(run);
    }
    const struct jsv_node *key = find_only(object, node, end);
    if (key == end) {
        return object->required_count == 0;
    }
    return LIKELY(passes(object->few->info, key + 1)) ||
           (fit_of_rest(object->few->info, key + 1) == FIT_IN_DOUBT &&
            jsv_op_object_one(run, op, node));
}

/* ---- names themselves ---- */

OP(names)
{
    const struct jsv_node *end = jsv_container_end(node);
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        if (!run_list(run, op->at, key)) {
            return false;
        }
    }
    leave(run);
    NEXT_IF(true);
}

static bool
has_member(struct jsv_validator *run, const struct jsv_node *object, const struct jsv_key *name)
{
    run->steps -= (int64_t)jsv_steps_for_long_text(name->text.size);
    const struct jsv_node *end = jsv_container_end(object);
    for (const struct jsv_node *key = object + 1; key < end; key = jsv_node_next(key + 1)) {
        if (jsv_key_equals_node(name, run->document, key)) {
            return true;
        }
    }
    return false;
}

OP(dependency)
{
    const struct jsv_dependent *dependent = op->data;
    uint64_t looks = 1 + (dependent->names ? dependent->names->count : 0);
    if (!charge(run, looks * jsv_steps_for_contents(node))) {
        return jsv_run_out(run);
    }
    if (!has_member(run, node, &dependent->key)) {
        NEXT_IF(true);
    }
    if (!dependent->names) {
        if (!enter(run)) {
            return jsv_run_out(run);
        }
        bool holds = run_list(run, dependent->at, node);
        leave(run);
        NEXT_IF(holds);
    }
    for (uint32_t i = 0; i < dependent->names->count; i++) {
        if (!has_member(run, node, &dependent->names->items[i])) {
            return false;
        }
    }
    NEXT_IF(true);
}
