/*
 * Prechecks: running the program on a part of an invalid document, to skip the
 * part if it is valid.
 *
 * Most values of an invalid document are valid. The program finds that out in a
 * fraction of the time that explaining takes. A precheck of an invalid value is
 * wasted, since the value is explained anyway, so failed prechecks have their
 * own step budget, enough for a few passes over the document. Once it is used
 * up, everything is explained.
 *
 * A program that fails has accepted everything before the failure (struct
 * jsv_last_failure). Those children are not checked again when their container
 * is explained.
 */
#pragma once

#include "jsv/schema/report/explain_call.h"

/* The initial budget for explaining a value. */
int64_t jsv_precheck_budget(const struct jsv_node *node);

/* Whether the program can check a schema on its own, and budget is left. */
static inline bool jsv_precheck_can(const struct jsv_explain *x, const struct jsv_subschema *schema)
{
    return x->precheck_left > 0 && schema->shape;
}

/* As jsv_precheck_valid_end(), for the last failure of the same schema. */
const struct jsv_node *
jsv_precheck_find_failure(const struct jsv_last_failure *failure, const struct jsv_node *container);

/* The end of the children of a container that are known to be valid. */
static inline const struct jsv_node *jsv_precheck_valid_end(
    const struct jsv_explain *x, const void *by, const struct jsv_node *container)
{
    const struct jsv_last_failure *failure = &x->validator->last_failure;
    bool may_know = x->precheck_left > 0 && failure->by == by;
    return may_know ? jsv_precheck_find_failure(failure, container) : container;
}

/*
 * Check a value. @return 1, 0 or an error. With findings, an error is returned
 * as 0: unless the budget ran out, explaining meets the same error.
 */
int jsv_precheck(
    struct jsv_explain *x, const struct jsv_subschema *schema, const struct jsv_node *node);
