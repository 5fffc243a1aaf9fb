/*
 * The files of a log, one after another, for who reads along.
 *
 * A path is either a file, or a link to the latest of several in its own
 * directory, whose names are in the order in which they were begun. When the
 * link leads elsewhere, the next file is the first behind the one that is
 * open: the server may have begun more than one since.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct app_log_trail {
    const char *path;
    int fd;                  /* of the file that is read */
    char name[NAME_MAX + 1]; /* of it; empty: the path is no link */
};

/** @param path Must outlive it. @return 0 or -errno. */
int app_log_trail_open(struct app_log_trail *trail, const char *path);
void app_log_trail_close(struct app_log_trail *trail);
/** Whether there is another file to go on with. */
bool app_log_trail_has_more(const struct app_log_trail *trail);
/** Go on with it. @return 1; 0 when it is gone again, and this one stays; -errno. */
int app_log_trail_next(struct app_log_trail *trail);
