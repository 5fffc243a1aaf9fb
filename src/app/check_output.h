/*
 * A verdict on an MCP message as a line of JSON:
 *
 *     {"ok":true,"kind":"request","method":"tools/list","definition":"ListToolsRequest"}
 *     {"ok":false,"layer":"mcp","code":-32602,"errors":[{"path":"/params","msg":"…"}]}
 */
#pragma once

#include <jsv/jsv.h>

struct mcp_verdict;

/** Append a line. Failure sticks to the buffer. */
void check_output_write(const struct mcp_verdict *verdict, struct jsv_buf *out);
