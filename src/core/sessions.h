/*
 * The sessions of clients that speak HTTP, by id: the one thing besides the
 * snapshot that loops share, since a client's next request may come in on
 * another connection.
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
 * Give a session an id nobody can guess and keep it. When there are
 * CORE_SESSIONS_MAX, the one that is idle for longest makes room, if it is idle
 * for long enough (CORE_SESSION_UNUSED_MS, CORE_SESSION_IDLE_MS): sessions in
 * use do not end because somebody begins many.
 *
 * @param reterr_retry_ms With -ENOSPC: when there may be room.
 * @return 0; -ENOSPC: none is idle; -errno.
 */
int core_sessions_add(
    struct core_sessions *sessions, struct dialect_session *session, uint64_t *reterr_retry_ms);
/**
 * Look a session up, which is then in use until it is released. One that was idle for
 * CORE_SESSION_AGE_MS is over.
 * @return the session, retained; NULL when there is none of that id.
 */
struct dialect_session *core_sessions_find(struct core_sessions *sessions, struct jsv_str id);
/** Forget a session. @return whether there was one. */
bool core_sessions_remove(struct core_sessions *sessions, struct jsv_str id);

/**
 * Somebody who has streams of sessions, and is told on its own loop that there
 * is something to look at: some are over (is_over), or there is news for them.
 */
struct core_sessions_listener {
    struct loop *loop;
    void (*told)(struct core_sessions_listener *listener);

    /* Its own. */
    struct loop_task task;
    atomic_bool is_told; /* the task is posted */
    struct core_sessions_listener *next;
};

/** Tell all there are. Any thread. */
void core_sessions_tell(struct core_sessions *sessions);
/** Be told from now on. */
void core_sessions_join(struct core_sessions *sessions, struct core_sessions_listener *listener);
/** Be told no more; a task that is posted must have run. */
void core_sessions_leave(struct core_sessions *sessions, struct core_sessions_listener *listener);
