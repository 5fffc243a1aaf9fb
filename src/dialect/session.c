#include "dialect/session.h"

#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "os/sys.h"

static void
remove_subscription(struct dialect_session *session, struct dialect_subscription **place)
{
    struct dialect_subscription *subscription = *place;
    *place = subscription->next;
    session->subscription_count--;
    session->subscription_bytes -= subscription->size;
    jsv_dealloc(os_allocator(), subscription, sizeof(*subscription) + subscription->size);
}

struct dialect_session *dialect_session_new(enum mcp_version version)
{
    struct dialect_session *session = jsv_alloc(os_allocator(), sizeof(*session));
    if (session) {
        *session = (struct dialect_session){
            .references = 1,
            .version = version,
            .level = TOOL_LEVEL_INFO,
            .lock = PTHREAD_MUTEX_INITIALIZER,
        };
    }
    return session;
}

struct dialect_session *dialect_session_retain(struct dialect_session *session)
{
    atomic_fetch_add_explicit(&session->references, 1, memory_order_relaxed);
    return session;
}

void dialect_session_release(struct dialect_session *session)
{
    if (!session || atomic_fetch_sub_explicit(&session->references, 1, memory_order_acq_rel) > 1) {
        return;
    }
    while (session->subscriptions) {
        remove_subscription(session, &session->subscriptions);
    }
    pthread_mutex_destroy(&session->lock);
    jsv_dealloc(os_allocator(), session, sizeof(*session));
}

/* ---- subscriptions ---- */

void dialect_session_lock(struct dialect_session *session)
{
    pthread_mutex_lock(&session->lock);
}

void dialect_session_unlock(struct dialect_session *session)
{
    pthread_mutex_unlock(&session->lock);
}

static struct dialect_subscription **
find_subscription(struct dialect_session *session, struct jsv_str uri)
{
    struct dialect_subscription **place = &session->subscriptions;
    while (*place && !jsv_str_equal(uri, (struct jsv_str){(*place)->uri, (*place)->size})) {
        place = &(*place)->next;
    }
    return place;
}

static int add_subscription(struct dialect_session *session, struct jsv_str uri)
{
    if (session->subscription_count == DIALECT_SUBSCRIPTIONS_MAX ||
        uri.size > DIALECT_SUBSCRIPTION_BYTES_MAX - session->subscription_bytes) {
        return -ENOSPC;
    }
    struct dialect_subscription *subscription =
        jsv_alloc(os_allocator(), sizeof(*subscription) + uri.size);
    if (!subscription) {
        return -ENOMEM;
    }
    subscription->size = uri.size;
    memcpy(subscription->uri, uri.data, uri.size);
    subscription->next = session->subscriptions;
    session->subscriptions = subscription;
    session->subscription_count++;
    session->subscription_bytes += uri.size;
    return 0;
}

int dialect_session_subscribe(struct dialect_session *session, struct jsv_str uri)
{
    dialect_session_lock(session);
    int r = *find_subscription(session, uri) ? 0 : add_subscription(session, uri);
    dialect_session_unlock(session);
    return r;
}

void dialect_session_unsubscribe(struct dialect_session *session, struct jsv_str uri)
{
    dialect_session_lock(session);
    struct dialect_subscription **place = find_subscription(session, uri);
    if (*place) {
        remove_subscription(session, place);
    }
    dialect_session_unlock(session);
}

/* ---- questions ---- */

void dialect_session_ask(struct dialect_session *session, struct dialect_question *question)
{
    dialect_session_lock(session);
    question->id = ++session->question_id;
    question->next = session->questions;
    session->questions = question;
    dialect_session_unlock(session);
}

struct dialect_question *dialect_session_take_question(struct dialect_session *session, uint64_t id)
{
    dialect_session_lock(session);
    struct dialect_question **place = &session->questions;
    while (*place && (*place)->id != id) {
        place = &(*place)->next;
    }
    struct dialect_question *question = *place;
    if (question) {
        *place = question->next;
    }
    dialect_session_unlock(session);
    return question;
}

/* ---- waiting requests ---- */

void dialect_session_register(struct dialect_session *session, struct dialect_pending *pending)
{
    dialect_session_lock(session);
    pending->next = session->pendings;
    session->pendings = pending;
    dialect_session_unlock(session);
}

struct dialect_pending *dialect_session_cancel(
    struct dialect_session *session, struct jsv_value id, struct jsv_arena *scratch)
{
    dialect_session_lock(session);
    struct dialect_pending **place = &session->pendings;
    while (*place && jsv_value_equal((*place)->id, id, scratch) != 1) {
        place = &(*place)->next;
    }
    struct dialect_pending *pending = *place;
    if (pending) {
        *place = pending->next;
    }
    dialect_session_unlock(session);
    return pending;
}

bool dialect_session_unregister(
    struct dialect_session *session, const struct dialect_pending *pending)
{
    dialect_session_lock(session);
    struct dialect_pending **place = &session->pendings;
    while (*place && *place != pending) {
        place = &(*place)->next;
    }
    bool is_listed = *place;
    if (is_listed) {
        *place = pending->next;
    }
    dialect_session_unlock(session);
    return is_listed;
}
