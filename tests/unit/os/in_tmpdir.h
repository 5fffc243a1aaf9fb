/*
 * Tests that have a directory to themselves, `dir`, and may arm faults.
 * Needs _GNU_SOURCE, for nftw().
 */
#pragma once

#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;

static inline int in_tmpdir_set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    return 0;
}

static inline int in_tmpdir_tear_down(void **state)
{
    (void)state;
    fault_disarm();
    tmpdir_remove(&dir);
    return 0;
}

#define IN_TMPDIR(test) cmocka_unit_test_setup_teardown(test, in_tmpdir_set_up, in_tmpdir_tear_down)
