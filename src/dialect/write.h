/*
 * Texts and JSON that several dialects write: messages and data of errors, and
 * the descriptions of tools.
 */
#pragma once

#include <jsv/json.h>
#include <jsv/problem.h>

struct catalog;
struct catalog_tool;

/* ---- errors ---- */

/**
 * An error message with the name it is about: `Unknown tool "nosuch"`. A long name is cut.
 * @return In scratch; what alone when memory ran out.
 */
struct jsv_str dialect_message(struct jsv_arena *scratch, struct jsv_str what, struct jsv_str name);
/**
 * An error message with the first problem: `Invalid params: /params/name: expected string`.
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
 * @param problems At least one.
 */
void dialect_write_problems(
    struct jsv_writer *writer, struct jsv_str prefix, const struct jsv_problems *problems);

/* ---- tools ---- */

/** The tool's version; without one "unknown" for a program, else the version of mcpgate. */
struct jsv_str dialect_tool_version(const struct catalog_tool *tool);
/** The member "mcp.tool:<name>" under a name. */
void dialect_write_tool_id(
    struct jsv_writer *writer, struct jsv_str name, const struct catalog_tool *tool);
/** "tools":[{toolId, name, title, version, description, inputSchema, outputSchema, …}] */
void dialect_write_tools(struct jsv_writer *writer, const struct catalog *catalog);
