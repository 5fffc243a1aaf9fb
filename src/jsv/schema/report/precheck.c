#include "jsv/schema/report/precheck.h"

#include "jsv/schema/program/program.h"

/* Steps for failed prechecks: for each value of the document, and a minimum for small ones. */
#define STEPS_PER_VALUE 4
#define STEPS_MIN       10000

int64_t jsv_precheck_budget(const struct jsv_node *node)
{
    return STEPS_MIN + STEPS_PER_VALUE * (int64_t)jsv_node_skip(node);
}

/*
 * Operations may explain as well and then use words above those in use here.
 * A check that ended with an error counts as failed, whatever `not` made of it.
 * Verdicts remembered on the way may be wrong and are discarded.
 */
static bool run_program(struct jsv_explain *x, uint32_t shape, const struct jsv_node *node)
{
    struct jsv_validator *validator = x->validator;
    const struct jsv_program *program = x->schema->program;
    const struct jsv_op *op = program->entries[shape].op[jsv_node_type(node)];
    int64_t depth = validator->depth;
    validator->document = x->document;
    validator->program = program;
    validator->words = x->words;
    bool holds = op->run(validator, op, node);
    x->words = validator->words;
    validator->depth = depth;
    if (validator->error) {
        validator->round++;
        validator->last_failure.by = NULL;
    }
    return holds && !validator->error;
}

/*
 * The failure names its container by the container's end, and several nested
 * containers can share an end. Only one of them has a child that ends at
 * child_end, because child_end is before the common end.
 */
const struct jsv_node *
jsv_precheck_find_failure(const struct jsv_last_failure *failure, const struct jsv_node *container)
{
    bool is_object = jsv_node_type(container) == JSV_TYPE_OBJECT;
    const struct jsv_node *end = jsv_node_next(container);
    const struct jsv_node *child = container;
    const struct jsv_node *next = container + 1;
    if (failure->end != end || failure->child_end == end) {
        return container;
    }
    while (next < failure->child_end) {
        child = next;
        next = jsv_node_next(child + is_object);
    }
    return next == failure->child_end ? child : container;
}

int jsv_precheck(
    struct jsv_explain *x, const struct jsv_subschema *schema, const struct jsv_node *node)
{
    struct jsv_validator *validator = x->validator;
    if (validator->error) {
        return validator->error; /* from adding findings */
    }
    if (x->findings && x->failed_node == node && x->failed_shape == schema->shape) {
        return 0;
    }
    int64_t steps = validator->steps;
    int64_t granted = x->findings && x->precheck_left < steps ? x->precheck_left : steps;
    validator->steps = granted;
    bool holds = run_program(x, schema->shape, node);
    int64_t used = granted - validator->steps;
    if (!x->findings) {
        return validator->error ? validator->error : holds;
    }
    validator->error = 0;
    validator->steps = holds ? steps - used : steps;
    if (!holds) {
        x->precheck_left -= used;
        x->failed_node = node;
        x->failed_shape = schema->shape;
    }
    return holds;
}
