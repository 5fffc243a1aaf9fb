/*
 * A refusal in the words of the tools, for the corridor.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

/** {"ok":false,"reason":"validation_failed","errors":[{"path":…,"msg":…}]} */
void tool_write_invalid(struct jsv_writer *writer, const struct jsv_problems *problems);
