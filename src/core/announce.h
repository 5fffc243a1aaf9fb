/*
 * Clients are told what has changed: the snapshot, or the diagnostics.
 *
 * The diagnostics change with every message that does not fit, of whichever
 * loop. Told is only what they did not list before, not that something is
 * counted again; and not at once, but some time after the first of it, so that
 * a peer who sends rubbish cannot make others hear more than now and then.
 *
 * A thousand clients that each listen for a thousand resources are a lot of
 * work. So they are told in portions, one in a round of the loop, and messages
 * of others are answered between them. A change that comes meanwhile waits
 * until all have been told of the one before; further ones join it.
 */
#pragma once

#include "dialect/notify.h"
#include "loop/loop.h"

struct catalog;
struct core_conn;
struct core_request;
struct core_worker;

/** Of a worker. */
struct core_announcer {
    struct loop_deferred portion; /* the next one */
    struct dialect_change change; /* that is being told */
    struct catalog *old;          /* its snapshots, retained; NULL: it is of the diagnostics */
    struct catalog *new;
    struct core_conn *conn;       /* the next to be told; NULL: nothing is being told */
    struct core_request *request; /* of that connection, the next that may listen */
    bool is_session_told;         /* of that connection */
    struct catalog
        *waiting;  /* retained: a change from this one is told next; NULL: there is none */
    bool has_news; /* the diagnostics are told next */
};

/** Tell all connections of a worker, whose snapshot was another before. */
void core_announce(struct core_worker *worker, struct catalog *before);
/** Before the first announcement. */
void core_announce_init(struct core_worker *worker);
/** A connection is done, or a request is: neither can be told any more. */
void core_announce_skip_conn(struct core_conn *conn);
void core_announce_skip_request(struct core_request *request);
/** Before the worker is freed, after its last connection is done. */
void core_announce_done(struct core_worker *worker);

/** The diagnostics have something new by this worker: all are going to be told. */
void core_news(struct core_worker *worker);
/** The timer of that. */
void core_news_due(void *owner);
/** Tell all connections of a worker, if there is anything new. On its own thread, as all here. */
void core_announce_news(struct core_worker *worker);
