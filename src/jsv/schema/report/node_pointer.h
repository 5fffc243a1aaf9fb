/*
 * Where a node stands, as the RFC 6901 pointer to it. A tape has no way up, so
 * the pointer is found from above: at every container, the child that holds
 * the node.
 */
#pragma once

#include <jsv/json.h>

#include "jsv/json/node.h"

/* Append the RFC 6901 pointer of a node from another on, which holds it or is it. */
void jsv_node_pointer_append(
    struct jsv_buf *pointer,
    const struct jsv_document *document,
    const struct jsv_node *from,
    const struct jsv_node *node);

/* The pointer from the top of the document, in the arena; data NULL when memory ran out. */
struct jsv_str jsv_node_pointer(
    struct jsv_arena *arena, const struct jsv_document *document, const struct jsv_node *node);
