/*
 * One exchange as libcurl sees it: what is set before, what is counted while
 * it runs, and what its outcome means. Nothing here knows the loop.
 */
#pragma once

#include "backend/backend.h"
#include "backend/curl.h"

/*
 * All header lines of a reply together. libcurl keeps them, so that without a
 * limit a backend could fill memory with them. Servers stop at 8 to 64 KiB.
 */
#define BACKEND_HEADERS_SIZE_MAX ((size_t)64 << 10)

/* What all exchanges of a client share. */
struct backend_target {
    char *url; /* NUL-terminated, made by backend_target_init() */
    struct curl_slist *headers;
    size_t reply_size_max;
};

/** @return 0; -EINVAL when the URL makes no sense; -ENOMEM. _done is safe also then. */
int backend_target_init(struct backend_target *target, const struct backend_options *options);
void backend_target_done(struct backend_target *target);

/* "tracestate: " and the longest that is passed on. */
#define BACKEND_TRACE_SIZE (16 + LOG_TRACE_STATE_MAX)

/* A header of one exchange alone, before those of all. */
struct backend_trace_header {
    struct curl_slist item;
    char line[BACKEND_TRACE_SIZE];
};

struct backend_transfer {
    CURL *easy;
    struct backend_trace_header trace[2];
    struct jsv_buf reply;
    size_t headers_size;
    bool cut; /* the reply is longer than the limit; the rest was not read */
};

/** The transfer stays where it is. @return 0 or -ENOMEM. _done is safe also then. */
int backend_transfer_init(
    struct backend_transfer *transfer,
    const struct backend_target *target,
    const struct backend_message *message,
    void *owner);
void backend_transfer_done(struct backend_transfer *transfer);

/** What came of it. The body lives in the transfer. */
struct backend_reply backend_transfer_reply(const struct backend_transfer *transfer, CURLcode code);
