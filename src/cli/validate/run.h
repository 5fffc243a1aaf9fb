/*
 * Checking the documents of one piece of input: read, validate, say what was
 * found. The schema and the wishes are shared by all threads and only looked
 * at; everything else belongs to one worker.
 */
#pragma once

#include <jsv/schema.h>

#include "cli/validate/output.h"

struct validate_piece;

struct validate_check {
    const struct jsv_schema *schema;
    enum validate_format format;
    bool colour;
    size_t line_size_max;
};

/** What one thread keeps from document to document. All zero at first. */
struct validate_worker {
    struct jsv_reader *reader;
    struct jsv_document *document;
    struct jsv_validator *validator;
};

struct validate_counts {
    size_t documents;
    size_t valid;
    size_t broken; /* no JSON, or beyond a limit: neither valid nor invalid */
};

/**
 * Check the documents of a piece in order.
 *
 * @param out    What is to be said about them is appended.
 * @param counts Added to.
 * @return 0; -ENOMEM, or the error of the buffer.
 */
int validate_check_piece(
    const struct validate_check *check,
    struct validate_worker *worker,
    const struct validate_piece *piece,
    struct jsv_buf *out,
    struct validate_counts *counts);

void validate_worker_done(struct validate_worker *worker);

/* ==== run.h ==== */

/*
 * A run of `mcpgate validate`: all pieces of the input are read by this
 * thread, checked by a pool of others, and what is to be said about them is
 * written by this one again, in order. So the output does not depend on the
 * number of threads.
 */
struct cli;
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
    struct cli *cli,
    const struct validate_wishes *wishes,
    const struct validate_files *files,
    struct validate_sum *ret_sum);
