#include <errno.h>

#include "loop/object.h"

struct loop_timer {
    struct loop_object object;
    uv_timer_t uv;
    loop_fire *fire;
    void *owner;
};

static void close_object(struct loop_object *object)
{
    loop_timer_close((struct loop_timer *)object);
}

int loop_timer_new(struct loop *loop, loop_fire *fire, void *owner, struct loop_timer **ret_timer)
{
    struct loop_timer *timer = loop_object_new(loop, sizeof(*timer), close_object);
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
