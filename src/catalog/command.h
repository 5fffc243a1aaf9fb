/*
 * Finding the program of a tool: a name with a "/" is relative to the tools
 * directory unless it is absolute; a bare name is searched there, then in PATH.
 */
#pragma once

#include "catalog/catalog.h"

/**
 * Find it. Only bare names are checked for existence.
 *
 * @param arena    For the path.
 * @param ret_path NULL: a bare name that was not found.
 * @return 0 or -ENOMEM.
 */
int catalog_command_find(
    const struct catalog_tool *tool, struct jsv_arena *arena, const char **ret_path);

/**
 * Check that it can be run.
 *
 * @param ret_wrong The error and what to do, in the arena; NULL: none.
 * @return 0 or -ENOMEM.
 */
int catalog_command_check(
    const struct catalog_tool *tool, struct jsv_arena *arena, const char **ret_wrong);

/** The directory it works in; in the arena. NULL when memory ran out. */
const char *catalog_command_directory(const struct catalog_tool *tool, struct jsv_arena *arena);

/** Three texts joined, with a terminator. NULL when memory ran out. */
char *
catalog_command_join(struct jsv_arena *arena, struct jsv_str a, struct jsv_str b, struct jsv_str c);
