/*
 * A look at the descriptors of external tools, for whoever writes them.
 */
#pragma once

#include "cli/cli.h"

/**
 * Print "FILE#POINTER: what" for everything in a directory's descriptors that a
 * client, or whoever reads over its shoulder, could trip over.
 *
 * @return APP_EXIT_INVALID when there is something.
 */
enum app_exit app_tools_lint(struct app_cli *cli, const char *directory);
