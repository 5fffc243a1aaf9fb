/*
 * A connection, as the interface between a transport and the pipeline: the
 * transport hands frames in and gets answers back. It knows bytes only.
 *
 * A transport fills in the operations, calls core_handle() for each frame, and
 * checks core_conn_is_full() before the next. Answers come from within
 * core_handle() or later, from the loop, in the order they are to be sent.
 */
#pragma once

#include <jsv/jsv.h>

#include "os/list.h"
#include "rpc/frame.h"
#include "rpc/http.h"

struct core_conn;
struct core_request;
struct core_worker;

enum core_transport {
    CORE_TRANSPORT_STDIO,
    CORE_TRANSPORT_SOCKET,
    CORE_TRANSPORT_HTTP,
};

struct core_answer {
    struct jsv_str text;    /* one JSON text on one line, without its end; valid during the call */
    unsigned http_status;   /* for HTTP; others ignore it */
    unsigned retry_after_s; /* the Retry-After header, for HTTP; 0: none */
    const char *session;    /* id of the session that this answer begins, for HTTP; or NULL */
};

struct core_conn_ops {
    /* Send an answer. text.data NULL: the frame gets none. */
    void (*answer)(struct core_conn *conn, const struct core_answer *answer);
    /*
     * Send a message that is not an answer: before the answer of a frame, or on a stream. A peer
     * that leaves CORE_PUSH_QUEUE_MAX bytes of them unread is disconnected instead.
     */
    void (*push)(struct core_conn *conn, struct jsv_str message);
    /* Whether push() would send anything. If not, the message need not be written. */
    bool (*can_push)(struct core_conn *conn);
    /* End a stream, or a frame that will not be answered. */
    void (*hang_up)(struct core_conn *conn);
    /* Frames are accepted again, after core_conn_is_full(). Not from within core_handle(). */
    void (*resume)(struct core_conn *conn);
    /* No request is in flight, after core_conn_is_busy(). Not from within core_handle(). */
    void (*idle)(struct core_conn *conn);
};

struct core_conn {
    const struct core_conn_ops *ops;
    struct core_worker *worker;
    enum core_transport transport;
    const struct rpc_http *http; /* of the frame handed in, until it is answered; NULL: lines */

    /* Private to core. */
    struct core_conn *next; /* of its worker's connections */
    struct core_conn *previous;
    OS_LIST_OF(struct core_request) requests; /* in flight, in the order they came */
    struct core_request *order_holder;        /* the serial request that runs, if it waits */
    bool order_reserved;                      /* for the first serial request that waits */
    size_t request_count;
    size_t request_bytes;            /* of memory they hold */
    uint64_t round_began_us;         /* its first message of this round; 0: none yet */
    struct dialect_session *session; /* NULL before initialize */
    bool was_full;
    bool is_gone;
    bool is_stream; /* of its session */
};

void core_conn_init(
    struct core_conn *conn,
    const struct core_conn_ops *ops,
    struct core_worker *worker,
    enum core_transport transport);
/** The connection is closed: cancels what is in flight. No operation is called afterwards. */
void core_conn_done(struct core_conn *conn);

/** The peer will send nothing more, or the server stops: end requests that would stay open. */
void core_conn_finish(struct core_conn *conn);

/**
 * Log and count something the transport refused before it was a message.
 * @param http_status 0: nothing was sent.
 * @param why         A text of ours, not the peer's.
 */
void core_refused(
    struct core_worker *worker,
    enum core_transport transport,
    unsigned http_status,
    const char *why);

/**
 * Report on standard error and in the log that a client is disconnected because it does not read
 * the messages pushed to it. @param why A sentence of our own.
 */
void core_report_slow_reader(struct core_conn *conn, const char *why);

/** Run one frame through the pipeline. */
void core_handle(struct core_conn *conn, const struct rpc_frame *frame);

/**
 * Make the connection the stream of the session that the headers in conn->http name.
 * @return the HTTP status; with 200 messages may be pushed from now on.
 */
unsigned core_open_stream(struct core_conn *conn);
/** End the session that the headers in conn->http name. @return the HTTP status. */
unsigned core_end_session(struct core_conn *conn);

/** Whether so much is in flight that no more frames should be handed in. */
bool core_conn_is_full(const struct core_conn *conn);
/** A round of the loop begins: the connection has its full time again (CORE_ROUND_US). */
void core_conn_begin_round(struct core_conn *conn);
/**
 * Whether more frames may be handed in during this round. Does not read the clock: it uses the
 * times that were read when messages began and were logged.
 */
bool core_conn_has_time(const struct core_conn *conn);
/** Work other than a message begins or ends: its time counts for this round, too. */
void core_conn_count_time(struct core_conn *conn);
/** Whether anything is in flight. */
bool core_conn_is_busy(const struct core_conn *conn);
/** Whether nothing is in flight but requests that listen. */
bool core_conn_only_listens(const struct core_conn *conn);
