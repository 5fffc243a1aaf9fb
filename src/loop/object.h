/*
 * Shared by the files of this folder: the loop itself, and its objects.
 *
 * An object (timer, stream, …) has one libuv handle. libuv needs a handle's
 * memory until it reports that the handle is closed, later in the round; so a
 * closed object gets no events from that moment on, and is freed then. Objects
 * left open are closed with the loop, oldest first: an object that owns others is
 * older than they are, and closes them itself.
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

/* A stream has read, and its owner has returned; this may end the round. */
void loop_has_read(struct loop *loop);

/* Make an object; the rest behind its head is zero. @return NULL when there is no memory. */
void *loop_object_new(struct loop *loop, size_t size, void (*close)(struct loop_object *object));
/* Free an object without a handle. */
void loop_object_free(struct loop_object *object);
/* Close its handle, then free it. The handle's data becomes the object. */
void loop_object_close(struct loop_object *object, uv_handle_t *handle);
