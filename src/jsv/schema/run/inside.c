/*
 * What is inside arrays, and inside objects whose members are all alike.
 *
 * Elements and members are walked once. Whether a value passes is mostly known
 * by its type, of which an operation has a set of bits at hand; else the value
 * is checked by its shape.
 *
 * Where types decide about everything that is inside, nothing is ever called.
 * Such an operation, when it is the last of its list, has a shallow form: it
 * takes no level of depth, needs hardly any stack, and is what most arrays and
 * objects at the leaves of a document meet. An array of such leaves, a matrix
 * or a table, has a nested form: they are looked at without a call for each.
 */
#include "jsv/schema/run/inside.h"

#include "jsv/json/node.h"
#include "jsv/schema/run/unique.h"

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

/* Check all elements, or the values of all members: those stand behind keys. */
ALWAYS_INLINE bool run_contents(
    struct jsv_validator *run,
    const struct jsv_op *op,
    const struct jsv_node *node,
    size_t key_size,
    bool last)
{
    if (!enter_all(run, node)) {
        return jsv_run_out(run);
    }
    if (!run_values(run, op->data, node + 1 + key_size, jsv_container_end(node), key_size)) {
        return false;
    }
    return leave_all(run, op, node, true, last);
}

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
    if (!look_at_all(run, node)) {
        return jsv_run_out(run);
    }
    value = types & JSV_PASSES_CONTAINER ? find_in_doubt(value, end, key_size, types, false)
                                         : find_in_doubt(value, end, key_size, types, true);
    if (UNLIKELY(value < end)) {
        return fit_of_rest(types, value) == FIT_IN_DOUBT && thorough(run, op, node);
    }
    return true;
}

OP(items)
{
    return run_contents(run, op, node, 0, false);
}

OP(items_last)
{
    return is_empty(node) || run_contents(run, op, node, 0, true);
}

OP(items_shallow)
{
    return is_empty(node) || run_contents_shallow(run, op, node, 0, jsv_op_items);
}

OP(members)
{
    return run_contents(run, op, node, 1, false);
}

OP(members_shallow)
{
    return run_contents_shallow(run, op, node, 1, jsv_op_members);
}

/* ---- leaves inside an array ---- */

/* What the elements of arrays inside an array must be: so many, and of such types. */
struct rows {
    uint32_t min;
    uint32_t span;  /* maximum - minimum */
    unsigned types; /* no containers */
};

/* False when numbers are asked for that a head cannot tell. */
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

/* The first row, or value in a row, that is not sure to pass; `end` when there is none. */
ALWAYS_INLINE const struct jsv_node *
find_in_rows(const struct jsv_node *value, const struct jsv_node *end, struct rows rows)
{
    while (value < end) {
        uint32_t count = (uint32_t)value->head >> JSV_NODE_COUNT_SHIFT;
        if (jsv_node_type(value) != JSV_TYPE_ARRAY || count - rows.min > rows.span) {
            return value;
        }
        const struct jsv_node *row_end = ++value + count;
        value = find_in_doubt(value, row_end, 0, rows.types, true);
        if (UNLIKELY(value < row_end)) {
            return value;
        }
    }
    return end;
}

/* Take steps for a look at elements, and all in them, up to a value or the end. */
ALWAYS_INLINE bool
looked_up_to(struct jsv_validator *run, const struct jsv_node *array, const struct jsv_node *value)
{
    return charge(run, 1 + jsv_steps_for_nodes(array, value));
}

/* Every element is an array, and a leaf. What rows are not sure to pass is looked at again. */
OP(items_of_arrays)
{
    const struct jsv_entry *entry = op->data;
    const struct jsv_node *end = jsv_container_end(node);
    struct rows rows;
    if (!describe_rows(entry->op[JSV_TYPE_ARRAY], &rows)) {
        return jsv_op_items(run, op, node);
    }
    const struct jsv_node *value = find_in_rows(node + 1, end, rows);
    if (!looked_up_to(run, node, value)) {
        return jsv_run_out(run);
    }
    return value == end || jsv_op_items(run, op, node);
}

/* Every element is an object, and a leaf. */
ALWAYS_INLINE bool run_items_of_objects(
    struct jsv_validator *run, const struct jsv_op *op, const struct jsv_node *node, bool exact)
{
    const struct jsv_entry *entry = op->data;
    const struct jsv_object *object = entry->op[JSV_TYPE_OBJECT]->data;
    const struct jsv_document *document = run->document;
    const struct jsv_node *end = jsv_container_end(node);
    const struct jsv_node *item = node + 1;
    enum fit fit = FIT_YES;
    for (; item < end; item = jsv_container_end(item)) {
        fit = jsv_node_type(item) != JSV_TYPE_OBJECT ? FIT_NO
              : exact                                ? fit_exact(object, document, item)
                                                     : fit_flat(object, document, item);
        if (UNLIKELY(fit != FIT_YES)) {
            break;
        }
    }
    if (!looked_up_to(run, node, item)) {
        return jsv_run_out(run);
    }
    return LIKELY(fit == FIT_YES) || (fit == FIT_IN_DOUBT && jsv_op_items(run, op, node));
}

OP(items_of_objects)
{
    return run_items_of_objects(run, op, node, false);
}

OP(items_of_exact)
{
    return run_items_of_objects(run, op, node, true);
}

/* ---- arrays ---- */

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
