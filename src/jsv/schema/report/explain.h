/*
 * Evaluating a schema as the specification tells it, keyword by keyword.
 *
 * Slower than the program (run.c) and complete: it follows dynamic references,
 * keeps track of what was evaluated, and says what is wrong. The program calls
 * it for what it does not do itself; it asks the program what there is nothing
 * to say about (judge.h). Both must always agree on the verdict.
 */
#pragma once

#include "jsv/schema/compile/subschema.h"
#include "jsv/schema/run/validator.h"

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

/*
 * What jsv_validate_report() does with a value that is not valid, or not known to be.
 *
 * @param judges Leave out what the program finds valid; the report is the same.
 */
int jsv_explain_report(
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator,
    bool judges,
    struct jsv_problems *ret_problems);
