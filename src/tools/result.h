/*
 * Refusals and failures in the words of the tools, for the corridor.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

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
