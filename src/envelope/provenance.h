/*
 * prov.record.v0.1: which tool made a result, from what, and how.
 *
 * A record is made only when the caller asks for one, in params._meta:
 *
 *     capture_provenance: true     there is a record
 *     capture_artifacts: true      artifacts have digests
 *     provenance_mode: "full"      besides id and media type of artifacts also their locators,
 *                                  sizes and labels, evidence, and a digest of the record
 *     parents: ["<run_id>", …]     runs this one depends on
 *
 * By default it is deterministic: the same request and result give the same
 * bytes. With preferences.deterministic false, run_id is random and there is a
 * time. Clock and chance are the caller's: nothing here asks for either.
 *
 * A record claims only what was done. What could not be done (the digest of a
 * number without canonical form) is left out, and a warning says so. So does
 * one for all of a request that has no effect: an option of the wrong type, a
 * version of the tool that is not there, a locale.
 */
#pragma once

#include <jsv/json.h>

#include "envelope/policy.h"
#include "os/uuid.h"

/** What the caller asks for. */
struct envelope_wish {
    bool record;
    bool digests;
    bool full;
    bool deterministic;
    bool mode_unknown;   /* it asked for a mode there is none of, and gets the minimal one */
    bool has_output_max; /* it wants no more output than output_max bytes */
    uint64_t output_max;
    struct jsv_value parents; /* an array, or NONE */
};

/** Read the wish out of an mcp.request.v0.1 that was found valid. */
struct envelope_wish envelope_wish_read(struct jsv_value request);

/** A run of a tool. All is borrowed. */
struct envelope_run {
    struct jsv_str tool_name;
    struct jsv_str tool_version; /* not empty */
    struct jsv_value request;    /* the mcp.request.v0.1 */
    /* Both only looked at when the wish is not deterministic. */
    const unsigned char *random; /* OS_UUID_BYTES of them */
    struct jsv_str time;         /* RFC 3339 */
};

/**
 * Append the record of a run.
 *
 * @param answer       Its result and errors; not one that passes through.
 * @param arena        Scratch memory, and that of the warnings.
 * @param ret_warnings What was left out.
 * @return 0; -ENOMEM; or the buffer's error.
 */
int envelope_record_write(
    const struct envelope_run *run,
    const struct envelope_wish *wish,
    const struct envelope_answer *answer,
    struct jsv_arena *arena,
    struct jsv_buf *out,
    struct envelope_issues *ret_warnings);

/**
 * Append the answer to a request: the tool's own envelope, or a new one, with
 * a record if the request asks for it, its request_id, and a warning for each
 * part of the request that has no effect.
 *
 * @param answer Its warnings, provenance and request_id are not looked at.
 * @return As envelope_record_write().
 */
int envelope_answer_write(
    const struct envelope_run *run,
    const struct envelope_answer *answer,
    struct jsv_arena *arena,
    struct jsv_buf *out);
