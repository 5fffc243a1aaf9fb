/*
 * What does not fit a schema, as the data of an error says it.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

/**
 * The message of an error with the name it is about: `Unknown tool "nosuch"`. A long name is cut.
 * @return In scratch; only what is wrong when memory ran out.
 */
struct jsv_str dialect_message(struct jsv_arena *scratch, struct jsv_str what, struct jsv_str name);
/**
 * The same with the first problem and its place: `Invalid params: /params/name: expected string`.
 * @param prefix Put before the path.
 */
struct jsv_str dialect_problem_message(
    struct jsv_arena *scratch,
    struct jsv_str what,
    struct jsv_str prefix,
    const struct jsv_problem *problem);

/**
 * The object {validationPath, schemaPath, validationError, suggestion, errors}: the first problem,
 * and the list of all.
 *
 * @param prefix   Put before each path.
 * @param problems One at least.
 */
void dialect_write_problems(
    struct jsv_writer *writer, struct jsv_str prefix, const struct jsv_problems *problems);
