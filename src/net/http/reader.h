/*
 * Requests out of the bytes of a connection, whatever the pieces they come in.
 *
 *     event = net_http_reader_feed(&reader, &input);
 *
 *     MORE      input is used up, read on
 *     HEAD      reader.head is there: decide, answer "100 Continue" if asked for, feed on
 *     COMPLETE  reader.body is there: answer, then net_http_reader_next()
 *     REFUSED   answer with the refusal's status, then close
 *
 * A request that is in the input as a whole is read where it stands, and is
 * not copied: then the input must stay where it is until net_http_reader_next().
 *
 * HEAD comes before anything is said about the body, so that who may not ask
 * at all is told that first. Bytes behind the request stay in input: they are
 * the next one's. Whether bytes come one by one or all at once makes no
 * difference to what is reported.
 *
 * Memory is taken as it is needed and kept for the next request.
 */
#pragma once

#include "net/http/head.h"

/** Bytes of a head, lines and all; what servers usually allow. */
#define NET_HTTP_HEAD_MAX 16384

enum net_http_event {
    NET_HTTP_EVENT_MORE,
    NET_HTTP_EVENT_HEAD,
    NET_HTTP_EVENT_COMPLETE,
    NET_HTTP_EVENT_REFUSED,
};

/* Where a request is, in order; time limits differ. */
enum net_http_phase {
    NET_HTTP_PHASE_IDLE, /* no byte of it has come */
    NET_HTTP_PHASE_REQUEST_LINE,
    NET_HTTP_PHASE_FIELDS,
    NET_HTTP_PHASE_BODY, /* the head was reported; how the body comes is looked at next */
    NET_HTTP_PHASE_LENGTH,
    NET_HTTP_PHASE_CHUNK_SIZE,
    NET_HTTP_PHASE_CHUNK_DATA,
    NET_HTTP_PHASE_CHUNK_END,
    NET_HTTP_PHASE_TRAILERS,
    NET_HTTP_PHASE_COMPLETE,
    NET_HTTP_PHASE_REFUSED,
};

struct net_http_reader {
    enum net_http_phase phase;
    enum net_http_refusal refusal; /* when refused */
    struct net_http_head head;     /* from HEAD on */
    struct jsv_str body;           /* at COMPLETE */
    bool in_place;                 /* head and body stand in the input */
    struct jsv_buf text;           /* of the head; reserved whole, since head points into it */
    struct jsv_buf data;           /* of the body */
    struct jsv_buf line;           /* of a chunk's size or a trailer */
    size_t line_start;             /* of the head's line that is being read */
    uint64_t rest;                 /* bytes of the body or the chunk that are still to come */
    size_t end_size;               /* bytes of the chunk's end that have come */
    size_t extension_size;         /* of all chunks so far */
    size_t trailer_size;           /* of all lines so far */
    bool skipped_line;             /* an empty line before the request */
};

/** Allocates nothing yet. @param allocator NULL means malloc. @param body_max Bytes of a body. */
void net_http_reader_init(
    struct net_http_reader *reader, const struct jsv_allocator *allocator, size_t body_max);
void net_http_reader_done(struct net_http_reader *reader);

/**
 * Read on.
 *
 * @param input Shortened by what was used. May be empty, also when something is to be reported.
 * @return an enum net_http_event; -ENOMEM, after which the reader is of no more use.
 */
int net_http_reader_feed(struct net_http_reader *reader, struct jsv_str *input);

/** Free the memory of the body, which nobody looks at any more; the head stays. */
void net_http_reader_forget_body(struct net_http_reader *reader);
/** Make ready for the next request; head and body of the last one are gone. */
void net_http_reader_next(struct net_http_reader *reader);
