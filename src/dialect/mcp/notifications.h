/*
 * Notifications to clients: progress and log messages while a request is in
 * flight, and changes of what is served.
 *
 * A legacy client is notified of changes by connection: once initialized, of
 * lists, and of the resources it subscribed to. A modern client is only notified
 * through the requests it keeps open for that (subscriptions/listen).
 */
#pragma once

#include "dialect/dialect.h"

extern const struct dialect_client_ops mcp_notifications;

/** A change from one catalog to another; without catalogs, of the diagnostics. */
struct dialect_change {
    const struct catalog *before;
    const struct catalog *after;
    bool tools;     /* the list has changed */
    bool resources; /* the list has changed */
    bool prompts;   /* the list has changed */
};

struct dialect_change dialect_change_between(
    const struct mcp_provider *provider, const struct catalog *before, const struct catalog *after);

/** Send a message, one JSON text on one line. @return whether more can be sent. */
typedef bool dialect_push(void *owner, struct jsv_str message);

/** Notify the client of a session. @param scratch Emptied. */
void dialect_notify_session(
    struct dialect_session *session,
    const struct dialect_change *change,
    struct jsv_buf *scratch,
    dialect_push *push,
    void *owner);

/** Notify the client of a request that listens. @param scratch Emptied. */
void dialect_notify_listener(
    const struct dialect_req *req,
    const struct dialect_change *change,
    struct jsv_buf *scratch,
    dialect_push *push,
    void *owner);
