/*
 * What a finished request was about, and how it ended, in the same terms for
 * all dialects.
 */
#pragma once

#include <jsv/json.h>

#include "log/trace.h"

struct core_request;

/* ---- the subject ---- */

/* What the ids of a message are made from. */
enum core_seed {
    CORE_SEED_UNREAD, /* the message's bytes, because no dialect recognised it */
    CORE_SEED_PLAIN,  /* route, method and payload */
    CORE_SEED_DISCOVER,
    CORE_SEED_PROMPT,
    CORE_SEED_TOOL,
};

struct core_subject {
    enum core_seed seed;
    struct jsv_str route; /* data NULL: no dialect recognised the message */
    struct jsv_str method;
    struct jsv_str tool_id;
    struct jsv_str prompt_id;
    struct jsv_value payload;
    struct jsv_value meta; /* holds agent, task, step, attempt and trace */
};

/** Borrows from the request. */
struct core_subject core_subject_of(const struct core_request *request);

/**
 * The trace a request belongs to. The headers are used when _meta has no valid trace.
 * Borrows from the request.
 * @param meta Of the message's subject.
 */
struct log_trace_context core_trace_of(const struct core_request *request, struct jsv_value meta);

/* ---- the error ---- */

/* The longest error name and its terminator; others are cut. */
#define CORE_ERROR_NAME_SIZE 64

struct core_error {
    char status[CORE_ERROR_NAME_SIZE]; /* "ok", or the code in lower case */
    char name[CORE_ERROR_NAME_SIZE];   /* storage for a code that is derived from a message */
    struct jsv_str code;               /* "TOOL_NOT_FOUND"; data NULL: no error */
    struct jsv_str message;
    struct jsv_value details;
    struct jsv_str pointer; /* of the first problem; empty when there is none */
    struct jsv_str schema_path;
    struct jsv_str problem; /* its message; data NULL: there is none */
};

/**
 * Find the error that the answer in request->reply reports.
 * @param ret_error Borrows from the worker's output document, until that is used again.
 */
void core_error_find(struct core_request *request, struct core_error *ret_error);
