/*
 * mcp.envelope.v0.1: one wrapper for the result of any tool.
 *
 * A plain result is wrapped unchanged: nothing in it is renamed, reordered or
 * respelled. An envelope that a tool returns itself is passed through byte for
 * byte. Only line breaks between tokens are removed, where an answer must be
 * one line.
 *
 * Functions here keep no state.
 */
#pragma once

#include <jsv/json.h>

#include "envelope/issue.h"

#define ENVELOPE_VERSION         "mcp.envelope.v0.1"
#define ENVELOPE_REQUEST_VERSION "mcp.request.v0.1"

/* Characters that mcp.envelope.v0.1 allows for meta.request_id. */
#define ENVELOPE_REQUEST_ID_MAX 200

enum envelope_result_kind {
    ENVELOPE_RESULT_NONE, /* no output */
    ENVELOPE_RESULT_JSON,
    ENVELOPE_RESULT_TEXT,
};

/** The output of a tool. */
struct envelope_result {
    enum envelope_result_kind kind;
    struct jsv_str bytes;   /* JSON: one value, without surrounding white space. Else any bytes. */
    struct jsv_value value; /* the parsed JSON; NONE: not parsed, and so never an envelope */
};

struct envelope_result envelope_result_json(struct jsv_value value);
/** JSON written by this program, which is never an envelope. */
struct envelope_result envelope_result_written(struct jsv_str json);
struct envelope_result envelope_result_text(struct jsv_str text);

/** The parts of an envelope. All are borrowed. */
struct envelope_answer {
    struct envelope_result result;
    struct envelope_issues errors;   /* none: no such member */
    struct envelope_issues warnings; /* none: no such member */
    struct jsv_str provenance;       /* a record, as JSON; empty: no such member */
    struct jsv_value request_id;     /* goes into meta, if it is a string within the limit */
    bool keeps_lines; /* the transport does not need one line: line breaks may stay */
};

/** Whether a value is an mcp.envelope.v0.1 object, by its schema_version. */
bool envelope_is(struct jsv_value value);
/** Whether a message is an mcp.request.v0.1, by its schema_version; it must not have jsonrpc. */
bool envelope_is_request(struct jsv_value message);

/**
 * Whether the tool's own envelope is the answer. It is not when the tool failed
 * and its envelope has no errors, or one without code or message: then only its
 * result is used.
 */
bool envelope_passes_through(const struct envelope_answer *answer);

/** The result of an envelope that is not passed through. */
struct envelope_result envelope_payload(const struct envelope_answer *answer);

/**
 * Append the envelope.
 *
 * In a text that is not UTF-8 each bad byte becomes U+FFFD, with a warning.
 *
 * @return 0, or the buffer's sticky error.
 */
int envelope_write(const struct envelope_answer *answer, struct jsv_buf *out);

/** Append JSON without the line breaks between its tokens. @return 0, or the buffer's error. */
int envelope_write_line(struct jsv_str json, struct jsv_buf *out);
/** Append the output of a tool as one JSON value; none is null. @return as above. */
int envelope_write_result(const struct envelope_result *result, struct jsv_buf *out);
/**
 * Append an object without one of its members: params without _meta, as tools get them.
 * @return 0, or the buffer's sticky error.
 */
int envelope_write_without(struct jsv_value object, struct jsv_str name, struct jsv_buf *out);
