/*
 * The server as a process: from settings to readiness, signals, reloads, and
 * the way out.
 */
#pragma once

#include "cli/cli.h"

struct app_config;

/**
 * Serve until the end; what there is to say is said on standard error.
 *
 * @param cli Its out_fd, once it is a door, is closed with it and becomes -1.
 * @return APP_EXIT_OK when standard input ended or somebody asked us to stop;
 *         APP_EXIT_FAILED when something failed while serving; APP_EXIT_TROUBLE
 *         when it could not be set up.
 */
enum app_exit app_serve(struct app_cli *cli, const struct app_config *config);
