/*
 * Accepts connections. When the process has no descriptor left the kernel keeps
 * reporting that a connection waits, and a loop that goes on listening would spin.
 * So it stops listening for a moment. The connection stays in the kernel's queue
 * and is accepted when there is a descriptor.
 */
#include <errno.h>

#include "loop/object.h"
#include "loop/stream.h"
#include "os/sys.h"

/*
 * How long to wait for a descriptor. A hundred attempts a second cost nothing;
 * and of a thousand connections whose clients have gone, all are through in less
 * than a second, even a few at a time.
 */
#define PAUSE_MS 10

/* Connections accepted in a row before other events are handled. */
#define ACCEPT_MAX 64

struct loop_listener {
    struct loop_object object;
    uv_poll_t uv;
    int fd;
    struct loop_timer *pause;
    loop_accepted *accepted;
    void *owner;
};

static void on_readable(uv_poll_t *uv, int status, int events);

static void close_object(struct loop_object *object)
{
    loop_listener_close((struct loop_listener *)object);
}

static void on_pause_over(void *owner)
{
    struct loop_listener *listener = owner;
    (void)uv_poll_start(&listener->uv, UV_READABLE, on_readable);
}

static void pause_listening(struct loop_listener *listener)
{
    (void)uv_poll_stop(&listener->uv);
    loop_timer_start(listener->pause, PAUSE_MS);
}

/* Errors of one connection, which is gone; the next may be good (accept(2) lists them). */
static bool is_of_connection(int error)
{
    switch (error) {
    case -ECONNABORTED:
    case -EPROTO:
    case -EPERM:
    case -EINTR:
        return true;
    default:
        return false;
    }
}

static void on_readable(uv_poll_t *uv, int status, int events)
{
    struct loop_listener *listener = uv->data;
    (void)status;
    (void)events;
    for (int i = 0; i < ACCEPT_MAX && !listener->object.closed; i++) {
        int fd = os_accept(listener->fd);
        if (fd >= 0) {
            listener->accepted(listener->owner, fd);
        } else if (fd == -EAGAIN) {
            return;
        } else if (!is_of_connection(fd)) {
            pause_listening(listener);
            return;
        }
    }
}

int loop_listen(
    struct loop *loop,
    int fd,
    loop_accepted *accepted,
    void *owner,
    struct loop_listener **ret_listener)
{
    struct loop_listener *listener = loop_object_new(loop, sizeof(*listener), close_object);
    if (!listener) {
        return -ENOMEM;
    }
    listener->fd = -1;
    listener->accepted = accepted;
    listener->owner = owner;
    listener->uv.data = listener;
    int r = uv_poll_init(&loop->uv, &listener->uv, fd);
    if (r < 0) {
        loop_object_free(&listener->object);
        return r;
    }
    r = loop_timer_new(loop, on_pause_over, listener, &listener->pause);
    if (r < 0) {
        loop_listener_close(listener);
        return r;
    }
    listener->fd = fd;
    (void)uv_poll_start(&listener->uv, UV_READABLE, on_readable);
    *ret_listener = listener;
    return 0;
}

void loop_listener_close(struct loop_listener *listener)
{
    if (!listener) {
        return;
    }
    loop_timer_close(listener->pause);
    loop_object_close(&listener->object, (uv_handle_t *)&listener->uv);
    os_close(listener->fd);
}
