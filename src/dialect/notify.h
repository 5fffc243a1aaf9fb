/*
 * Telling clients that what is served has changed.
 *
 * Legacy clients are told by connection: whoever has initialized hears that
 * lists changed, and of the resources it subscribed to. Modern clients are
 * told only by the requests they keep open for it (subscriptions/listen).
 */
#pragma once

#include "dialect/dialect.h"

/** Two snapshots, one after the other; or none, and the diagnostics tell something new. */
struct dialect_change {
    const struct catalog *before;
    const struct catalog *after;
    bool tools;     /* the list of tools is another */
    bool resources; /* the list of resources is another */
    bool prompts;   /* the list of prompts is another */
};

struct dialect_change dialect_change_between(
    const struct mcp_provider *provider, const struct catalog *before, const struct catalog *after);

struct dialect_change dialect_change_of_diagnostics(void);

/** Where messages go; each is one JSON text on one line. @return whether more can be pushed. */
typedef bool dialect_push(void *owner, struct jsv_str message);

/** Tell a client that has a session. @param scratch Emptied. */
void dialect_notify_session(
    struct dialect_session *session,
    const struct dialect_change *change,
    struct jsv_buf *scratch,
    dialect_push *push,
    void *owner);

/** Tell the client of a request that listens. @param scratch Emptied. */
void dialect_notify_listener(
    const struct dialect_req *req,
    const struct dialect_change *change,
    struct jsv_buf *scratch,
    dialect_push *push,
    void *owner);
