/*
 * A session that initialize has begun. Over lines it belongs to the connection.
 * Over HTTP it has an id, outlives connections, and several loops may use it at
 * once.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "mcp/methods.h"
#include "tools/tool.h"

/* 128 random bits, as hexadecimal digits. */
#define DIALECT_SESSION_ID_SIZE 32

/* Resources a session or a request that listens may name: more than a catalog usually has. */
#define DIALECT_SUBSCRIPTIONS_MAX 1000
/* Bytes of their URIs: 4,096 sessions at this limit hold 256 MiB. */
#define DIALECT_SUBSCRIPTION_BYTES_MAX ((size_t)64 * 1024)

struct dialect_subscription {
    struct dialect_subscription *next;
    size_t size;
    char uri[];
};

/** A question to the client of a session. The request that asked owns it. */
struct dialect_question {
    struct dialect_question *next;
    uint64_t id;
    const struct mcp_method *method;
};

/** A waiting request of the session, over HTTP, so that it can be cancelled. */
struct dialect_pending {
    struct dialect_pending *next;
    struct jsv_value id; /* in the document of the request */
};

/* What a client can be asked for. */
enum dialect_capability {
    DIALECT_CAPABILITY_SAMPLING = 1 << 0,
    DIALECT_CAPABILITY_ELICITATION = 1 << 1,
    DIALECT_CAPABILITY_ROOTS = 1 << 2,
};

struct dialect_session {
    atomic_uint references;
    enum mcp_version version;
    char client[64];                      /* its name; empty: unknown */
    atomic_bool is_initialized;           /* the client may be notified */
    atomic_bool is_over;                  /* it was removed; its streams end */
    char id[DIALECT_SESSION_ID_SIZE + 1]; /* empty: over lines */
    unsigned capabilities;                /* of the client: enum dialect_capability */
    _Atomic(enum tool_level) level;       /* log messages below it are not sent */
    pthread_mutex_t lock;                 /* of the subscriptions and of both lists below */
    struct dialect_subscription *subscriptions;
    size_t subscription_count;
    size_t subscription_bytes;          /* of their URIs */
    struct dialect_question *questions; /* not answered yet */
    uint64_t question_id;               /* of the last one */
    struct dialect_pending *pendings;   /* that may be cancelled */
    _Atomic(const void *) stream;       /* the connection notifications go to, over HTTP */
    struct dialect_session *next;       /* of core_sessions */
    _Atomic(uint64_t) used_ms;          /* when a request or a stream of it last began or ended */
    bool is_used;                       /* since it was begun; for core_sessions */
};

/** A session with one reference. @return NULL when memory ran out. */
struct dialect_session *dialect_session_new(enum mcp_version version);
struct dialect_session *dialect_session_retain(struct dialect_session *session);
/** Accepts NULL. */
void dialect_session_release(struct dialect_session *session);

/** Subscribe to a resource. @return 0, also when it is subscribed; -ENOSPC: too many; -ENOMEM. */
int dialect_session_subscribe(struct dialect_session *session, struct jsv_str uri);
/** The resource need not be subscribed. */
void dialect_session_unsubscribe(struct dialect_session *session, struct jsv_str uri);
/** While subscriptions are read. */
void dialect_session_lock(struct dialect_session *session);
void dialect_session_unlock(struct dialect_session *session);

/** Register a question, and give it its id. */
void dialect_session_ask(struct dialect_session *session, struct dialect_question *question);
/** Remove a question, because it is answered or no longer waited for. @return the question, or
 * NULL. */
struct dialect_question *
dialect_session_take_question(struct dialect_session *session, uint64_t id);

/** Register a request that waits. */
void dialect_session_register(struct dialect_session *session, struct dialect_pending *pending);
/** Remove the request that the client cancels. @return NULL: none has the id. */
struct dialect_pending *dialect_session_cancel(
    struct dialect_session *session, struct jsv_value id, struct jsv_arena *scratch);
/** Remove a request that is finished. @return whether it was still registered. */
bool dialect_session_unregister(
    struct dialect_session *session, const struct dialect_pending *pending);
