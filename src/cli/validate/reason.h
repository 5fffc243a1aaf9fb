/*
 * Why a schema that allows nothing applies to a value, in words: a message such
 * as "no value is allowed here" helps only with the place in the schema and the
 * condition that led there.
 */
#pragma once

#include <jsv/problem.h>

struct app_message;

/**
 * Append the reason of a problem with the schema false or "not"; nothing for any other:
 *
 *     : the schema at /allOf/0/then/properties/b is false, which applies because "if" at
 *     /allOf/0/if matches
 */
void validate_reason_put(struct app_message *message, const struct jsv_problem *problem);
