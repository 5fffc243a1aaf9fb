/*
 * New files to start from.
 */
#pragma once

struct cli;

/**
 * Create the descriptor and the program of a working tool, and print how to try it. If one of the
 * files exists, nothing is created.
 *
 * @param directory Created if it is missing.
 * @param name      Of the tool.
 * @return 0, or a reported error; then no new file is left.
 */
int cli_init_tool(struct cli *cli, const char *directory, const char *name);
