/*
 * Explaining: evaluating a schema keyword by keyword, as the specification
 * describes it.
 *
 * Slower than the program (run.c) but complete: it follows dynamic references,
 * tracks evaluated children and reports problems. The program calls it for what
 * it cannot do itself; it calls the program to skip valid parts (precheck.h).
 * Both always give the same verdict.
 */
#pragma once

#include "jsv/schema/compile/subschema.h"
#include "jsv/schema/run/validator.h"

/* The dynamic scope: resources entered so far, innermost first. */
struct jsv_scope {
    const struct jsv_scope *outer;
    const struct jsv_resource *resource;
};

/*
 * Evaluate a subschema for its verdict, with the validator's remaining steps
 * and depth. @return 1, 0, or an error as jsv_validate returns it.
 */
int jsv_explain_verdict(
    const struct jsv_schema *schema,
    const struct jsv_subschema *subschema,
    const struct jsv_scope *scope,
    struct jsv_value value,
    struct jsv_validator *validator);

/*
 * As jsv_validate_report(), without running the program on the whole value first.
 *
 * @param precheck Skip parts that the program accepts; the report is the same.
 */
int jsv_explain_report(
    const struct jsv_schema *schema,
    struct jsv_value value,
    struct jsv_validator *validator,
    bool precheck,
    struct jsv_problems *ret_problems);
