/*
 * Keywords about the elements of an array: how many, which schema is for which
 * of them, whether some are equal or match. An element a schema was put to gets
 * a mark, for unevaluatedItems.
 */
#include <inttypes.h>

#include "jsv/schema/program/program.h"
#include "jsv/schema/report/judge.h"
#include "jsv/schema/run/unique.h"

int jsv_explain_max_items(const struct jsv_keyword_call *call)
{
    return jsv_explain_size(call, jsv_node_count(call->place->node), true, "item", "items");
}

int jsv_explain_min_items(const struct jsv_keyword_call *call)
{
    return jsv_explain_size(call, jsv_node_count(call->place->node), false, "item", "items");
}

int jsv_explain_unique_items(const struct jsv_keyword_call *call)
{
    struct jsv_value array = {call->x->document, call->place->node};
    size_t equal[2];
    int r = jsv_unique_test(&call->x->validator->unique, array, equal);
    if (r != 0) {
        return r;
    }
    return NOTE(call, "items %zu and %zu are equal", equal[0], equal[1]);
}

/* An element at its place, by the schemas in a list. */
int jsv_explain_prefix_items(const struct jsv_keyword_call *call)
{
    const struct jsv_node *item = call->place->node + 1;
    size_t count = jsv_node_count(call->place->node);
    int verdict = 1;
    for (size_t i = 0; i < count && i < call->use->list.count; i++, item = jsv_node_next(item)) {
        if (decides(
                call, evaluate_child(call, call->use->list.schemas[i], item, NULL, i), &verdict)) {
            return verdict;
        }
        mark(call, i);
    }
    return verdict;
}

/* An element by the keyword's one schema. */
static int
check_item(const struct jsv_keyword_call *call, const struct jsv_node *item, size_t index)
{
    const struct jsv_subschema *schema = call->use->one.schema;
    if (!schema->never) {
        return evaluate_child(call, schema, item, NULL, index);
    }
    struct jsv_place extra = {call->place, item, NULL, index, call->place->depth + 1};
    struct jsv_finding_place at = where(call);
    at.place = &extra;
    at.unexpected = true;
    return jsv_finding_add(call->x->findings, at, "unexpected item");
}

/* Up to which element all are known to be as the keyword's one schema wants them. */
static const struct jsv_node *good_end_of(const struct jsv_keyword_call *call)
{
    const struct jsv_entry *entries = call->x->schema->program->entries;
    return jsv_judge_good_end(call->x, &entries[call->use->one.schema->shape], call->place->node);
}

/* The elements from an index on, but for those with a mark when there are such. */
static int
check_rest(const struct jsv_keyword_call *call, uint64_t from, const struct jsv_marks *except)
{
    const struct jsv_node *item = call->place->node + 1;
    const struct jsv_node *good_end = good_end_of(call);
    size_t count = jsv_node_count(call->place->node);
    int verdict = 1;
    for (size_t i = 0; i < count; i++, item = jsv_node_next(item)) {
        if (i < from || (except && has_bit(call->x, except->at, i))) {
            continue;
        }
        int r = item < good_end ? 1 : check_item(call, item, i);
        if (decides(call, r, &verdict)) {
            return verdict;
        }
        mark(call, i);
    }
    return verdict;
}

int jsv_explain_items(const struct jsv_keyword_call *call)
{
    bool list = jsv_node_type(call->use->key + 1) == JSV_TYPE_ARRAY;
    return list ? jsv_explain_prefix_items(call) : check_rest(call, call->use->one.from, NULL);
}

int jsv_explain_unevaluated_items(const struct jsv_keyword_call *call)
{
    return check_rest(call, 0, call->marks);
}

int jsv_explain_contains(const struct jsv_keyword_call *call)
{
    const struct jsv_node *array = call->place->node;
    const struct jsv_node *item = array + 1;
    size_t count = jsv_node_count(array);
    uint64_t found = 0;
    struct jsv_findings *findings = call->x->findings;
    call->x->findings = NULL;
    int r = 0;
    for (size_t i = 0; i < count && r >= 0; i++, item = jsv_node_next(item)) {
        r = evaluate_child(call, call->use->one.schema, item, NULL, i);
        if (r == 1) {
            found++;
            if (call->schema->resource->draft == JSV_DRAFT_2020_12) {
                mark(call, i);
            }
        }
    }
    call->x->findings = findings;
    if (r < 0) {
        return r;
    }
    bool too_few = found < call->use->one.contains_min;
    if (!too_few && found <= call->use->one.contains_max) {
        return 1;
    }
    uint64_t limit = too_few ? call->use->one.contains_min : call->use->one.contains_max;
    return NOTE(
        call,
        "must contain at %s %" PRIu64 " matching item%s, found %" PRIu64,
        too_few ? "least" : "most",
        limit,
        limit == 1 ? "" : "s",
        found);
}
