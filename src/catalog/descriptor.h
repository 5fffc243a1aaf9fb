/*
 * What a tool's descriptor may contain, and what its members must be.
 *
 * Descriptors of programs are read strictly: a member that is not known is
 * refused, because a misspelt "timeout_ms" would otherwise have no effect and
 * nobody would know. "$schema", "$comment" and names that begin with "_" or
 * "x-" are for others and may contain anything.
 */
#pragma once

#include "catalog/catalog.h"

/* As the protocol has it. */
#define CATALOG_TOOL_NAME_MAX 128

/**
 * Check the descriptor of a program; also finds out whether it has headers.
 *
 * @param arena   Where the answer may be made.
 * @param pointer Where it is wrong, unless what is wrong says so; has the error of a buffer that is
 *                out of memory.
 * @return what is wrong; NULL: nothing.
 */
const char *catalog_descriptor_check(
    struct catalog_tool *tool, struct jsv_arena *arena, struct jsv_buf *pointer);

/** The same for the part of it that tools have that are built in: their headers. */
const char *catalog_descriptor_check_headers(struct catalog_tool *tool, struct jsv_buf *pointer);
