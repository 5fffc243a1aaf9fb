/*
 * What the files of this room share: the loop itself, and the life of what
 * lives on it.
 *
 * An object (timer, stream, …) has one libuv handle. libuv wants a handle's
 * memory until it says that the handle is closed, which it does later in the
 * round; so closing an object makes it deaf at once, and its memory is given
 * back then. Objects left open are closed with the loop, oldest first: one
 * that owns others is older than they are, and closes them itself.
 */
#pragma once

#include <uv.h>

#include "loop/loop.h"
#include "os/list.h"

struct loop_object {
    struct loop *loop;
    struct loop_object *previous;
    struct loop_object *next;
    size_t size;
    bool closed;
    void (*close)(struct loop_object *object);
};

/* In the order they were put off. */
struct loop_deferred_list {
    struct loop_deferred *first;
    struct loop_deferred **end;
};

struct loop {
    uv_loop_t uv;
    uv_async_t wake;         /* there are tasks */
    uv_prepare_t prepare;    /* before it waits */
    uv_check_t check;        /* after its events */
    uv_idle_t busy;          /* while it runs the loop does not wait */
    struct loop_task *tasks; /* newest first; atomic */
    struct loop_deferred_list deferred[LOOP_STEPS];
    unsigned reads;                         /* of this round */
    OS_LIST_OF(struct loop_object) objects; /* oldest first */
};

/* A stream has read, and its owner is done with that; this may end the round. */
void loop_has_read(struct loop *loop);

/* Make an object, zeroed but for its head. @return NULL when there is no memory. */
void *loop_object_new(struct loop *loop, size_t size, void (*close)(struct loop_object *object));
/* Give back one whose handle was not made. */
void loop_object_free(struct loop_object *object);
/* Close its handle, then give it back. The handle's data becomes the object. */
void loop_object_close(struct loop_object *object, uv_handle_t *handle);
