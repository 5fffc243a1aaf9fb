/*
 * The definitions of the official protocol: those built in, or a schema the
 * operator names.
 */
#pragma once

#include <stddef.h>

struct mcp_definitions;

/**
 * @param source A path, a file:// URI, or an http(s) URL, which is read once; NULL: the built-in
 *               definitions.
 * @param reterr_why What is wrong with it, for people; at most size bytes with the terminator.
 * @return 0 or -errno.
 */
int app_protocol_load(
    const char *source, struct mcp_definitions **ret_definitions, char *reterr_why, size_t size);
