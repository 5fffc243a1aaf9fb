#include "loop/object.h"

#include <assert.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "os/sys.h"

static void link_object(struct loop *loop, struct loop_object *object)
{
    object->loop = loop;
    object->previous = loop->newest;
    if (loop->newest) {
        loop->newest->next = object;
    } else {
        loop->objects = object;
    }
    loop->newest = object;
}

static void unlink_object(struct loop_object *object)
{
    struct loop *loop = object->loop;
    if (object->previous) {
        object->previous->next = object->next;
    } else {
        loop->objects = object->next;
    }
    if (object->next) {
        object->next->previous = object->previous;
    } else {
        loop->newest = object->previous;
    }
}

void *loop_object_new(struct loop *loop, size_t size, void (*close)(struct loop_object *object))
{
    struct loop_object *object = jsv_alloc(os_allocator(), size);
    if (!object) {
        return NULL;
    }
    memset(object, 0, size);
    object->size = size;
    object->close = close;
    link_object(loop, object);
    return object;
}

void loop_object_free(struct loop_object *object)
{
    unlink_object(object);
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
    unlink_object(object);
    handle->data = object;
    uv_close(handle, on_closed);
}
