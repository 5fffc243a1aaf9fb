/*
 * Evaluating a schema as the specification tells it, keyword by keyword.
 *
 * Slower than the program (run.c) and complete: it follows dynamic references,
 * keeps track of what was evaluated, and says what is wrong. The program calls
 * it for what it does not do itself; reports are made by it alone. Both must
 * always agree on the verdict.
 */
#pragma once

#include "schema/subschema.h"
#include "schema/validator.h"

/* Resources entered on the way to here, innermost first: where dynamic references look. */
struct jsv_scope {
    const struct jsv_scope *outer;
    const struct jsv_resource *resource;
};

/*
 * The verdict of one subschema on one node. Steps and depth are the
 * validator's. @return 1, 0, or what jsv_validate returns on failure.
 */
int jsv_explain_verdict(
    const struct jsv_schema *schema,
    const struct jsv_subschema *subschema,
    const struct jsv_scope *scope,
    struct jsv_value value,
    struct jsv_validator *validator);
