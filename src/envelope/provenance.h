/*
 * prov.record.v0.1: which tool made a result, from which inputs, and how.
 *
 * A record is made only on request, by params._meta:
 *
 *     capture_provenance: true     there is a record
 *     capture_artifacts: true      artifacts have digests
 *     provenance_mode: "full"      besides id and media type of artifacts also their locators,
 *                                  sizes and labels, evidence, and a digest of the record
 *     parents: ["<run_id>", …]     runs this one depends on
 *
 * By default it is deterministic: the same request and result give the same
 * bytes. With preferences.deterministic false, run_id is random and there is a
 * time; the caller provides both.
 *
 * A record lists only methods that were applied. A part that is impossible (the
 * digest of a number without canonical form) is left out with a warning. There
 * is also a warning for each part of a request without effect: an option of the
 * wrong type, another version of the tool, a locale.
 */
#pragma once

#include <jsv/json.h>

#include "envelope/policy.h"
#include "os/uuid.h"

/** The options of a request. */
struct envelope_options {
    bool record;
    bool digests;
    bool full;
    bool deterministic;
    bool mode_unknown;   /* unknown: minimal is used */
    bool has_output_max; /* output_max is set */
    uint64_t output_max;
    struct jsv_value parents; /* an array, or NONE */
};

/** Read the options of a valid mcp.request.v0.1. */
struct envelope_options envelope_options_read(struct jsv_value request);

/** A run of a tool. All members are borrowed. */
struct envelope_run {
    struct jsv_str tool_name;
    struct jsv_str tool_version; /* not empty */
    struct jsv_value request;    /* the mcp.request.v0.1 */
    /* Both only used when the options are not deterministic. */
    const unsigned char *random; /* OS_UUID_BYTES of them */
    struct jsv_str time;         /* RFC 3339 */
};

/**
 * Append the answer to a request: the tool's own envelope, or a new one, with
 * a record if the request asks for it, its request_id, and a warning for each
 * part of the request that has no effect.
 *
 * @param answer Its warnings, provenance and request_id are ignored.
 * @param arena  Scratch memory.
 * @return 0; -ENOMEM; or the buffer's error.
 */
int envelope_answer_write(
    const struct envelope_run *run,
    const struct envelope_answer *answer,
    struct jsv_arena *arena,
    struct jsv_buf *out);
