/*
 * A connection that speaks lines: one message each way per line, over a socket
 * or over two descriptors. Both doors that speak so are this.
 *
 * Everything happens on the loop of the worker.
 */
#pragma once

#include "core/conn.h"
#include "loop/stream.h"
#include "net/peer.h"

struct net_lines;

struct net_lines_options {
    struct core_worker *worker;
    enum core_transport transport;
    int in_fd;
    int out_fd;              /* the same for a socket */
    unsigned write_stall_ms; /* 0: CORE_WRITE_STALL_MS */
    unsigned line_ms;        /* for a line that has begun to end; 0: no limit */
    unsigned drain_ms;       /* for what is in flight when the input is over; 0: no limit */
    net_peer_closed *closed;
    void *owner;
};

struct net_lines {
    struct net_peer peer;
    struct core_conn conn;

    /* The connection's own. */
    struct loop *loop;
    struct rpc_pool *pool;
    struct loop_stream *in;
    struct loop_stream *out; /* the same for a socket */
    struct rpc_frames frames;
    struct jsv_buf output;     /* answers of this round */
    struct loop_deferred work; /* on what was read in it */
    struct loop_deferred send; /* what came of it */
    struct loop_timer *stall;
    struct loop_timer *drain; /* NULL: there is no hurry */
    struct loop_timer *line;  /* NULL: a line may take as long as it likes */
    uint64_t write_stall_ms;
    uint64_t drain_ms;
    uint64_t line_ms;
    uint64_t line_since_ms; /* when the line that is not whole yet began; 0: there is none */
    uint64_t taken;         /* frames */
    uint64_t sent;          /* bytes given to the stream */
    size_t pushed;          /* bytes of pushed messages that are queued, about */
    uint64_t gone_before;   /* bytes the kernel had when these were last counted */
    uint64_t sent_and_gone; /* of those, the kernel had when the stall timer was started */
    bool line_timer_runs;
    bool hung_up;   /* no more bytes will come, but for those not read yet */
    bool ended;     /* they are read, too */
    bool draining;  /* nor frames: the last is taken */
    bool finishing; /* no more frames are taken */
    bool more;      /* frames that have come were not welcome, or not taken in this round */
    /*
     * That lost answers, but for a hang-up; 0: none did. -ETIMEDOUT: the peer took nothing for
     * too long; -ENOBUFS: it left too many pushed messages unread; -ETIME: what was in flight at
     * the end of the input took too long.
     */
    int error;
    bool broken; /* the peer is lost, or an answer is */
    bool closed;
    net_peer_closed *on_closed;
    void *owner;
};

/**
 * Begin to serve a peer.
 *
 * The descriptors are taken; should it fail, they have been closed.
 * @return 0; -errno, and closed() will not be called.
 */
int net_lines_open(const struct net_lines_options *options, struct net_lines **ret_lines);

/** Take no more frames, send what is in flight, then close. */
void net_lines_finish(struct net_lines *lines);
/** Close now: what is in flight is given up. closed() is called from within. */
void net_lines_close(struct net_lines *lines);
