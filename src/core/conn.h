/*
 * Between a door and the corridor: a connection that hands frames in and takes
 * answers out. The door knows bytes; the corridor knows what they mean.
 *
 * A door fills in the operations, calls core_handle() for each frame, and
 * looks at core_conn_is_full() before the next. Answers may come from within
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
    unsigned retry_after_s; /* when to try again, for HTTP; 0: nothing is said of that */
    const char *session;    /* id of a session that has just begun, for HTTP; NULL: none has */
};

struct core_conn_ops {
    /* Send an answer. text.data NULL: the frame was one that is not answered. */
    void (*answer)(struct core_conn *conn, const struct core_answer *answer);
    /*
     * Send a message that answers nothing: before the answer of a frame, or on a stream. A peer
     * that has CORE_PUSH_QUEUE_MAX bytes of them unread is disconnected instead.
     */
    void (*push)(struct core_conn *conn, struct jsv_str message);
    /* Whether push() would send something: if not, the message need not be written. */
    bool (*can_push)(struct core_conn *conn);
    /* End a stream, or a frame that gets no answer any more: what it belongs to is over. */
    void (*hang_up)(struct core_conn *conn);
    /* Frames are welcome again, after core_conn_is_full(). Not from within core_handle(). */
    void (*resume)(struct core_conn *conn);
    /* Nothing is in flight any more, after core_conn_is_busy(). Not from within core_handle(). */
    void (*idle)(struct core_conn *conn);
};

struct core_conn {
    const struct core_conn_ops *ops;
    struct core_worker *worker;
    enum core_transport transport;
    const struct rpc_http *http; /* of the frame handed in, until it is answered; NULL: lines */

    /* The corridor's own. */
    struct core_conn *next; /* of its worker's connections */
    struct core_conn *previous;
    OS_LIST_OF(struct core_request) requests; /* in flight, in the order they came */
    struct core_request *in_turn; /* of those that run one after another: the one that runs */
    bool turn_is_promised;        /* to the first of those that wait for it */
    size_t request_count;
    size_t request_bytes;            /* of memory they hold */
    uint64_t round_began_us;         /* its first message of this round; 0: there was none */
    struct dialect_session *session; /* what the peer and we agreed on; NULL before */
    bool was_full;
    bool is_gone;
    bool is_stream; /* of its session */
};

void core_conn_init(
    struct core_conn *conn,
    const struct core_conn_ops *ops,
    struct core_worker *worker,
    enum core_transport transport);
/** The peer is gone, or we hang up: cancels what is in flight. No operation is called any more. */
void core_conn_done(struct core_conn *conn);

/** The peer will ask for nothing more, or we stop: end what would stay open for ever. */
void core_conn_finish(struct core_conn *conn);

/**
 * Keep account of something a door refused before it was a message.
 * @param http_status 0: there was no answer.
 * @param why         A sentence of our own.
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

/** Walk one frame through the corridor. */
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
/** A round of the loop begins: the connection has all of its time again (CORE_ROUND_US). */
void core_conn_begin_round(struct core_conn *conn);
/**
 * Whether more frames may be handed in during this round. Looks at no clock: a message counts
 * from its beginning to the last time that was read for the log.
 */
bool core_conn_has_time(const struct core_conn *conn);
/** Work that is no message begins or ends: its time counts for this round, as that of messages. */
void core_conn_count_time(struct core_conn *conn);
/** Whether anything is in flight. */
bool core_conn_is_busy(const struct core_conn *conn);
/** Whether nothing is in flight but requests that listen. */
bool core_conn_only_listens(const struct core_conn *conn);
