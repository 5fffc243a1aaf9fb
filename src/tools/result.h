/*
 * Result objects that several tools, and the corridor for them, have in common.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

/** [{"path":…,"msg":…}, …] */
void tool_write_problems(struct jsv_writer *writer, const struct jsv_problems *problems);
/** {"ok":false,"reason":"validation_failed","errors":[{"path":…,"msg":…}]} */
void tool_write_invalid(struct jsv_writer *writer, const struct jsv_problems *problems);
