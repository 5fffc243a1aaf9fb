/*
 * The stream of messages that mcpgate check reads: each line is parsed, checked
 * and answered with one line of JSON,
 *
 *     {"ok":true,"kind":"request","method":"tools/list","definition":"ListToolsRequest"}
 *     {"ok":false,"layer":"mcp","code":-32602,"errors":[{"path":"/params","msg":"…"}]}
 *
 * or, if it is not valid, with lines for people:
 *
 *     session.jsonl:7: tools/call: /params/name: expected string (mcp, -32602)
 *
 * Blank lines are skipped.
 */
#pragma once

#include "mcp/check.h"

/* Limit for a message without its line break, the same as a server has. */
#define CHECK_LINE_SIZE_MAX ((size_t)1 << 20)

struct check_options {
    struct mcp_definitions *definitions;
    enum mcp_version version; /* of all messages, unless follows_stream */
    bool follows_stream;      /* take each message's version from the stream */
    const char *text_name;    /* name of the input, for output as text; NULL: output as JSON */
    const char *as;           /* name of the definition for all messages; NULL: by their method */
    const struct jsv_schema *as_schema;
};

struct check_stream;

/** @param options Borrowed. @return NULL without memory. */
struct check_stream *check_stream_new(const struct check_options *options);
void check_stream_free(struct check_stream *stream);

/**
 * Check complete lines; the last may lack its line break.
 *
 * @param out The results are appended.
 * @return 0; -ENOMEM; or the buffer's error.
 */
int check_stream_text(struct check_stream *stream, struct jsv_str text, struct jsv_buf *out);

/** Report a line beyond the limit. @return 0, or the buffer's error. */
int check_stream_too_long(struct check_stream *stream, struct jsv_buf *out);

/** Messages checked so far, and how many of them were not valid. */
struct check_counts {
    size_t messages;
    size_t invalid;
};
struct check_counts check_stream_counts(const struct check_stream *stream);

/* ---- results ---- */

/** Append a line of JSON. An error sticks to the buffer. */
void check_output_write(const struct mcp_verdict *verdict, struct jsv_buf *out);
/** Append a line for each problem, none for a valid message. */
void check_output_write_text(
    const char *name, size_t line, const struct mcp_verdict *verdict, struct jsv_buf *out);

/* ---- requests without an answer so far: method and version of each, by id ---- */

/*
 * Memory is bounded: of more than CHECK_PENDING_MAX requests the oldest is
 * dropped, and a request with an id longer than CHECK_ID_SIZE_MAX is not kept.
 * Their answers are then checked without knowing the method.
 *
 * Client and server both number their requests, so an id may be pending twice.
 * An answer then belongs to the later request, because a server's question
 * during a request is answered before that request.
 */
struct check_pending;

#define CHECK_PENDING_MAX 16384

/* Room for a UUID of 36 characters and a prefix. */
#define CHECK_ID_SIZE_MAX 64

/** @return NULL without memory. */
struct check_pending *check_pending_new(void);
void check_pending_free(struct check_pending *pending);

/** @param id A string or an integer. @param method Borrowed. */
void check_pending_put(
    struct check_pending *pending,
    struct jsv_value id,
    const struct mcp_method *method,
    enum mcp_version version);

/**
 * Look up a request.
 * @param id Any value. @return its method; NULL, and the version untouched, when there is none.
 */
const struct mcp_method *check_pending_find(
    const struct check_pending *pending, struct jsv_value id, enum mcp_version *ret_version);

/** Remove a request. @return its method; NULL when there is none with that id. */
const struct mcp_method *check_pending_take(struct check_pending *pending, struct jsv_value id);
