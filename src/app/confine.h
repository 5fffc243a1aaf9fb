/*
 * Hiding secrets and giving up privileges, so that a bug in the server, or a
 * program it runs, can do less harm.
 */
#pragma once

#include <stdbool.h>

struct catalog;

/**
 * Overwrite secrets in the command line and the environment, which other processes can read in
 * /proc for as long as this one runs. The entries then point to copies, which are never freed.
 *
 * @param environment Entries NAME=value, ended by NULL.
 * @return 0 or -ENOMEM: the rest is unchanged.
 */
int app_hide_secrets(int argc, char **argv, char **environment);

/** Remove secrets from the environment of programs we start. Pointers to the values stay valid. */
void app_forget_secrets(char **environment);

/**
 * Keep secrets from other processes of the same user and from programs we start: no core dumps,
 * nothing to read in /proc, no secrets in the environment. Call it after reading the settings.
 */
void app_confine_secrets(void);

/**
 * Give up gaining privileges, for this process and its children, unless a tool descriptor says
 * "new_privileges": true. Call it before starting threads.
 * @return whether they were given up.
 */
bool app_confine_privileges(const struct catalog *catalog);

/** Warn about a tool that needs privileges but was added by a reload, after they were given up. */
void app_confine_check(const struct catalog *catalog);
