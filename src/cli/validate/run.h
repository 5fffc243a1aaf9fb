/*
 * A run of `mcpgate validate`: all pieces of the input are read by this
 * thread, checked by a pool of others, and what is to be said about them is
 * written by this one again, in order. So the output does not depend on the
 * number of threads.
 */
#pragma once

#include "cli/validate/check.h"

struct app_cli;
struct validate_files;

struct validate_wishes {
    struct validate_check check;
    unsigned threads; /* 1: all is done by this one */
    bool progress;
};

struct validate_sum {
    struct validate_counts counts;
    size_t unread; /* files */
};

/**
 * @param ret_sum Set also on failure, to what was done.
 * @return 0; -EINTR when asked to stop; or an error that has been reported.
 */
int validate_run(
    struct app_cli *cli,
    const struct validate_wishes *wishes,
    const struct validate_files *files,
    struct validate_sum *ret_sum);
