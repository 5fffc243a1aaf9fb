/*
 * The HTTP client: posts a JSON text to the one backend the operator named.
 *
 * So many exchanges run at a time; others wait, connections in turn
 * (loop/fair_queue.h), and the wait is part of their time limit.
 *
 * libcurl's multi interface on the loop: one client per loop, nothing waits.
 * http and https only; no redirect, no proxy from the environment, no retry;
 * a time limit for the whole exchange and a ceiling for the reply. libcurl is
 * started with the first client, as it costs megabytes and milliseconds.
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

/* Exchanges at the same time of all loops: each has a descriptor and memory. With many open slots a
   silent backend would use up the descriptors that clients need. */
#define BACKEND_EXCHANGES_MAX 32
/* And for connections that have none under way, this part of it more. */
#define BACKEND_EXTRA_PART 4
/* At most this part of the descriptors there may be. */
#define BACKEND_DESCRIPTORS_PART 16
/* Posts of one loop that wait; more are refused. */
#define BACKEND_WAITING_MAX 256

struct backend_message {
    struct jsv_str body;
    struct log_trace_context trace;
    const void *connection; /* it is posted for; not copied, only compared */
};

struct backend_reply {
    int error;           /* 0; -errno when there was no answer: -ETIMEDOUT, -ECONNREFUSED, …;
                            -EBUSY: it waited and had to make room for another connection's */
    unsigned status;     /* of HTTP */
    uint64_t queued_us;  /* how long it waited before it was sent */
    struct jsv_str body; /* until the callback returns; cut at reply_size_max */
};

/** @return 0; -EINVAL when the URL makes no sense; -ENOMEM. */
int backend_new(
    struct loop *loop, const struct backend_options *options, struct backend **ret_backend);
/** Ends what is under way without a callback. Accepts NULL. */
void backend_free(struct backend *backend);

typedef void backend_done(void *owner, const struct backend_reply *reply);

/**
 * Post a body as application/json, with the trace it belongs to. done() comes later, from the loop,
 * exactly once, unless the post is cancelled.
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
