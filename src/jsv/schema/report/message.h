/*
 * Parts of error messages: text built from names and values of any length, and
 * the JSON Pointer (RFC 6901) to a node.
 */
#pragma once

#include <stdarg.h>

#include <jsv/json.h>

#include "jsv/json/node.h"

/* The arguments for "%.*s". Limited to 4,096 bytes, more than any message holds. */
#define JSV_TEXT(str) (int)((str).size < 4096 ? (str).size : 4096), (str).data

/*
 * Like vsnprintf, but text that does not fit is cut between two characters and
 * ends with "…". @return the size without a NUL.
 */
size_t jsv_message_print(char *out, size_t capacity, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* The part of a value's source text that a message shows: at most 80 bytes. */
struct jsv_str jsv_message_value(struct jsv_str text);

/* Append the pointer from one node to another, which is the same node or inside it. */
void jsv_node_pointer_append(
    struct jsv_buf *pointer,
    const struct jsv_document *document,
    const struct jsv_node *from,
    const struct jsv_node *node);

/* The pointer from the document's root, allocated in the arena. @return NULL data: no memory. */
struct jsv_str jsv_node_pointer(
    struct jsv_arena *arena, const struct jsv_document *document, const struct jsv_node *node);
