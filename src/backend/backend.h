/*
 * The HTTP client: posts JSON to the backend that the operator has configured.
 *
 * A limited number of exchanges run at a time; others wait in a fair queue
 * (loop/fair_queue.h), and the wait counts for their time limit.
 *
 * One client for each loop, on libcurl's multi interface, so nothing blocks.
 * http and https only; no redirect, no proxy from the environment, no retry; a
 * time limit for the whole exchange and a size limit for the reply. libcurl is
 * loaded with the first client, because it costs megabytes and milliseconds.
 */
#pragma once

#include <jsv/jsv.h>

#include "log/trace.h"

struct backend;
struct backend_post;
struct loop;

struct backend_options {
    const char *url;       /* scheme, host, optional port and path prefix */
    const char *path;      /* appended to it */
    uint64_t timeout_ms;   /* for all of it */
    size_t reply_size_max; /* of the reply's body */
    size_t loops;          /* with a client each; 0: one */
};

/* Exchanges at the same time, of all loops. Each has a descriptor: with more, a backend that does
   not answer would use up the descriptors that clients need. */
#define BACKEND_EXCHANGES_MAX 32
/* For connections without an exchange, this part of it more. */
#define BACKEND_EXTRA_PART 4
/* At most this part of the descriptor limit. */
#define BACKEND_DESCRIPTORS_PART 16
/* Waiting posts of one loop; more are refused. */
#define BACKEND_WAITING_MAX 256

struct backend_message {
    struct jsv_str body;
    struct log_trace_context trace;
    const void *connection; /* of the client; only compared */
};

struct backend_reply {
    int error;           /* 0; -errno when there is no response: -ETIMEDOUT, -ECONNREFUSED, …;
                            -EBUSY: its place in the queue went to another connection */
    unsigned status;     /* of HTTP */
    uint64_t queued_us;  /* how long it waited before it was sent */
    struct jsv_str body; /* until the callback returns; cut at reply_size_max */
};

/** @return 0; -EINVAL when the URL is not valid; -ENOMEM. */
int backend_new(
    struct loop *loop, const struct backend_options *options, struct backend **ret_backend);
/** Cancel all posts. Accepts NULL. */
void backend_free(struct backend *backend);

typedef void backend_done(void *owner, const struct backend_reply *reply);

/**
 * Post a body as application/json, with its trace. The loop calls done() once, later, unless the
 * post is cancelled.
 * @param message Copied.
 * @return 0; -EBUSY when too many wait; -errno.
 */
int backend_post_start(
    struct backend *backend,
    const struct backend_message *message,
    backend_done *done,
    void *owner,
    struct backend_post **ret_post);
void backend_post_cancel(struct backend_post *post);
