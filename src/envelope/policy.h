/*
 * mcp.envelope.v0.1: what any tool returned, in one wrapping.
 *
 * A plain result is wrapped as it is: nothing in it is renamed, reordered or
 * spelled anew. A tool that returns such an envelope itself is passed through
 * byte for byte. Of both only line breaks between tokens are dropped, where an
 * answer must be one line.
 *
 * Functions here only look at what they are given; nothing is kept.
 */
#pragma once

#include <jsv/json.h>

#include "envelope/issue.h"

#define ENVELOPE_VERSION         "mcp.envelope.v0.1"
#define ENVELOPE_REQUEST_VERSION "mcp.request.v0.1"

/* Characters that mcp.envelope.v0.1 allows for meta.request_id. */
#define ENVELOPE_REQUEST_ID_MAX 200

enum envelope_result_kind {
    ENVELOPE_RESULT_NONE, /* the tool has put out nothing */
    ENVELOPE_RESULT_JSON,
    ENVELOPE_RESULT_TEXT,
};

/** What a tool has put out. */
struct envelope_result {
    enum envelope_result_kind kind;
    struct jsv_str bytes;   /* JSON: one value, without white space around it. Else any bytes. */
    struct jsv_value value; /* the JSON read, if it was: only then it can be an envelope itself */
};

struct envelope_result envelope_result_json(struct jsv_value value);
/** JSON of our own making, known to be no envelope. */
struct envelope_result envelope_result_written(struct jsv_str json);
struct envelope_result envelope_result_text(struct jsv_str text);

/** What an envelope is made of. All is borrowed. */
struct envelope_answer {
    struct envelope_result result;
    struct envelope_issues errors;   /* none: no such member */
    struct envelope_issues warnings; /* none: no such member */
    struct jsv_str provenance;       /* a record, as JSON; empty: no such member */
    struct jsv_value request_id;     /* goes into meta, if it is a string that fits */
    bool keeps_lines;                /* nobody cuts it into lines: line breaks may stay */
};

/** Whether a value is an mcp.envelope.v0.1 object: its schema_version says so. */
bool envelope_is(struct jsv_value value);
/** Whether a message is an mcp.request.v0.1: its schema_version says so, and it has no jsonrpc. */
bool envelope_is_request(struct jsv_value message);

/**
 * Whether the tool's own envelope is the answer. It is not if the tool failed
 * and its envelope does not tell, by errors that each have a code and a
 * message: then only the result in it is used.
 */
bool envelope_passes_through(const struct envelope_answer *answer);

/** What an envelope that does not pass through has as its result. */
struct envelope_result envelope_payload(const struct envelope_answer *answer);

/**
 * Append the envelope.
 *
 * A text that is not UTF-8 cannot be written as it is: each bad byte becomes
 * U+FFFD, and a warning says so.
 *
 * @return 0, or the buffer's sticky error.
 */
int envelope_write(const struct envelope_answer *answer, struct jsv_buf *out);

/** Append JSON without the line breaks between its tokens. @return 0, or the buffer's error. */
int envelope_write_line(struct jsv_str json, struct jsv_buf *out);
/** Append what a tool has put out as one JSON value; nothing is null. @return as above. */
int envelope_write_result(const struct envelope_result *result, struct jsv_buf *out);
/**
 * Append an object without one of its members: params without _meta, as tools get them.
 * @return 0, or the buffer's sticky error.
 */
int envelope_write_without(struct jsv_value object, struct jsv_str name, struct jsv_buf *out);
