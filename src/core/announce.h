/*
 * Notifications about changes: of the catalog, or of the diagnostics.
 *
 * The diagnostics change with every message that does not match its schema, on
 * any loop. Only new entries are announced, not higher counts, and only some
 * time after the first of them, so that a peer that sends bad messages cannot
 * flood others with notifications.
 *
 * A thousand clients that each listen for a thousand resources are a lot of
 * work. So connections are notified in portions, one in a round of the loop, and
 * other messages are answered between them. A change that comes meanwhile waits
 * until the one before is announced; further changes are merged with it.
 */
#pragma once

#include "dialect/mcp/notifications.h"
#include "loop/loop.h"

struct catalog;
struct core_conn;
struct core_request;
struct core_worker;

/** Of a worker. */
struct core_announcer {
    struct loop_deferred portion; /* the next one */
    struct dialect_change change; /* that is being announced */
    struct catalog *old;          /* its catalogs, retained; NULL: it is of the diagnostics */
    struct catalog *new;
    struct core_conn *conn;       /* the next to notify; NULL: nothing is being announced */
    struct core_request *request; /* of that connection, the next to look at */
    bool is_session_done;         /* of that connection */
    struct catalog *waiting;      /* retained: a change from this catalog is next; or NULL */
    bool has_news;                /* a change of the diagnostics is next */
};

/** Announce to all connections of a worker that its catalog was replaced. */
void core_announce(struct core_worker *worker, struct catalog *before);
/** Before the first announcement. */
void core_announce_init(struct core_worker *worker);
/** A connection or a request is finished: skip it. */
void core_announce_skip_conn(struct core_conn *conn);
void core_announce_skip_request(struct core_request *request);
/** Before the worker is freed, after its last connection. */
void core_announce_done(struct core_worker *worker);

/** The diagnostics have a new entry: announce that on all loops, soon. */
void core_news(struct core_worker *worker);
/** The timer for that. */
void core_news_due(void *owner);
/** Announce new diagnostics to the connections of a worker. On its own thread, as all here. */
void core_announce_news(struct core_worker *worker);
