/*
 * A version's schema out of the embedded files. The first file has all
 * definitions of the oldest version, each later one what differs: a definition
 * replaces the one before it, null takes it away.
 */
#pragma once

#include "mcp/versions.h"

/** Append the schema, with the definitions below $defs. @return 0; -ENOMEM; or the buffer's error.
 */
int mcp_assemble(enum mcp_version version, struct jsv_buf *out);
