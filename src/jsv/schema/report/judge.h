/*
 * The program's verdict on a part of a document, for who explains the whole.
 *
 * In an invalid document most values are as they should be. The program tells
 * so in a fraction of the time, and there is nothing to be said of them. One
 * that is not, and all that is around it, is judged in vain: it is gone into
 * all the same. Such verdicts are paid from a purse of their own, enough for
 * some passes over the document. When it is empty, everything is explained.
 *
 * A program that fails has found good what it looked at before. So little is
 * asked twice: of the container that is gone into next it is known up to where
 * there is nothing to say.
 */
#pragma once

#include "jsv/schema/report/explain_call.h"

/* What is in the purse at first, for explaining a value. */
int64_t jsv_judge_steps(const struct jsv_node *node);

/* Whether the program has a verdict on a schema by itself, and may be asked for it. */
static inline bool jsv_judge_can(const struct jsv_explain *x, const struct jsv_subschema *schema)
{
    return x->judging_left > 0 && schema->shape;
}

/* As jsv_judge_good_end(), when a container of the same end was checked by the same. */
const struct jsv_node *
jsv_judge_find_stop(const struct jsv_stop *stop, const struct jsv_node *container);

/* Up to where all that is inside a container is known to be good (struct jsv_stop). */
static inline const struct jsv_node *
jsv_judge_good_end(const struct jsv_explain *x, const void *by, const struct jsv_node *container)
{
    const struct jsv_stop *stop = &x->validator->stop;
    bool may_know = x->judging_left > 0 && stop->by == by;
    return may_know ? jsv_judge_find_stop(stop, container) : container;
}

/*
 * @return 1, 0 or a failure. With findings a failure is 0, too: when it was not
 * the purse, explaining will meet it again.
 */
int jsv_judge(
    struct jsv_explain *x, const struct jsv_subschema *schema, const struct jsv_node *node);
