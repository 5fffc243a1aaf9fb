/*
 * Arguments that clients repeat in HTTP headers, for whoever stands between to
 * look at: a property of a tool's input schema says so with "x-mcp-header".
 *
 * Clients drop a tool that breaks the protocol's rules for it, and tell nobody
 * here. So it is refused when it is loaded, where somebody is told.
 */
#pragma once

#include "catalog/catalog.h"

/* Of one tool. A request has room for 100 headers, and those of the protocol come first. */
#define CATALOG_HEADERS_MAX 64

/**
 * Look at every "x-mcp-header" of an input schema.
 *
 * @param pointer   Receives where the one that is wrong stands, from the descriptor on; lack of
 *                  memory is its error.
 * @param ret_count How many there are.
 * @return what is wrong; NULL when nothing is.
 */
const char *
catalog_headers_check(struct jsv_value input_schema, struct jsv_buf *pointer, size_t *ret_count);
