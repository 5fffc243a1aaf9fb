#include <errno.h>

#include "loop/object.h"

struct loop_poll {
    struct loop_object object;
    uv_poll_t uv;
    loop_polled *polled;
    void *owner;
};

static void close_object(struct loop_object *object)
{
    loop_poll_close((struct loop_poll *)object);
}

int loop_poll_new(
    struct loop *loop, int fd, loop_polled *polled, void *owner, struct loop_poll **ret_poll)
{
    struct loop_poll *poll = loop_object_new(loop, sizeof(*poll), close_object);
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
