/*
 * A verdict on an MCP message as a line of JSON:
 *
 *     {"ok":true,"kind":"request","method":"tools/list","definition":"ListToolsRequest"}
 *     {"ok":false,"layer":"mcp","code":-32602,"errors":[{"path":"/params","msg":"…"}]}
 *
 * or, if there is something wrong with it, as lines for people:
 *
 *     session.jsonl:7: tools/call: /params/name: expected string (mcp, -32602)
 */
#pragma once

#include <jsv/jsv.h>

struct mcp_verdict;

/** Append a line. Failure sticks to the buffer. */
void check_output_write(const struct mcp_verdict *verdict, struct jsv_buf *out);
/** Append a line for each problem, none for a valid message. */
void check_output_write_text(
    const char *name, size_t line, const struct mcp_verdict *verdict, struct jsv_buf *out);
