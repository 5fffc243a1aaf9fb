/*
 * What a loop calls back for, each with one libuv handle: timers, signals, and
 * descriptors that other code reads and writes. Streams and listeners have files
 * of their own.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "loop/object.h"
#include "os/sys.h"

/* ---- objects ---- */

void *loop_object_new(struct loop *loop, size_t size, void (*close)(struct loop_object *object))
{
    struct loop_object *object = jsv_alloc(os_allocator(), size);
    if (!object) {
        return NULL;
    }
    memset(object, 0, size);
    object->size = size;
    object->close = close;
    object->loop = loop;
    os_list_append(&loop->objects, object);
    return object;
}

void loop_object_free(struct loop_object *object)
{
    os_list_remove(&object->loop->objects, object);
    jsv_dealloc(os_allocator(), object, object->size);
}

static void on_closed(uv_handle_t *handle)
{
    struct loop_object *object = handle->data;
    jsv_dealloc(os_allocator(), object, object->size);
}

void loop_object_close(struct loop_object *object, uv_handle_t *handle)
{
    assert(!object->closed);
    object->closed = true;
    os_list_remove(&object->loop->objects, object);
    handle->data = object;
    uv_close(handle, on_closed);
}

/* ---- timers ---- */

struct loop_timer {
    struct loop_object object;
    uv_timer_t uv;
    loop_fire *fire;
    void *owner;
};

static void close_timer(struct loop_object *object)
{
    loop_timer_close((struct loop_timer *)object);
}

int loop_timer_new(struct loop *loop, loop_fire *fire, void *owner, struct loop_timer **ret_timer)
{
    struct loop_timer *timer = loop_object_new(loop, sizeof(*timer), close_timer);
    if (!timer) {
        return -ENOMEM;
    }
    timer->fire = fire;
    timer->owner = owner;
    timer->uv.data = timer;
    (void)uv_timer_init(&loop->uv, &timer->uv);
    *ret_timer = timer;
    return 0;
}

static void on_timer(uv_timer_t *uv)
{
    struct loop_timer *timer = uv->data;
    timer->fire(timer->owner);
}

void loop_timer_start(struct loop_timer *timer, uint64_t milliseconds)
{
    (void)uv_timer_start(&timer->uv, on_timer, milliseconds, 0);
}

void loop_timer_stop(struct loop_timer *timer)
{
    (void)uv_timer_stop(&timer->uv);
}

void loop_timer_close(struct loop_timer *timer)
{
    if (timer) {
        loop_object_close(&timer->object, (uv_handle_t *)&timer->uv);
    }
}

/* ---- signals ---- */

struct loop_signal {
    struct loop_object object;
    uv_signal_t uv;
    loop_signalled *signalled;
    void *owner;
};

static void close_signal(struct loop_object *object)
{
    loop_signal_close((struct loop_signal *)object);
}

static void on_signal(uv_signal_t *uv, int number)
{
    struct loop_signal *signal = uv->data;
    signal->signalled(signal->owner, number);
}

int loop_signal_new(
    struct loop *loop,
    int number,
    loop_signalled *signalled,
    void *owner,
    struct loop_signal **ret_signal)
{
    struct loop_signal *signal = loop_object_new(loop, sizeof(*signal), close_signal);
    if (!signal) {
        return -ENOMEM;
    }
    signal->signalled = signalled;
    signal->owner = owner;
    signal->uv.data = signal;
    int r = uv_signal_init(&loop->uv, &signal->uv);
    if (r < 0) {
        loop_object_free(&signal->object);
        return r;
    }
    r = uv_signal_start(&signal->uv, on_signal, number);
    if (r < 0) {
        loop_signal_close(signal);
        return r;
    }
    *ret_signal = signal;
    return 0;
}

void loop_signal_close(struct loop_signal *signal)
{
    if (signal) {
        loop_object_close(&signal->object, (uv_handle_t *)&signal->uv);
    }
}

/* ---- descriptors ---- */

struct loop_poll {
    struct loop_object object;
    uv_poll_t uv;
    loop_polled *polled;
    void *owner;
};

static void close_poll(struct loop_object *object)
{
    loop_poll_close((struct loop_poll *)object);
}

int loop_poll_new(
    struct loop *loop, int fd, loop_polled *polled, void *owner, struct loop_poll **ret_poll)
{
    struct loop_poll *poll = loop_object_new(loop, sizeof(*poll), close_poll);
    if (!poll) {
        return -ENOMEM;
    }
    poll->polled = polled;
    poll->owner = owner;
    poll->uv.data = poll;
    int r = uv_poll_init(&loop->uv, &poll->uv, fd);
    if (r < 0) {
        loop_object_free(&poll->object);
        return r;
    }
    *ret_poll = poll;
    return 0;
}

static void on_poll(uv_poll_t *uv, int status, int uv_events)
{
    struct loop_poll *poll = uv->data;
    unsigned events = 0;
    events |= uv_events & UV_READABLE ? LOOP_POLL_READ : 0;
    events |= uv_events & UV_WRITABLE ? LOOP_POLL_WRITE : 0;
    poll->polled(poll->owner, events, status);
}

int loop_poll_set(struct loop_poll *poll, unsigned events)
{
    int uv_events = 0;
    uv_events |= events & LOOP_POLL_READ ? UV_READABLE : 0;
    uv_events |= events & LOOP_POLL_WRITE ? UV_WRITABLE : 0;
    return uv_poll_start(&poll->uv, uv_events, on_poll);
}

void loop_poll_close(struct loop_poll *poll)
{
    if (poll) {
        loop_object_close(&poll->object, (uv_handle_t *)&poll->uv);
    }
}
