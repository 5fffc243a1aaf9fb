/*
 * Results on standard output. A result is complete before its first byte is
 * written, and one that cannot be written is reported: whoever reads us must
 * not take half an answer for a whole one.
 */
#pragma once

#include <jsv/jsv.h>

struct app_cli;

/* Ceiling for a result in memory: room for two inputs at theirs and the paths in them. */
#define APP_OUTPUT_SIZE_MAX ((size_t)3 << 30)

/** Write to standard output. @return 0, or an error that has been reported. */
int app_output_write(struct app_cli *cli, struct jsv_str text);

/** Write a buffer, unless filling it failed. @return 0, or an error that has been reported. */
int app_output_buf(struct app_cli *cli, const struct jsv_buf *text);

/** Report why a result could not be made. @param error Negative errno. @return it. */
int app_output_failed(struct app_cli *cli, int error);

/** Close standard output: some file systems tell only now that there was no space. */
int app_output_close(struct app_cli *cli);
