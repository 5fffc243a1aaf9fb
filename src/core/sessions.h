/*
 * The sessions of HTTP clients, by id. Loops share them, because a client's next
 * request may arrive on another connection.
 */
#pragma once

#include "dialect/session.h"
#include "loop/loop.h"

struct core_sessions;

/** @return NULL when memory ran out. */
struct core_sessions *core_sessions_new(void);
/** Accepts NULL. */
void core_sessions_free(struct core_sessions *sessions);

/**
 * Give a session a random id and keep it. When there are CORE_SESSIONS_MAX, the
 * one that is idle for longest is ended, if it is idle for long enough
 * (CORE_SESSION_UNUSED_MS, CORE_SESSION_IDLE_MS): a client that begins many
 * sessions does not end those in use.
 *
 * @param reterr_retry_ms With -ENOSPC: the time until there may be room.
 * @return 0; -ENOSPC: none is idle; -errno.
 */
int core_sessions_add(
    struct core_sessions *sessions, struct dialect_session *session, uint64_t *reterr_retry_ms);
/**
 * Find a session by its id. It is in use until it is released. A session that was idle for
 * CORE_SESSION_AGE_MS is over.
 * @return the session, retained, or NULL.
 */
struct dialect_session *core_sessions_find(struct core_sessions *sessions, struct jsv_str id);
/** End a session. @return whether there was one. */
bool core_sessions_remove(struct core_sessions *sessions, struct jsv_str id);

/**
 * A loop that has streams of sessions. changed() runs on it when sessions may be over (is_over), or
 * when the diagnostics have changed.
 */
struct core_sessions_listener {
    struct loop *loop;
    void (*changed)(struct core_sessions_listener *listener);

    /* Private. */
    struct loop_task task;
    atomic_bool is_told; /* the task is posted */
    struct core_sessions_listener *next;
};

/** Tell all listeners. Any thread. */
void core_sessions_tell(struct core_sessions *sessions);
/** Add a listener. */
void core_sessions_join(struct core_sessions *sessions, struct core_sessions_listener *listener);
/** Remove a listener. A task that is posted must have run. */
void core_sessions_leave(struct core_sessions *sessions, struct core_sessions_listener *listener);
