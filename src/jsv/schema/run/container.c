/*
 * Operations on the contents of arrays and objects.
 *
 * Elements and members are walked once, and members are looked up among the
 * names of the schema. The type of a value mostly decides whether it passes;
 * only if it does not, the value is checked by its shape.
 *
 * Where types decide everything inside, nothing is ever called. Operations for
 * that case need no depth and hardly any stack:
 *
 *     shallow         all contents are decided by type
 *     flat            the same, and no array or object passes, so that every
 *                     member takes two nodes
 *     of_arrays,      arrays of arrays of scalars, arrays of flat objects: rows
 *     of_objects      are checked without a call for each
 *
 * Switched off, they cost 32 % on schema-bench-big and 3.5 % on schema-bench:
 * of_arrays alone costs 23 % on schema-bench-big (x-canada 181 %); flat and
 * of_objects cost 26 % on helm-chart-lock, the set on which Blaze is closest.
 */
#include "jsv/json/node.h"
#include "jsv/schema/run/run.h"
#include "jsv/schema/run/unique.h"

/* A number written without fraction or exponent: the bits of the head that say so. */
#define PLAIN_INTEGER_MASK ((uint64_t)JSV_NODE_DECIMAL << JSV_NODE_FLAGS_SHIFT | 0xFF)

/* Whether a value passes by its type, by bits JSV_PASSES_*. */
ALWAYS_INLINE bool passes(unsigned types, const struct jsv_node *value)
{
    return types >> jsv_node_type(value) & 1 ||
           (types & JSV_PASSES_INTEGER && (value->head & PLAIN_INTEGER_MASK) == JSV_TYPE_NUMBER);
}

/*
 * Where types decide: whether a value that does not pass by its type may pass
 * all the same, because it is a number such as 1.0 and must be an integer.
 */
ALWAYS_INLINE bool may_be_integer(unsigned types, const struct jsv_node *value)
{
    return jsv_node_type(value) == JSV_TYPE_NUMBER && types & JSV_PASSES_INTEGER;
}

/* ---- counts ---- */

static bool count_is_within(size_t count, const struct jsv_range *range)
{
    return count >= range->min && count <= range->max;
}

/* More than a head can tell. */
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

/* ---- elements, or members, with one shape ---- */

/* @param key_size 1 for members, whose values follow their keys; 0 for elements. */
ALWAYS_INLINE bool run_contents(
    struct jsv_validator *run,
    const struct jsv_op *op,
    const struct jsv_node *node,
    size_t key_size,
    bool last)
{
    const struct jsv_entry *entry = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    unsigned types = (unsigned)entry->passes;
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    for (const struct jsv_node *value = node + 1 + key_size; value < end;
         value = jsv_node_next(value) + key_size) {
        if (!passes(types, value) && !run_entry(run, entry, value)) {
            run->last_failure = (struct jsv_last_failure){entry, end, jsv_node_next(value)};
            return false;
        }
    }
    leave(run);
    NEXT_IF_NOT(last, true);
}

/* Many arrays of real documents are empty: 2 % on schema-bench-big. */
ALWAYS_INLINE bool is_empty(const struct jsv_node *array)
{
    return (uint32_t)array->head >> JSV_NODE_COUNT_SHIFT == 0;
}

OP(items)
{
    if (is_empty(node)) {
        NEXT_IF(true);
    }
    return run_contents(run, op, node, 0, false);
}

OP(items_last)
{
    return is_empty(node) || run_contents(run, op, node, 0, true);
}

OP(members)
{
    return run_contents(run, op, node, 1, false);
}

/* The first of some values that does not pass by its type. */
ALWAYS_INLINE const struct jsv_node *find_not_passing(
    const struct jsv_node *value, const struct jsv_node *end, unsigned types, bool scalars)
{
    while (value < end && passes(types, value)) {
        value = scalars ? value + 1 : jsv_node_next(value);
    }
    return value;
}

OP(items_shallow)
{
    unsigned types = (unsigned)((const struct jsv_entry *)op->data)->passes;
    const struct jsv_node *end = jsv_container_end(node);
    if (is_empty(node)) {
        NEXT_IF(true);
    }
    if (!look_at_all(run, node)) {
        return jsv_run_out(run);
    }
    const struct jsv_node *value = types & JSV_PASSES_CONTAINER
                                       ? find_not_passing(node + 1, end, types, false)
                                       : find_not_passing(node + 1, end, types, true);
    if (UNLIKELY(value < end)) {
        return may_be_integer(types, value) && jsv_op_items(run, op, node);
    }
    NEXT_IF(true);
}

/* The arrays in an array: how many elements each has, and of which types. */
struct rows {
    uint32_t min;
    uint32_t span;  /* maximum - minimum */
    unsigned types; /* no containers */
};

/* False when the counts are more than a head can tell. */
ALWAYS_INLINE bool describe_rows(const struct jsv_op *list, struct rows *ret_rows)
{
    uint64_t min = 0;
    uint64_t max = JSV_COUNT_MANY - 1;
    if (list->code == JSV_OP_COUNT) {
        const struct jsv_range *range = list->data;
        min = range->min;
        max = range->max < max ? range->max : max;
        list++;
    }
    const struct jsv_entry *entry = list->data;
    *ret_rows = (struct rows){(uint32_t)min, (uint32_t)(max - min), (unsigned)entry->passes};
    return min <= max;
}

/* The first row, or value in a row, that may not pass; `end` when there is none. */
ALWAYS_INLINE const struct jsv_node *
find_in_rows(const struct jsv_node *value, const struct jsv_node *end, struct rows rows)
{
    while (value < end) {
        uint32_t count = (uint32_t)value->head >> JSV_NODE_COUNT_SHIFT;
        if (jsv_node_type(value) != JSV_TYPE_ARRAY || count - rows.min > rows.span) {
            return value;
        }
        const struct jsv_node *row_end = ++value + count;
        value = find_not_passing(value, row_end, rows.types, true);
        if (UNLIKELY(value < row_end)) {
            return value;
        }
    }
    return end;
}

OP(items_of_arrays)
{
    const struct jsv_entry *entry = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    struct rows rows;
    if (!describe_rows(entry->op[JSV_TYPE_ARRAY], &rows)) {
        return jsv_op_items(run, op, node);
    }
    const struct jsv_node *value = find_in_rows(node + 1, end, rows);
    if (!charge(run, 1 + jsv_steps_for_nodes(node, value))) {
        return jsv_run_out(run);
    }
    if (value < end) {
        return jsv_op_items(run, op, node);
    }
    NEXT_IF(true);
}

/* ---- other operations on arrays ---- */

OP(unique)
{
    struct jsv_value value = {run->document, node};
    if (!charge(run, jsv_steps_for_unique(node))) {
        return jsv_run_out(run);
    }
    int r = jsv_unique_test(&run->unique, value, NULL);
    NEXT_IF(verdict_or_give_up(run, r));
}

OP(tuple)
{
    const struct jsv_tuple *tuple = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    const struct jsv_node *item = node + 1;
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    for (uint32_t i = 0; item < end; i++, item = jsv_node_next(item)) {
        uint32_t shape = i < tuple->count ? tuple->shapes[i] : tuple->rest;
        const struct jsv_entry *entry = &run->program->entries[shape];
        if (!passes((unsigned)entry->passes, item) && !run_entry(run, entry, item)) {
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
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    bool holds = contains_enough(run, op->data, node);
    leave(run);
    NEXT_IF(holds);
}

/* ---- members by name ---- */

/* Check a value by the slot of its name. */
ALWAYS_INLINE bool
run_named(struct jsv_validator *run, const struct jsv_name_slot *name, const struct jsv_node *value)
{
    return passes(name->info, value) || run_shape(run, name->at, value);
}

/* @param is_listed Whether `properties` has the name. */
static __attribute__((noinline)) bool run_patterns(
    struct jsv_validator *run,
    const struct jsv_object *object,
    const struct jsv_node *key,
    bool is_listed)
{
    bool is_extra = !is_listed;
    for (uint32_t i = 0; i < object->pattern_count; i++) {
        const struct jsv_object_pattern *pattern = &object->patterns[i];
        if (!search(run, pattern->regex, key)) {
            if (UNLIKELY(run->error)) {
                return false;
            }
            continue;
        }
        is_extra = false;
        if (!run_shape(run, pattern->shape, key + 1)) {
            return false;
        }
    }
    return !is_extra || run_shape(run, object->extra.at, key + 1);
}

/* @param simple Whether the names are simple (names.h) and there are no patterns. */
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
        next = jsv_node_next(key + 1); /* here the value's type is in a register, later it is not */
        bool holds = run_named(run, name, key + 1);
        if (!simple && holds && name->info & JSV_NAME_MORE) {
            holds = run_patterns(run, object, key, name->info & JSV_NAME_LISTED);
        }
        if (!holds) {
            run->last_failure = (struct jsv_last_failure){object->schema, end, next};
            return false;
        }
    }
    leave(run);
    NEXT_IF_NOT(last, required == object->required_count);
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

/*
 * Check all members by type. @return NULL when all pass, the value that does
 * not, or the object itself when a required member is missing.
 */
ALWAYS_INLINE const struct jsv_node *find_unfit_member(
    const struct jsv_object *object,
    const struct jsv_document *document,
    const struct jsv_node *node,
    bool flat,
    unsigned *ret_types)
{
    const struct jsv_node *end = jsv_container_end(node);
    uint32_t required = 0;
    for (const struct jsv_node *key = node + 1; key < end;
         key = flat ? key + 2 : jsv_node_next(key + 1)) {
        const struct jsv_name_slot *name = jsv_names_look_up(&object->names, document, key, true);
        name = name ? name : &object->extra;
        required += name->info >> JSV_NAME_REQUIRED_SHIFT;
        if (UNLIKELY(!passes(name->info, key + 1))) {
            *ret_types = name->info;
            return key + 1;
        }
    }
    *ret_types = 0;
    return required == object->required_count ? NULL : node;
}

ALWAYS_INLINE bool run_members_by_type(
    struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node, bool flat)
{
    if (!look_at_all(run, node)) {
        return jsv_run_out(run);
    }
    unsigned types;
    const struct jsv_node *unfit = find_unfit_member(op->data, run->document, node, flat, &types);
    if (UNLIKELY(unfit != NULL)) {
        return may_be_integer(types, unfit) && jsv_op_object(run, op, node);
    }
    NEXT_IF(true);
}

OP(object_shallow)
{
    return run_members_by_type(run, op, node, false);
}

OP(object_flat)
{
    return run_members_by_type(run, op, node, true);
}

OP(items_of_objects)
{
    const struct jsv_entry *entry = op->data;
    const struct jsv_object *object = entry->op[JSV_TYPE_OBJECT]->data;
    const struct jsv_document *document = run->document;
    const struct jsv_node *end = jsv_container_end(node);
    const struct jsv_node *item = node + 1;
    const struct jsv_node *unfit = NULL;
    unsigned types = 0;
    for (; item < end; item = jsv_container_end(item)) {
        bool is_object = jsv_node_type(item) == JSV_TYPE_OBJECT;
        unfit = is_object ? find_unfit_member(object, document, item, true, &types) : item;
        if (UNLIKELY(unfit != NULL)) {
            break;
        }
    }
    if (!charge(run, 1 + jsv_steps_for_nodes(node, item))) {
        return jsv_run_out(run);
    }
    if (UNLIKELY(unfit != NULL)) {
        return may_be_integer(types, unfit) && jsv_op_items(run, op, node);
    }
    NEXT_IF(true);
}

/* ---- one or two short names, and no rule for others ---- */

/*
 * The search ends with the last of the names. Switched off, both operations
 * together cost 5.7 % on schema-bench (yamllint 72 %), 4.5 % on
 * schema-bench-mcp and 2.4 % on schema-bench-big.
 */

static __attribute__((noinline)) OP(object_one_entered)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *key = node + 1;
    while (!jsv_name_has_start(object->small_names, key)) {
        key = jsv_node_next(key + 1);
    }
    if (!enter(run)) {
        return jsv_run_out(run);
    }
    bool holds = run_shape(run, object->small_names[0].at, key + 1);
    leave(run);
    NEXT_IF(holds);
}

OP(object_one)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    const struct jsv_node *key = node + 1;
    if (!look_at_all(run, node)) {
        return jsv_run_out(run);
    }
    while (key < end && !jsv_name_has_start(object->small_names, key)) {
        key = jsv_node_next(key + 1);
    }
    if (key < end && !passes(object->small_names[0].info, key + 1)) {
        return jsv_op_object_one_entered(run, op, node);
    }
    NEXT_IF(key < end || object->required_count == 0);
}

ALWAYS_INLINE bool
run_two(struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node, bool last)
{
    const struct jsv_object *object = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    uint32_t missing = 2;
    uint32_t required = 0;
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    for (const struct jsv_node *key = node + 1; key < end; key = jsv_node_next(key + 1)) {
        const struct jsv_name_slot *name = object->small_names;
        if (!jsv_name_has_start(name, key) && !jsv_name_has_start(++name, key)) {
            continue;
        }
        if (!run_named(run, name, key + 1)) {
            return false;
        }
        required += name->info >> JSV_NAME_REQUIRED_SHIFT;
        if (--missing == 0) {
            break;
        }
    }
    leave(run);
    NEXT_IF_NOT(last, required == object->required_count);
}

OP(object_two)
{
    return run_two(run, op, node, false);
}

OP(object_two_last)
{
    return run_two(run, op, node, true);
}

/* ---- names ---- */

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
