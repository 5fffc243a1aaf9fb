/*
 * What is inside arrays and objects.
 *
 * Elements and members are walked once. Whether a value passes is mostly known
 * by its type, of which an operation has a set of bits at hand; else the value
 * is checked by its shape.
 *
 * Where types decide about everything that is inside, nothing is ever called.
 * Such an operation, when it is the last of its list, has a shallow form: it
 * takes no level of depth, needs hardly any stack, and is what most arrays and
 * objects at the leaves of a document meet.
 */
#include "json/value.h"
#include "schema/run.h"
#include "schema/unique.h"

/* A number written without fraction or exponent: the head's bits that say so. */
#define PLAIN_INTEGER_MASK ((uint64_t)JSV_NODE_DECIMAL << JSV_NODE_FLAGS_SHIFT | 0xFF)

/* Types whose values span more than a node. */
#define CONTAINER_TYPES (1 << JSV_TYPE_ARRAY | 1 << JSV_TYPE_OBJECT)

/* Whether a value passes without a look: by what jsv_shape_passes() told. */
ALWAYS_INLINE bool passes(unsigned types, const struct jsv_node *value)
{
    return types >> jsv_node_type(value) & 1 ||
           (types & JSV_PASSES_INTEGER && (value->head & PLAIN_INTEGER_MASK) == JSV_TYPE_NUMBER);
}

/* Whether a number that is not written as an integer may yet be one: 1.0 is. */
ALWAYS_INLINE bool may_pass(unsigned types, const struct jsv_node *value)
{
    return jsv_node_type(value) == JSV_TYPE_NUMBER && types & JSV_PASSES_INTEGER;
}

/* Begin to look at every element or member: more steps for many. */
ALWAYS_INLINE bool
enter_all(struct jsv_validator *run, const struct jsv_node *container, bool shallow)
{
    uint64_t steps = jsv_steps_for_contents(container);
    if (shallow) {
        return charge(run, 1 + steps);
    }
    run->steps -= (int64_t)steps;
    return enter(run);
}

/* End that; a shallow operation is the last of its list. */
ALWAYS_INLINE bool end_all(
    struct jsv_validator *run,
    const struct jsv_op *op,
    const struct jsv_node *node,
    bool holds,
    bool shallow)
{
    if (shallow) {
        return holds;
    }
    leave(run);
    NEXT_IF(holds);
}

static bool count_is_within(size_t count, const struct jsv_range *range)
{
    return count >= range->min && count <= range->max;
}

/* So many that they must be counted. */
static __attribute__((cold, noinline)) OP(count_many)
{
    NEXT_IF(count_is_within(jsv_node_count(node), op->data));
}

OP(count)
{
    uint32_t count = (uint32_t)node->head >> JSV_NODE_COUNT_SHIFT;
    if (UNLIKELY(count == JSV_COUNT_MANY)) {
        return jsv_op_count_many(run, op, node);
    }
    NEXT_IF(count_is_within(count, op->data));
}

/* ---- every value alike ---- */

/* The first of some values, or of members' values behind keys, that does not pass by its type. */
ALWAYS_INLINE const struct jsv_node *find_in_doubt(
    const struct jsv_node *value,
    const struct jsv_node *end,
    size_t key_size,
    unsigned types,
    bool scalars)
{
    while (value < end && passes(types, value)) {
        value = (scalars ? value + 1 : jsv_node_next(value)) + key_size;
    }
    return value;
}

/* Check all elements, or the values of all members: those stand behind keys. */
ALWAYS_INLINE bool run_contents(
    struct jsv_validator *run,
    const struct jsv_op *op,
    const struct jsv_node *node,
    size_t key_size)
{
    const struct jsv_entry *entry = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    unsigned types = (unsigned)entry->passes;
    if (!enter_all(run, node, false)) {
        return jsv_run_out(run);
    }
    for (const struct jsv_node *value = node + 1 + key_size; value < end;
         value = jsv_node_next(value) + key_size) {
        if (!passes(types, value) && !run_entry(run, entry, value)) {
            return false;
        }
    }
    leave(run);
    NEXT_IF(true);
}

/* The shallow form; what stays in doubt is left to the thorough one. */
ALWAYS_INLINE bool run_contents_shallow(
    struct jsv_validator *run,
    const struct jsv_op *op,
    const struct jsv_node *node,
    size_t key_size,
    jsv_op_function *thorough)
{
    const struct jsv_entry *entry = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    const struct jsv_node *value = node + 1 + key_size;
    unsigned types = (unsigned)entry->passes;
    if (!enter_all(run, node, true)) {
        return jsv_run_out(run);
    }
    value = types & CONTAINER_TYPES ? find_in_doubt(value, end, key_size, types, false)
                                    : find_in_doubt(value, end, key_size, types, true);
    if (UNLIKELY(value < end)) {
        return may_pass(types, value) && thorough(run, op, node);
    }
    return true;
}

OP(items)
{
    return run_contents(run, op, node, 0);
}

OP(items_shallow)
{
    return run_contents_shallow(run, op, node, 0, jsv_op_items);
}

OP(members)
{
    return run_contents(run, op, node, 1);
}

OP(members_shallow)
{
    return run_contents_shallow(run, op, node, 1, jsv_op_members);
}

/* ---- arrays ---- */

OP(unique)
{
    size_t equal[2];
    struct jsv_value value = {run->document, node};
    if (!charge(run, jsv_node_skip(node))) {
        return jsv_run_out(run);
    }
    int r = jsv_unique_test(&run->unique, value, equal);
    NEXT_IF(verdict_or_give_up(run, r));
}

OP(tuple)
{
    const struct jsv_tuple *tuple = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    const struct jsv_node *item = node + 1;
    if (!enter_all(run, node, false)) {
        return jsv_run_out(run);
    }
    for (uint32_t i = 0; item < end; i++, item = jsv_node_next(item)) {
        if (!run_shape(run, i < tuple->count ? tuple->shapes[i] : tuple->rest, item)) {
            return false;
        }
    }
    leave(run);
    NEXT_IF(true);
}

ALWAYS_INLINE bool contains_enough(
    struct jsv_validator *run, const struct jsv_contains *contains, const struct jsv_node *array)
{
    const struct jsv_node *end = jsv_container_end(array);
    uint64_t found = 0;
    for (const struct jsv_node *item = array + 1; item < end; item = jsv_node_next(item)) {
        int64_t depth = run->depth;
        found += run_shape(run, contains->shape, item);
        run->depth = depth;
        if (found > contains->max) {
            return false;
        }
        if (found >= contains->min && contains->max == UINT64_MAX) {
            return true;
        }
    }
    return found >= contains->min;
}

OP(contains)
{
    if (!enter_all(run, node, false)) {
        return jsv_run_out(run);
    }
    bool holds = contains_enough(run, op->data, node);
    leave(run);
    NEXT_IF(holds);
}

/* ---- objects ---- */

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

/* Check all members by their names. */
ALWAYS_INLINE bool run_members(
    struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node, bool shallow)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    uint32_t required = 0;
    if (!enter_all(run, node, shallow)) {
        return jsv_run_out(run);
    }
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        const struct jsv_name_slot *name =
            shallow ? jsv_names_slot_simple(&object->names, run->document, key)
                    : jsv_names_slot(&object->names, run->document, key);
        name = name ? name : &object->extra;
        uint32_t info = name->info;
        required += info >> JSV_NAME_REQUIRED_SHIFT;
        if (!passes(info, key + 1)) {
            if (shallow) {
                return may_pass(info, key + 1) && jsv_op_object(run, op, node);
            }
            if (!run_shape(run, name->at, key + 1)) {
                return false;
            }
        }
        if (!shallow && UNLIKELY(info & JSV_NAME_MORE) &&
            !run_patterns(run, object, key, info & JSV_NAME_LISTED)) {
            return false;
        }
    }
    return end_all(run, op, node, required == object->required_count, shallow);
}

OP(object)
{
    return run_members(run, op, node, false);
}

OP(object_shallow)
{
    return run_members(run, op, node, true);
}

/* Names of an open object: once all are met, the other members need no look. */
ALWAYS_INLINE bool run_few(
    struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node, bool shallow)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    uint32_t missing = object->names.count;
    uint32_t required = 0;
    if (!enter_all(run, node, shallow)) {
        return jsv_run_out(run);
    }
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        const struct jsv_name_slot *name = object->few;
        if (!jsv_name_has_start(name, key) && !jsv_name_has_start(++name, key)) {
            continue;
        }
        required += name->info >> JSV_NAME_REQUIRED_SHIFT;
        if (!passes(name->info, key + 1)) {
            if (shallow) {
                return may_pass(name->info, key + 1) && jsv_op_object_few(run, op, node);
            }
            if (!run_shape(run, name->at, key + 1)) {
                return false;
            }
        }
        if (--missing == 0) {
            break;
        }
    }
    return end_all(run, op, node, required == object->required_count, shallow);
}

OP(object_few)
{
    return run_few(run, op, node, false);
}

OP(object_few_shallow)
{
    return run_few(run, op, node, true);
}

OP(names)
{
    const struct jsv_node *end = jsv_container_end(node);
    if (!enter_all(run, node, false)) {
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

static bool has_member(
    const struct jsv_validator *run, const struct jsv_node *object, const struct jsv_key *name)
{
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
