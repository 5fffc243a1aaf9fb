/*
 * What a client and we agreed on by initialize. Over lines it is the
 * connection's; over HTTP it has an id, outlives connections and may be used
 * by several loops at once.
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
/* Bytes of their URIs: 4,096 sessions that all use it up hold 256 MiB. */
#define DIALECT_SUBSCRIPTION_BYTES_MAX ((size_t)64 * 1024)

struct dialect_subscription {
    struct dialect_subscription *next;
    size_t size;
    char uri[];
};

/** Something we asked the client of a session; whoever asked owns it. */
struct dialect_question {
    struct dialect_question *next;
    uint64_t id;
    const struct mcp_method *method;
};

/** A request of the client of a session, in flight over HTTP; whoever waits for it owns it. */
struct dialect_pending {
    struct dialect_pending *next;
    struct jsv_value id; /* its document does not change meanwhile */
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
    char client[64];                      /* what it calls itself; empty when it did not say */
    atomic_bool is_initialized;           /* the client has said so: it may be notified */
    atomic_bool is_over;                  /* nobody finds it any more; its streams end */
    char id[DIALECT_SESSION_ID_SIZE + 1]; /* empty: it has none */
    unsigned capabilities;                /* of the client: enum dialect_capability */
    _Atomic(enum tool_level) level;       /* messages below it are not for this client */
    pthread_mutex_t lock;                 /* of the subscriptions and of both lists below */
    struct dialect_subscription *subscriptions;
    size_t subscription_count;
    size_t subscription_bytes;          /* of their URIs */
    struct dialect_question *questions; /* not answered yet */
    uint64_t question_id;               /* of the last one */
    struct dialect_pending *pendings;   /* that may be given up */
    _Atomic(const void *) stream;       /* the connection notifications go to, over HTTP */
    struct dialect_session *next;       /* in the directory */
    _Atomic(uint64_t) used_ms;          /* when a request or a stream of it last began or ended */
    bool is_used;                       /* since it was begun; the directory's */
};

/** A session with one reference. @return NULL when memory ran out. */
struct dialect_session *dialect_session_new(enum mcp_version version);
struct dialect_session *dialect_session_retain(struct dialect_session *session);
/** Accepts NULL. */
void dialect_session_release(struct dialect_session *session);

/** Remember a resource. @return 0, also when it was known; -ENOSPC: too many; -ENOMEM. */
int dialect_session_subscribe(struct dialect_session *session, struct jsv_str uri);
/** Forget one; it need not be known. */
void dialect_session_unsubscribe(struct dialect_session *session, struct jsv_str uri);
/** While the subscriptions are looked at. */
void dialect_session_lock(struct dialect_session *session);
void dialect_session_unlock(struct dialect_session *session);

/** Wait for an answer; gives the question its id. */
void dialect_session_ask(struct dialect_session *session, struct dialect_question *question);
/** An answer came: nobody waits for it any more. @return NULL when nobody did. */
struct dialect_question *dialect_session_answer(struct dialect_session *session, uint64_t id);
/** Wait no longer. @return whether the answer has not come. */
bool dialect_session_give_up(struct dialect_session *session, struct dialect_question *question);

/** A request waits; it may be given up from now on. */
void dialect_session_wait(struct dialect_session *session, struct dialect_pending *pending);
/** The client gives up a request: it is no longer in the list. @return NULL when none has the id.
 */
struct dialect_pending *dialect_session_cancel(
    struct dialect_session *session, struct jsv_value id, struct jsv_arena *scratch);
/** A request is over. @return whether nobody has given it up. */
bool dialect_session_wait_no_more(
    struct dialect_session *session, const struct dialect_pending *pending);
