/*
 * Settings for a test: an environment of its own behind os_getenv(), and the
 * options of `mcpgate serve` read from words.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include "app/config.h"
#include "cli/cli.h"
#include "os/sys.h"

#define SETTINGS_MAX 16

static const char *settings_environment[SETTINGS_MAX]; /* "NAME=value", ended by NULL */
static struct os_sys settings_sys;

static inline char *settings_getenv(const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; i < SETTINGS_MAX && settings_environment[i]; i++) {
        const char *entry = settings_environment[i];
        if (strncmp(entry, name, size) == 0 && entry[size] == '=') {
            return (char *)(uintptr_t)(entry + size + 1);
        }
    }
    return NULL;
}

/* The environment holds only what a test sets. */
static inline int settings_setup(void **state)
{
    (void)state;
    memset(settings_environment, 0, sizeof(settings_environment));
    settings_sys = os_sys_real;
    settings_sys.getenv = settings_getenv;
    os_sys = &settings_sys;
    return 0;
}

static inline int settings_teardown(void **state)
{
    (void)state;
    os_sys = &os_sys_real;
    return 0;
}

#define SETTINGS_TEST(test) cmocka_unit_test_setup_teardown(test, settings_setup, settings_teardown)
