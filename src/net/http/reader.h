/*
 * Reads requests from the bytes of a connection, in pieces of any size.
 *
 *     event = net_http_reader_feed(&reader, &input);
 *
 *     MORE      input is used up, read on
 *     HEAD      reader.head is complete: check it, send "100 Continue" if expected, feed on
 *     COMPLETE  reader.body is complete: answer, then net_http_reader_next()
 *     REFUSED   answer with the refusal's status, then close
 *
 * A request that is complete in the input is read in place, without copying:
 * then the input must stay where it is until net_http_reader_next().
 *
 * HEAD comes before the body is checked, so that a client without permission
 * learns that first. Bytes behind the request stay in input, for the next one.
 * The events do not depend on the pieces the bytes come in.
 *
 * Memory is allocated when needed and kept for the next request.
 */
#pragma once

#include "net/http/head.h"

/** Bytes of a head; what servers usually allow. */
#define NET_HTTP_HEAD_MAX 16384

enum net_http_event {
    NET_HTTP_EVENT_MORE,
    NET_HTTP_EVENT_HEAD,
    NET_HTTP_EVENT_COMPLETE,
    NET_HTTP_EVENT_REFUSED,
};

/* How far a request is read, in order. */
enum net_http_phase {
    NET_HTTP_PHASE_IDLE, /* no byte of it has come */
    NET_HTTP_PHASE_REQUEST_LINE,
    NET_HTTP_PHASE_FIELDS,
    NET_HTTP_PHASE_BODY, /* the head was reported; its length decides the next phase */
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
    bool in_place;                 /* head and body are in the input */
    struct jsv_buf text;           /* of the head; reserved at once, because head points into it */
    struct jsv_buf data;           /* of the body */
    struct jsv_buf line;           /* of a chunk's size or a trailer */
    size_t line_start;             /* of the head's line that is being read */
    uint64_t rest;                 /* bytes of the body or the chunk not read yet */
    size_t end_size;               /* bytes of the chunk's end that were read */
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
 * @return an enum net_http_event; -ENOMEM, after which the reader can only be freed.
 */
int net_http_reader_feed(struct net_http_reader *reader, struct jsv_str *input);

/** Free the memory of the body; the head stays. */
void net_http_reader_forget_body(struct net_http_reader *reader);
/** Prepare for the next request; head and body of the last one are dropped. */
void net_http_reader_next(struct net_http_reader *reader);
