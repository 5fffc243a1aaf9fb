/*
 * Request and response envelopes of version 1.x.
 *
 * Unknown members of version 1.0 are refused. Unknown members of a later minor
 * version are tolerated, and the response lists them in
 * metadata.unknown_fields. Another major version is answered with
 * UNSUPPORTED_VERSION.
 *
 * `auth` is checked and otherwise ignored: no function here returns it.
 */
#pragma once

#include <jsv/schema.h>

#include "envelope/issue.h"
#include "envelope/policy.h"
#include "envelope/schemas.h"

/** The version of responses. */
#define ENVELOPE_REFERENCE_VERSION "1.0.0"

enum envelope_reference_verdict {
    ENVELOPE_REFERENCE_VALID,
    ENVELOPE_REFERENCE_UNSUPPORTED, /* not version 1 */
    ENVELOPE_REFERENCE_INVALID,
};

struct envelope_reference_request {
    struct jsv_value message;
    struct jsv_value id; /* a non-empty string, or NONE */
    /* Only set when valid: */
    struct jsv_str tool;
    struct jsv_value payload;  /* an object */
    struct jsv_value trace_id; /* a string, or NONE */
    bool minor;                /* later than 1.0: may have unknown members */
};

/** Whether a message is a request envelope of any version: version, tool, payload, no jsonrpc. */
bool envelope_reference_is(struct jsv_value message);

/**
 * Check a request envelope.
 *
 * @param message     Any JSON value.
 * @param arena       Memory of the issues.
 * @param ret_request Its id is set whatever the verdict.
 * @param ret_issues  Empty when valid. Borrows from the validator.
 * @return enum envelope_reference_verdict; or an error of jsv_validate().
 */
int envelope_reference_check(
    const struct envelope_schemas *schemas,
    struct jsv_value message,
    struct jsv_validator *validator,
    struct jsv_arena *arena,
    struct envelope_reference_request *ret_request,
    struct envelope_issues *ret_issues);

enum envelope_status {
    ENVELOPE_STATUS_SUCCESS,
    ENVELOPE_STATUS_ACCEPTED,
    ENVELOPE_STATUS_RETRY,
    ENVELOPE_STATUS_ERROR,
};

/** A response. All members are borrowed. */
struct envelope_reference_response {
    const struct envelope_reference_request *request; /* NULL: none could be read */
    enum envelope_status status;
    unsigned http;
    struct jsv_str message;   /* for people; empty: no such member */
    struct jsv_str timestamp; /* RFC 3339 */
    uint64_t duration_us;
    struct envelope_result output; /* of kind NONE: no such member */
    struct envelope_issues errors; /* none: no such member */
    struct jsv_value own_errors;   /* of the tool's own envelope, instead of those; NONE: none */
    unsigned retry_after_s;        /* of RETRY: for the header Retry-After */
};

/** Append the response envelope. @return 0, or the buffer's sticky error. */
int envelope_reference_write(
    const struct envelope_reference_response *response, struct jsv_buf *out);
