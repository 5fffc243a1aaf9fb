/*
 * The part of a connection that does not depend on its protocol: the bytes on
 * their way out, the steps of a round, and its place among the connections of
 * its thread. net_lines and net_http begin with it.
 *
 * Closing can happen deep inside a call that still looks at the connection, so
 * its memory is freed at the end of the round.
 */
#pragma once

#include "core/conn.h"
#include "loop/stream.h"

struct net_peer;

/** What a connection is doing. When all places are taken the lowest makes room for a new one. */
enum net_activity {
    NET_IDLE,      /* nothing in flight, nothing to send; an unfinished message does not count */
    NET_LISTENING, /* nothing in flight but what waits to be told of changes, or is not read */
    NET_BUSY,
};

struct net_peer_ops {
    /* Take nothing new, send what is in flight, then close. */
    void (*finish)(struct net_peer *peer);
    /* Tell the client that nothing more will come, if the protocol has a way, and close. */
    void (*evict)(struct net_peer *peer);
    /* Close and free everything but the net_peer itself; also after opening has failed half-way. */
    void (*done)(struct net_peer *peer);
    enum net_activity (*activity)(const struct net_peer *peer);
    /* Handle what was read in this round. */
    void (*work)(struct net_peer *peer);
    /* Send what came of it, then read on or close. */
    void (*send)(struct net_peer *peer);
};

/** The connection is closed: only its memory is left, which frees itself. */
typedef void net_peer_closed(void *owner, struct net_peer *peer);

/** The connections of one thread. */
struct net_peers {
    struct net_peer *first; /* the newest */
    struct net_peer *last;
    size_t unread;     /* bytes of pushed messages that their clients have not read, about */
    size_t unread_max; /* above it the slowest reader is disconnected; 0: no limit */
};

struct net_peer {
    const struct net_peer_ops *ops;
    struct core_conn conn;
    struct loop *loop;
    struct rpc_pool *pool;
    struct loop_stream *out; /* NULL: closed for writing */
    struct jsv_buf output;   /* written in this round */
    uint64_t sent;           /* bytes given to the stream */
    uint64_t active_ms;      /* when its last message was taken, or it was opened */
    /*
     * Why answers were lost, other than by a hang-up; 0: none were. -ETIMEDOUT: the client took
     * nothing for too long; -ENOBUFS: it left too many pushed messages unread; -ETIME: requests in
     * flight at the end of the input took too long.
     */
    int error;
    bool broken; /* the client is lost, or an answer is; closed at the end of the round */
    bool closed;
    bool is_spare; /* it has one of the places for health checks */

    /* Private. */
    size_t size; /* of the whole connection */
    struct net_peers *peers;
    struct net_peer *previous;
    struct net_peer *next;
    struct loop_deferred work;
    struct loop_deferred send;
    size_t unread;       /* its part of peers->unread */
    uint64_t taken_then; /* bytes the kernel had when that was last counted */
    net_peer_closed *on_closed;
    void *owner;
};

struct net_peer_options {
    struct core_worker *worker;
    struct net_peers *peers; /* that it joins */
    bool is_spare;
    net_peer_closed *closed;
    void *owner;
};

/**
 * Make a connection and add it to those of its thread. There is no stream yet.
 * @param size Of a struct that begins with a net_peer; the rest is zero.
 * @return NULL when memory ran out.
 */
void *net_peer_new(
    size_t size,
    const struct net_peer_options *options,
    const struct net_peer_ops *ops,
    const struct core_conn_ops *conn_ops,
    enum core_transport transport);
/** Undo net_peer_new(): opening has failed. */
void net_peer_free(struct net_peer *peer);
/** Close now: what is in flight is given up. The owner is told from within. */
void net_peer_close(struct net_peer *peer);

/** Call work() in this round, after all events are in. */
void net_peer_schedule_work(struct net_peer *peer);
/** Call send() in this round, after all work is done. */
void net_peer_schedule_send(struct net_peer *peer);
/** Call work() in the next round, when others have had their time. */
void net_peer_continue_work(struct net_peer *peer);
bool net_peer_is_working(const struct net_peer *peer);

/** Bytes written and not yet taken by the kernel. */
size_t net_peer_queued(const struct net_peer *peer);
/** Bytes the kernel has taken. */
uint64_t net_peer_taken(const struct net_peer *peer);
/** Borrow the output buffer from the pool. Before anything is written to it. */
void net_peer_borrow_output(struct net_peer *peer);
/** Give what was written to the kernel, and the buffer back. Failing breaks the connection. */
void net_peer_flush(struct net_peer *peer);
/** Flush before the end of the round when so much is written that the kernel can begin. */
void net_peer_flush_if_large(struct net_peer *peer);
/** Close the stream: what is written from now on has no reader. */
void net_peer_close_output(struct net_peer *peer);
/** Close it at the end of the round. @param error A hang-up is not recorded. */
void net_peer_break(struct net_peer *peer, int error);

/**
 * Decide whether a message that answers nothing may be queued, and count it. Reading no requests
 * does not stop such messages, so a client that leaves too many unread is disconnected: this one,
 * or when all clients together leave too many, the one with most of them.
 * @return false when this connection is broken, now or before.
 */
bool net_peer_may_push(struct net_peer *peer, size_t size);

/**
 * The connection that makes room for a new one: of the lowest activity, the one whose last message
 * came longest ago. @return NULL when none of at most this activity is there.
 */
struct net_peer *
net_peers_find_victim(const struct net_peers *peers, enum net_activity at_most, bool is_spare);
