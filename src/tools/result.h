/* Errors in the form of the built-in tools, also for other folders. */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

/** "errors":[{"path":…,"msg":…}], and "more" if some are not listed, into an open object. */
void tool_write_problems(struct jsv_writer *writer, const struct jsv_problems *problems);
void tool_write_problem(struct jsv_writer *writer, struct jsv_str path, struct jsv_str message);
/** {"ok":false,"reason":"validation_failed","errors":[{"path":…,"msg":…}]} */
void tool_write_invalid(struct jsv_writer *writer, const struct jsv_problems *problems);

struct tool_call;

/** Whether a failed program wrote an envelope with errors, which then are the answer. */
bool tool_tells_errors(const struct tool_call *call);
/**
 * Write the failure of a program:
 * {"ok":false,"reason":"execution_failed","detail":…,"error":{code, message, details}}, and
 * "partial" with its output so far; or its own envelope, if that has errors.
 */
void tool_write_failure(struct jsv_writer *writer, const struct tool_call *call);
