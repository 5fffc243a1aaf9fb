/*
 * What the server gives up before it serves, so that a mistake in it, or a
 * program it runs, reaches less.
 */
#pragma once

#include <stdbool.h>

struct catalog;

/**
 * Keep secrets from other processes of the same user and from the programs we start: no core dumps,
 * nothing to read in /proc, and no secrets in the environment. After the settings were read.
 */
void app_confine_secrets(void);

/**
 * Give up gaining privileges, for this process and all it starts, unless a tool needs them: its
 * descriptor says "new_privileges": true. Before there are threads.
 * @return whether they were given up.
 */
bool app_confine_privileges(const struct catalog *catalog);

/** After a reload, when they were given up: warn of a tool that needs them. */
void app_confine_check(const struct catalog *catalog);
