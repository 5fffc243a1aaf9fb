/*
 * A run of mcpgate validate: one thread reads the input in pieces, others parse
 * and check the documents, and the first writes the results in order. So the
 * output does not depend on the number of threads, and memory does not depend
 * on the size of the input.
 */
#pragma once

#include <jsv/schema.h>

#include "cli/validate/output.h"

struct cli;
struct validate_files;
struct validate_piece;

struct validate_options {
    const struct jsv_schema *schema;
    enum validate_format format;
    bool colour;
    size_t line_size_max;
    unsigned threads; /* 1: no threads are started */
    bool progress;
};

struct validate_counts {
    size_t documents;
    size_t valid;
    size_t broken; /* not JSON, or beyond a limit: neither valid nor invalid */
    size_t unread; /* files */
};

/**
 * Check all files.
 *
 * @param ret_counts Also set on failure, to what was done.
 * @return 0; -EINTR when asked to stop; or a reported error.
 */
int validate_run(
    struct cli *cli,
    const struct validate_options *options,
    const struct validate_files *files,
    struct validate_counts *ret_counts);

/** Memory of one thread, reused for every document. Starts all zero. */
struct validate_worker {
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
};

/**
 * Check the documents of a piece in order.
 *
 * @param out    The results are appended.
 * @param counts Added to.
 * @return 0; -ENOMEM, or the error of the buffer.
 */
int validate_check_piece(
    const struct validate_options *options,
    struct validate_worker *worker,
    const struct validate_piece *piece,
    struct jsv_buf *out,
    struct validate_counts *counts);

void validate_worker_done(struct validate_worker *worker);
