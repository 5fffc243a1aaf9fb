/*
 * What does not fit a schema, as the data of an error says it.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

/**
 * The object {validationPath, schemaPath, validationError, suggestion, errors}: the first problem,
 * and the list of all.
 *
 * @param prefix   Put before each path.
 * @param problems One at least.
 */
void dialect_write_problems(
    struct jsv_writer *writer, struct jsv_str prefix, const struct jsv_problems *problems);
