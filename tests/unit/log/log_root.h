/*
 * A directory of a test's own to log into, gone with all that was written.
 */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/sys.h"

static char root[64];

static inline int remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

static inline void remove_all(void)
{
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int setup(void **state)
{
    (void)state;
    snprintf(root, sizeof(root), "/tmp/test_log_XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static inline int teardown(void **state)
{
    (void)state;
    os_sys = &os_sys_real;
    remove_all();
    return 0;
}
