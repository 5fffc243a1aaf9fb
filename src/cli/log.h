/*
 * The files of a log, one after another.
 *
 * The path is a file, or a link to the newest of several files in the same
 * directory, whose names sort by time. When the link has moved, the next file
 * is the first after the open one, because there may be more than one new file.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct cli_log_files {
    const char *path;
    int fd;                  /* of the open file */
    char name[NAME_MAX + 1]; /* of the open file; empty: the path is not a link */
};

/** @param path Must outlive the struct. @return 0 or -errno. */
int cli_log_files_open(struct cli_log_files *files, const char *path);
void cli_log_files_close(struct cli_log_files *files);
/** Whether there is another file after the open one. */
bool cli_log_files_has_more(const struct cli_log_files *files);
/** Open the next file. @return 1; 0 when it is gone, and the open one stays; -errno. */
int cli_log_files_next(struct cli_log_files *files);
