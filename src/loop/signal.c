#include <errno.h>

#include "loop/object.h"

struct loop_signal {
    struct loop_object object;
    uv_signal_t uv;
    loop_signalled *signalled;
    void *owner;
};

static void close_object(struct loop_object *object)
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
    struct loop_signal *signal = loop_object_new(loop, sizeof(*signal), close_object);
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
