/*
 * One exchange of libcurl: its options, its reply and its result. Independent of
 * the loop.
 */
#pragma once

#include "backend/backend.h"
#include "backend/curl.h"

/* All header lines of a reply. libcurl keeps them, so a backend could fill the memory. Servers
   have limits of 8 to 64 KiB. */
#define BACKEND_HEADERS_SIZE_MAX ((size_t)64 << 10)

/* Shared by all exchanges of a client. */
struct backend_target {
    char *url; /* NUL-terminated, made by backend_target_init() */
    struct curl_slist *headers;
    size_t reply_size_max;
};

/** @return 0; -EINVAL when the URL makes no sense; -ENOMEM. _done is safe also then. */
int backend_target_init(struct backend_target *target, const struct backend_options *options);
void backend_target_done(struct backend_target *target);

/* "tracestate: " and the longest value. */
#define BACKEND_TRACE_SIZE (16 + LOG_TRACE_STATE_MAX)

/* A header of one exchange, in front of the shared ones. */
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

/** The transfer must not move afterwards. @return 0 or -ENOMEM. _done is safe also then. */
int backend_transfer_init(
    struct backend_transfer *transfer,
    const struct backend_target *target,
    const struct backend_message *message,
    void *owner);
void backend_transfer_done(struct backend_transfer *transfer);

/** The result. The body belongs to the transfer. */
struct backend_reply backend_transfer_reply(const struct backend_transfer *transfer, CURLcode code);
