/*
 * What a client and we agreed on by initialize. Over lines it is the
 * connection's; over HTTP it has an id, outlives connections and may be used
 * by several loops at once.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "mcp/versions.h"

/* 128 random bits, as hexadecimal digits. */
#define DIALECT_SESSION_ID_SIZE 32

/* Resources a client wants to hear of; a client that needs more has another plan. */
#define DIALECT_SUBSCRIPTIONS_MAX 1000

struct dialect_subscription {
    struct dialect_subscription *next;
    size_t size;
    char uri[];
};

struct dialect_session {
    atomic_uint references;
    enum mcp_version version;
    char client[64]; /* what it calls itself; empty when it did not say */
    atomic_bool is_initialized;           /* the client has said so: it may be notified */
    atomic_bool is_over;                  /* nobody finds it any more; its streams end */
    char id[DIALECT_SESSION_ID_SIZE + 1]; /* empty: it has none */
    pthread_mutex_t lock;                 /* of the subscriptions */
    struct dialect_subscription *subscriptions;
    size_t subscription_count;
    _Atomic(const void *) stream; /* the connection notifications go to, over HTTP */
    struct dialect_session *next; /* in the directory */
    uint64_t used_ms;             /* when it was last asked for */
};

/** A session with one reference. @return NULL when memory ran out. */
struct dialect_session *dialect_session_new(enum mcp_version version);
struct dialect_session *dialect_session_retain(struct dialect_session *session);
/** Accepts NULL. */
void dialect_session_release(struct dialect_session *session);

/** Remember a resource. @return 0, also when it was known; -ENOSPC; -ENOMEM. */
int dialect_session_subscribe(struct dialect_session *session, struct jsv_str uri);
/** Forget one; it need not be known. */
void dialect_session_unsubscribe(struct dialect_session *session, struct jsv_str uri);
/** While the subscriptions are looked at. */
void dialect_session_lock(struct dialect_session *session);
void dialect_session_unlock(struct dialect_session *session);
