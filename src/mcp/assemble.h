/*
 * Assembling the schema of a protocol version from the embedded files. The first
 * file has all definitions of the oldest version. Each later file has changes: a
 * definition replaces the older one, null removes it.
 */
#pragma once

#include "mcp/versions.h"

/** Append the schema, with the definitions below $defs. @return 0; -ENOMEM; or the buffer's error.
 */
int mcp_assemble(enum mcp_version version, struct jsv_buf *out);
