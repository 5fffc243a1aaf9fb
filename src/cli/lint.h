/*
 * Checks on the descriptors of external tools.
 */
#pragma once

#include "cli/cli.h"

/**
 * Print "FILE#POINTER: finding" for everything in a directory's descriptors that may cause trouble
 * for clients or users.
 * @return APP_EXIT_INVALID when there are findings.
 */
enum app_exit cli_lint(struct cli *cli, const char *directory);
