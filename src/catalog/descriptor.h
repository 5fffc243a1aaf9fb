/*
 * Checking a tool's descriptor.
 *
 * Descriptors of programs are read strictly: an unknown member is refused,
 * because a misspelt "timeout_ms" would otherwise have no effect. "$schema",
 * "$comment" and names that begin with "_" or "x-" are ignored.
 */
#pragma once

#include "catalog/catalog.h"

/* The limit of the protocol. */
#define CATALOG_TOOL_NAME_MAX 128

/**
 * Check the descriptor of a program, and set tool->has_headers.
 *
 * @param arena   For the text of an error.
 * @param pointer Receives the place of an error, unless its text names it; has an error itself when
 *                memory ran out.
 * @return the error; NULL: none.
 */
const char *catalog_descriptor_check(
    struct catalog_tool *tool, struct jsv_arena *arena, struct jsv_buf *pointer);

/** The same for built-in tools, of which only the headers are checked. */
const char *catalog_descriptor_check_headers(struct catalog_tool *tool, struct jsv_buf *pointer);
