/*
 * mcpgate --validate: one file, judged as the server's tool validate_asset
 * would judge it, against the schema it names itself.
 */
#pragma once

#include "cli/cli.h"

struct app_config;

/**
 * Print one line, the result as JSON, also when the file cannot be read.
 * @return APP_EXIT_OK valid; APP_EXIT_INVALID not; APP_EXIT_TROUBLE otherwise.
 */
enum app_exit
app_asset_validate(struct app_cli *cli, const struct app_config *config, const char *path);
