#include "loop/object.h"

#include <assert.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "os/sys.h"

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
