#include "jsv/schema/report/judge.h"

#include "jsv/schema/program/program.h"

/* Steps for verdicts in vain: so many for every value of the document, and some for a small one. */
#define STEPS_PER_VALUE 4
#define STEPS_AT_LEAST  10000

int64_t jsv_judge_steps(const struct jsv_node *node)
{
    return STEPS_AT_LEAST + STEPS_PER_VALUE * (int64_t)jsv_node_skip(node);
}

/*
 * Operations may explain, too: above the words that are in use here. What could
 * not be decided counts as failed, whatever was made of it ("not"); what was
 * remembered or found good on the way is as doubtful, and forgotten.
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
        validator->stop.by = NULL;
    }
    return holds && !validator->error;
}

/*
 * A container, those it is the last of, and those that are its last all have
 * the same end. Of the places before that end, where one of them has a part
 * that ends there, none of the others has.
 */
const struct jsv_node *
jsv_judge_find_stop(const struct jsv_stop *stop, const struct jsv_node *container)
{
    bool is_object = jsv_node_type(container) == JSV_TYPE_OBJECT;
    const struct jsv_node *end = jsv_node_next(container);
    const struct jsv_node *part = container;
    const struct jsv_node *next = container + 1;
    if (stop->end != end || stop->part_end == end) {
        return container;
    }
    while (next < stop->part_end) {
        part = next;
        next = jsv_node_next(part + is_object);
    }
    return next == stop->part_end ? part : container;
}

int jsv_judge(
    struct jsv_explain *x, const struct jsv_subschema *schema, const struct jsv_node *node)
{
    struct jsv_validator *validator = x->validator;
    if (validator->error) {
        return validator->error; /* of taking findings down */
    }
    if (x->findings && x->failed_node == node && x->failed_shape == schema->shape) {
        return 0;
    }
    int64_t steps = validator->steps;
    int64_t granted = x->findings && x->judging_left < steps ? x->judging_left : steps;
    validator->steps = granted;
    bool holds = run_program(x, schema->shape, node);
    int64_t taken = granted - validator->steps;
    if (!x->findings) {
        return validator->error ? validator->error : holds;
    }
    validator->error = 0;
    validator->steps = holds ? steps - taken : steps;
    if (!holds) {
        x->judging_left -= taken;
        x->failed_node = node;
        x->failed_shape = schema->shape;
    }
    return holds;
}
