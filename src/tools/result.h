/*
 * Refusals and failures in the words of the tools, for whoever has to say the same.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

/** "errors":[{"path":…,"msg":…}] and what belongs to it, in an object that is open. */
void tool_write_problems(struct jsv_writer *writer, const struct jsv_problems *problems);
void tool_write_problem(struct jsv_writer *writer, struct jsv_str path, struct jsv_str message);
/** {"ok":false,"reason":"validation_failed","errors":[{"path":…,"msg":…}]} */
void tool_write_invalid(struct jsv_writer *writer, const struct jsv_problems *problems);

struct tool_call;

/** Whether a program that failed has said so itself, in an envelope with errors: they win. */
bool tool_tells_errors(const struct tool_call *call);
/**
 * Of a program that failed:
 * {"ok":false,"reason":"execution_failed","detail":…,"error":{code, message, details}}, and
 * "partial" with what it had put out; or its own words, if it has told its errors itself.
 */
void tool_write_failure(struct jsv_writer *writer, const struct tool_call *call);
