#include "jsv/schema/report/message.h"

#include <stdio.h>
#include <string.h>

#include "jsv/base/utf8.h"
#include "jsv/json/node.h"

static const char ellipsis[] = "…";

/* Bytes of a value that a message shows. */
#define VALUE_MAX 80

size_t jsv_message_print(char *out, size_t capacity, const char *format, va_list arguments)
{
    int printed = vsnprintf(out, capacity, format, arguments);
    if (printed < 0) {
        return 0;
    }
    if ((size_t)printed < capacity) {
        return (size_t)printed;
    }
    struct jsv_str kept = {out, capacity - sizeof(ellipsis)};
    kept.size = jsv_utf8_valid_prefix(kept);
    memcpy(out + kept.size, ellipsis, sizeof(ellipsis) - 1);
    return kept.size + sizeof(ellipsis) - 1;
}

struct jsv_str jsv_message_value(struct jsv_str text)
{
    size_t size = text.size <= VALUE_MAX
                      ? text.size
                      : jsv_utf8_valid_prefix((struct jsv_str){text.data, VALUE_MAX});
    return (struct jsv_str){text.data, size};
}

/* ---- pointers to nodes ---- */

/* A node has no link to its parent, so the pointer is found from above: in each container, the
   child that contains the node. */
static const struct jsv_node *find_child_with(
    const struct jsv_node *container,
    const struct jsv_node *node,
    const struct jsv_node **ret_key,
    size_t *ret_index)
{
    bool object = jsv_node_type(container) == JSV_TYPE_OBJECT;
    const struct jsv_node *child = container + 1;
    *ret_index = 0;
    for (;; ++*ret_index) {
        *ret_key = child;
        child += object;
        if (node < jsv_node_next(child)) {
            return child;
        }
        child = jsv_node_next(child);
    }
}

void jsv_node_pointer_append(
    struct jsv_buf *pointer,
    const struct jsv_document *document,
    const struct jsv_node *from,
    const struct jsv_node *node)
{
    for (const struct jsv_node *at = from; at < node;) {
        const struct jsv_node *key;
        size_t index;
        bool object = jsv_node_type(at) == JSV_TYPE_OBJECT;
        at = find_child_with(at, node, &key, &index);
        if (object) {
            jsv_pointer_push(pointer, jsv_string_text(document, key));
        } else {
            jsv_pointer_push_index(pointer, index);
        }
        if (key == node) {
            break;
        }
    }
}

struct jsv_str jsv_node_pointer(
    struct jsv_arena *arena, const struct jsv_document *document, const struct jsv_node *node)
{
    struct jsv_buf pointer;
    jsv_buf_init(&pointer, &arena->allocator, SIZE_MAX);
    jsv_node_pointer_append(&pointer, document, jsv_document_nodes(document), node);
    char *copy = pointer.error ? NULL : jsv_arena_alloc(arena, pointer.size + 1);
    size_t size = copy ? pointer.size : 0;
    if (size) {
        memcpy(copy, pointer.data, size);
    }
    jsv_buf_done(&pointer);
    return (struct jsv_str){copy, size};
}
