/*
 * Inputs named on the command line: files, or "-" for standard input. A file
 * may be anything that can be read, a pipe too: the user chose it.
 */
#pragma once

#include <jsv/jsv.h>

struct app_cli;

/* What an input held in memory may have: a document takes a multiple of its text besides. */
#define APP_INPUT_SIZE_MAX ((size_t)1 << 30)

/** The name of an input in messages. */
const char *app_input_name(const char *path);

/** @return a descriptor, which the caller closes, or an error that has been reported. */
int app_input_open(struct app_cli *cli, const char *path);

/** Append a whole input, up to the buffer's ceiling. @return 0, or a reported error. */
int app_input_read(struct app_cli *cli, const char *path, struct jsv_buf *out);

/** Report why an input could not be read to its end. @param error Negative errno. */
void app_input_report(const struct app_cli *cli, const char *path, int error);
