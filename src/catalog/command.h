/*
 * Where the program of a tool is: a name with a "/" below the tools directory
 * unless it is absolute, a bare name there or in a directory of PATH.
 */
#pragma once

#include "catalog/catalog.h"

/**
 * Find it. Whether it is there is looked up for bare names alone.
 *
 * @param arena    Where the path is made.
 * @param ret_path NULL: a bare name that is nowhere.
 * @return 0 or -ENOMEM.
 */
int catalog_command_find(
    const struct catalog_tool *tool, struct jsv_arena *arena, const char **ret_path);

/**
 * See whether it can be run.
 *
 * @param ret_wrong What keeps it from that and what to do, in the arena; NULL: nothing.
 * @return 0 or -ENOMEM.
 */
int catalog_command_check(
    const struct catalog_tool *tool, struct jsv_arena *arena, const char **ret_wrong);

/** The directory it works in; in the arena. NULL when memory ran out. */
const char *catalog_command_directory(const struct catalog_tool *tool, struct jsv_arena *arena);

/** Three texts as one, for the kernel. NULL when memory ran out. */
char *
catalog_command_join(struct jsv_arena *arena, struct jsv_str a, struct jsv_str b, struct jsv_str c);
