/*
 * A table of lists under one lock, which is held for a few look-ups in memory
 * and never while anything waits. Ids are random, so their first digits serve
 * as the hash.
 */
#include "core/sessions.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hex.h"
#include "core/limits.h"
#include "os/sys.h"

#define BUCKET_COUNT 1024

struct core_sessions {
    pthread_mutex_t lock;
    size_t count;
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

/* Where the session hangs, or NULL: there is none of that id. */
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

/* ---- who has streams ---- */

static void open_letter(struct loop_letter *letter)
{
    struct core_sessions_listener *listener =
        (struct core_sessions_listener
             *)((char *)letter - offsetof(struct core_sessions_listener, letter));
    atomic_store(&listener->is_told, false); /* before it looks: what comes now is told again */
    listener->told(listener);
}

static void tell_listeners(const struct core_sessions *sessions)
{
    struct core_sessions_listener *listener = sessions->listeners;
    for (; listener; listener = listener->next) {
        if (!atomic_exchange(&listener->is_told, true)) {
            loop_post(listener->loop, &listener->letter);
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
    listener->letter.open = open_letter;
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

static void take_out(struct core_sessions *sessions, struct dialect_session **place)
{
    struct dialect_session *session = *place;
    *place = session->next;
    session->next = NULL;
    sessions->count--;
    atomic_store(&session->is_over, true);
    tell_listeners(sessions);
    dialect_session_release(session);
}

/* Rare, so looking at all of them will do. There is at least one. */
static void forget_oldest(struct core_sessions *sessions)
{
    struct dialect_session **oldest = NULL;
    for (size_t i = 0; i < BUCKET_COUNT; i++) {
        struct dialect_session **place = &sessions->buckets[i];
        for (; *place; place = &(*place)->next) {
            if (!oldest || (*place)->used_ms < (*oldest)->used_ms) {
                oldest = place;
            }
        }
    }
    assert(oldest);
    take_out(sessions, oldest);
}

static int make_id(char ret_id[static DIALECT_SESSION_ID_SIZE + 1])
{
    unsigned char random[DIALECT_SESSION_ID_SIZE / 2];
    int r = os_random(random, sizeof(random));
    *jsv_hex_write(ret_id, random, sizeof(random)) = '\0';
    return r;
}

int core_sessions_add(struct core_sessions *sessions, struct dialect_session *session)
{
    int r = make_id(session->id);
    if (r < 0) {
        return r;
    }
    pthread_mutex_lock(&sessions->lock);
    if (sessions->count == CORE_SESSIONS_MAX) {
        forget_oldest(sessions);
    }
    struct dialect_session **bucket = &sessions->buckets[bucket_of(session->id)];
    session->used_ms = os_now_ms();
    session->next = *bucket;
    *bucket = dialect_session_retain(session);
    sessions->count++;
    pthread_mutex_unlock(&sessions->lock);
    return 0;
}

struct dialect_session *core_sessions_find(struct core_sessions *sessions, struct jsv_str id)
{
    pthread_mutex_lock(&sessions->lock);
    struct dialect_session **place = place_of(sessions, id);
    struct dialect_session *session = place ? *place : NULL;
    if (session) {
        session->used_ms = os_now_ms();
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
        take_out(sessions, place);
    }
    pthread_mutex_unlock(&sessions->lock);
    return place;
}
