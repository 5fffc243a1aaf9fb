/*
 * Lists in pages. A cursor is the index of the next page's first item; to
 * clients it is opaque, and one that we did not hand out is refused.
 */
#pragma once

#include "dialect/mcp/mcp.h"

/**
 * The part of a list that a request asks for.
 * @return false when its cursor is none of ours.
 */
bool mcp_page_find(
    const struct mcp_exchange *exchange, size_t count, size_t *ret_first, size_t *ret_end);
/** "nextCursor", unless the page was the last. */
void mcp_write_next_page(struct jsv_writer *writer, size_t count, size_t end);
/** @return DIALECT_DONE. */
enum dialect_step mcp_answer_bad_cursor(struct dialect_req *req);
