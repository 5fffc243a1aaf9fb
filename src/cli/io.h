/*
 * Inputs named on the command line, JSON documents among them, and results on
 * standard output.
 */
#pragma once

#include <jsv/json.h>

struct cli;

/* ---- input ---- */

/* Limit for an input in memory; its document takes a multiple of that. */
#define CLI_INPUT_SIZE_MAX ((size_t)1 << 30)

/** The name of an input in messages: "<stdin>" for "-". */
const char *cli_input_name(const char *path);

/** Open a file or, for "-", standard input. @return a descriptor to close, or a reported error. */
int cli_input_open(struct cli *cli, const char *path);

/** Append a whole input, up to the buffer's limit. @return 0, or a reported error. */
int cli_input_read(struct cli *cli, const char *path, struct jsv_buf *out);

/** Report why an input could not be read. @param error Negative errno. */
void cli_input_report(const struct cli *cli, const char *path, int error);

#define CLI_YAML_MESSAGE "this looks like YAML; only JSON is supported"

/** Whether a text that is not JSON looks like YAML. @param name Of its file; the ending counts. */
bool cli_is_like_yaml(const char *name, struct jsv_str text);

/** Remove the first line from a text. @return the line without its line break. */
struct jsv_str cli_take_line(struct jsv_str *text);

/** Whether a line holds only white space. */
bool cli_is_blank(struct jsv_str line);

/* ---- documents ---- */

struct cli_document {
    const char *name; /* for messages; borrowed */
    struct jsv_buf text;
    struct jsv_document *document;
};

/**
 * Read a document strictly: duplicate members are an error.
 *
 * @param path         A file, or "-" for standard input. Must outlive the document.
 * @param ret_document Free it with cli_document_done().
 * @return 0, or a reported error.
 */
int cli_document_load(struct cli *cli, const char *path, struct cli_document *ret_document);
/** Parse a text that was read by other means. @param document Has name and text only. */
int cli_document_parse(struct cli *cli, struct cli_document *document);
/** Accepts one that is all zero. */
void cli_document_done(struct cli_document *document);

/** Report something about a value of a document, with its place, pointer and line. */
void cli_document_report(
    struct cli *cli,
    const struct cli_document *document,
    struct jsv_value value,
    const char *message);

/* ---- output ---- */

/* Limit for a result in memory: room for two inputs of maximum size and the paths in them. */
#define CLI_OUTPUT_SIZE_MAX ((size_t)3 << 30)

/** Make an empty buffer for a result. */
void cli_output_init(struct jsv_buf *out);

/** Write to standard output. @return 0, or a reported error. */
int cli_output_write(struct cli *cli, struct jsv_str text);

/**
 * Write a buffer, unless filling it failed: a result is complete before its first byte is written,
 * so that half of it is never taken for the whole. @return 0, or a reported error.
 */
int cli_output_buf(struct cli *cli, const struct jsv_buf *text);

/** Write a buffer as cli_output_buf() and free it. */
int cli_output_finish(struct cli *cli, struct jsv_buf *text);

/** Report why a result could not be computed. @param error Negative errno. @return it. */
int cli_output_failed(struct cli *cli, int error);

/** Close standard output: some file systems report only now that there was no space. */
int cli_output_close(struct cli *cli);
