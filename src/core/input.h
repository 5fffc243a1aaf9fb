/*
 * A tool's arguments against its input schema.
 */
#pragma once

#include "dialect/dialect.h"

/**
 * Check request->arguments.
 *
 * A missing member is reported at its own place, and where the tool's
 * descriptor has a text for a parameter that is missing, null or empty
 * ("absent"), that text is the message, and no other problem is reported.
 *
 * @param ret_problems Set when they do not fit; lives in validator and scratch.
 * @return 1 they fit, 0 they do not, -errno.
 */
int core_input_check(struct dialect_request *request, struct jsv_problems *ret_problems);
