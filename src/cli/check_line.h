/*
 * What `mcpgate check` does with the lines of a stream: each is read, checked
 * and answered with a line of its own; blank ones are passed over.
 */
#pragma once

#include "mcp/check.h"

/* A message, without its line break: what a server takes. */
#define CHECK_LINE_SIZE_MAX ((size_t)1 << 20)

struct check_line_options {
    struct mcp_definitions *definitions;
    enum mcp_version version; /* of all messages, unless follows_stream */
    bool follows_stream;      /* each message is in the version that the stream says */
    const char *text_name;    /* of the input, for lines of text about what is wrong; NULL: JSON */
    const char *as;           /* a definition's name; NULL: the one each message asks for */
    const struct jsv_schema *as_schema;
};

struct check_lines;

/** @param options Borrowed. @return NULL when memory ran out. */
struct check_lines *check_lines_new(const struct check_line_options *options);
void check_lines_free(struct check_lines *lines);

/**
 * Check a text of whole lines; the last may lack its line break.
 *
 * @param out A verdict for each line is appended.
 * @return 0; -ENOMEM; or the buffer's error.
 */
int check_lines_text(struct check_lines *lines, struct jsv_str text, struct jsv_buf *out);

/** Say that there was a line beyond the limit. @return 0, or the buffer's error. */
int check_lines_too_long(struct check_lines *lines, struct jsv_buf *out);

/** Messages checked up to now, and those of them that were not valid. */
struct check_counts {
    size_t messages;
    size_t invalid;
};
struct check_counts check_lines_counts(const struct check_lines *lines);
