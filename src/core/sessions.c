/*
 * A hash table under one lock, which is only held for look-ups in memory. Ids are
 * random, so their first digits are the hash.
 */
#include "core/sessions.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/limits.h"
#include "jsv/base/alloc.h"
#include "jsv/base/ascii.h"
#include "os/list.h"
#include "os/sys.h"

#define BUCKET_COUNT 1024

/* Between two searches for sessions that are too old. */
#define SWEEP_MS 60000

struct core_sessions {
    pthread_mutex_t lock;
    size_t count;
    uint64_t room_at_ms;  /* when full: no session can be ended before */
    uint64_t sweep_at_ms; /* when the next search for old sessions is due */
    struct core_sessions_listener *listeners;
    struct dialect_session *buckets[BUCKET_COUNT];
};

struct core_sessions *core_sessions_new(void)
{
    struct core_sessions *sessions = jsv_alloc(os_allocator(), sizeof(struct core_sessions));
    if (sessions) {
        *sessions = (struct core_sessions){.lock = PTHREAD_MUTEX_INITIALIZER};
    }
    return sessions;
}

void core_sessions_free(struct core_sessions *sessions)
{
    if (!sessions) {
        return;
    }
    for (size_t i = 0; i < BUCKET_COUNT; i++) {
        while (sessions->buckets[i]) {
            struct dialect_session *session = sessions->buckets[i];
            sessions->buckets[i] = session->next;
            dialect_session_release(session);
        }
    }
    pthread_mutex_destroy(&sessions->lock);
    jsv_dealloc(os_allocator(), sessions, sizeof(*sessions));
}

static size_t bucket_of(const char *id)
{
    size_t bucket = 0;
    for (size_t i = 0; i < 4; i++) {
        bucket = bucket * 16 + (size_t)(id[i] & 15) + (id[i] > '9' ? 9 : 0);
    }
    return bucket % BUCKET_COUNT;
}

/* The link to the session of that id, or NULL. */
static struct dialect_session **place_of(struct core_sessions *sessions, struct jsv_str id)
{
    if (id.size != DIALECT_SESSION_ID_SIZE) {
        return NULL;
    }
    struct dialect_session **place = &sessions->buckets[bucket_of(id.data)];
    while (*place && memcmp((*place)->id, id.data, id.size) != 0) {
        place = &(*place)->next;
    }
    return *place ? place : NULL;
}

/* ---- listeners ---- */

static void run_task(struct loop_task *task)
{
    struct core_sessions_listener *listener =
        os_container_of(task, struct core_sessions_listener, task);
    atomic_store(&listener->is_told, false); /* first, so that later changes are told again */
    listener->changed(listener);
}

static void tell_listeners(const struct core_sessions *sessions)
{
    struct core_sessions_listener *listener = sessions->listeners;
    for (; listener; listener = listener->next) {
        if (!atomic_exchange(&listener->is_told, true)) {
            loop_post(listener->loop, &listener->task);
        }
    }
}

void core_sessions_tell(struct core_sessions *sessions)
{
    pthread_mutex_lock(&sessions->lock);
    tell_listeners(sessions);
    pthread_mutex_unlock(&sessions->lock);
}

void core_sessions_join(struct core_sessions *sessions, struct core_sessions_listener *listener)
{
    listener->task.run = run_task;
    pthread_mutex_lock(&sessions->lock);
    listener->next = sessions->listeners;
    sessions->listeners = listener;
    pthread_mutex_unlock(&sessions->lock);
}

void core_sessions_leave(struct core_sessions *sessions, struct core_sessions_listener *listener)
{
    pthread_mutex_lock(&sessions->lock);
    struct core_sessions_listener **place = &sessions->listeners;
    while (*place && *place != listener) {
        place = &(*place)->next;
    }
    if (*place) {
        *place = listener->next;
    }
    pthread_mutex_unlock(&sessions->lock);
    assert(!atomic_load(&listener->is_told));
}

/* ---- sessions ---- */

static void remove_at(struct core_sessions *sessions, struct dialect_session **place)
{
    struct dialect_session *session = *place;
    *place = session->next;
    session->next = NULL;
    sessions->count--;
    atomic_store(&session->is_over, true);
    tell_listeners(sessions);
    dialect_session_release(session);
}

/* A reference besides the table's means that a request or a stream uses the session. */
static uint64_t idle_since_ms(const struct dialect_session *session, uint64_t now)
{
    return atomic_load(&session->references) > 1 ? now : atomic_load(&session->used_ms);
}

/* Another thread may use it after now was read, so since may be later than now. */
static bool is_too_old(const struct dialect_session *session, uint64_t now)
{
    uint64_t since = idle_since_ms(session, now);
    return since < now && now - since >= CORE_SESSION_AGE_MS;
}

/* When a session may be ended in favour of another. */
static uint64_t can_end_at_ms(const struct dialect_session *session, uint64_t now)
{
    return idle_since_ms(session, now) +
           (session->is_used ? CORE_SESSION_IDLE_MS : CORE_SESSION_UNUSED_MS);
}

/* End the sessions that are too old, now and then. */
static void sweep(struct core_sessions *sessions, uint64_t now)
{
    if (now < sessions->sweep_at_ms) {
        return;
    }
    sessions->sweep_at_ms = now + SWEEP_MS;
    for (size_t i = 0; i < BUCKET_COUNT; i++) {
        struct dialect_session **place = &sessions->buckets[i];
        while (*place) {
            if (is_too_old(*place, now)) {
                remove_at(sessions, place);
            } else {
                place = &(*place)->next;
            }
        }
    }
}

/*
 * End the session that is idle for longest. A search that found none is not repeated before the
 * earliest time at which a session can be ended: using a session only moves its time back, and
 * core_sessions_add() accounts for new ones.
 * @return whether there is room.
 */
static bool make_room(struct core_sessions *sessions, uint64_t now)
{
    if (sessions->count < CORE_SESSIONS_MAX) {
        return true;
    }
    if (now < sessions->room_at_ms) {
        return false;
    }
    struct dialect_session **idlest = NULL;
    sessions->room_at_ms = UINT64_MAX;
    for (size_t i = 0; i < BUCKET_COUNT; i++) {
        for (struct dialect_session **place = &sessions->buckets[i]; *place;
             place = &(*place)->next) {
            uint64_t room_at_ms = can_end_at_ms(*place, now);
            if (room_at_ms < sessions->room_at_ms) {
                sessions->room_at_ms = room_at_ms;
                idlest = place;
            }
        }
    }
    if (!idlest || now < sessions->room_at_ms) {
        return false;
    }
    remove_at(sessions, idlest);
    return true;
}

static int make_id(char ret_id[static DIALECT_SESSION_ID_SIZE + 1])
{
    unsigned char random[DIALECT_SESSION_ID_SIZE / 2];
    int r = os_random(random, sizeof(random));
    *jsv_hex_write(ret_id, random, sizeof(random)) = '\0';
    return r;
}

int core_sessions_add(
    struct core_sessions *sessions, struct dialect_session *session, uint64_t *reterr_retry_ms)
{
    int r = make_id(session->id);
    if (r < 0) {
        return r;
    }
    uint64_t now = os_now_ms();
    pthread_mutex_lock(&sessions->lock);
    sweep(sessions, now);
    if (make_room(sessions, now)) {
        struct dialect_session **bucket = &sessions->buckets[bucket_of(session->id)];
        atomic_store(&session->used_ms, now);
        session->next = *bucket;
        *bucket = dialect_session_retain(session);
        sessions->count++;
        if (now + CORE_SESSION_UNUSED_MS < sessions->room_at_ms) {
            sessions->room_at_ms = now + CORE_SESSION_UNUSED_MS;
        }
    } else {
        *reterr_retry_ms = sessions->room_at_ms - now;
        r = -ENOSPC;
    }
    pthread_mutex_unlock(&sessions->lock);
    return r;
}

struct dialect_session *core_sessions_find(struct core_sessions *sessions, struct jsv_str id)
{
    uint64_t now = os_now_ms();
    pthread_mutex_lock(&sessions->lock);
    struct dialect_session **place = place_of(sessions, id);
    if (place && is_too_old(*place, now)) {
        remove_at(sessions, place);
        place = NULL;
    }
    struct dialect_session *session = place ? *place : NULL;
    if (session) {
        atomic_store(&session->used_ms, now);
        session->is_used = true;
        dialect_session_retain(session);
    }
    pthread_mutex_unlock(&sessions->lock);
    return session;
}

bool core_sessions_remove(struct core_sessions *sessions, struct jsv_str id)
{
    pthread_mutex_lock(&sessions->lock);
    struct dialect_session **place = place_of(sessions, id);
    if (place) {
        remove_at(sessions, place);
    }
    pthread_mutex_unlock(&sessions->lock);
    return place;
}
