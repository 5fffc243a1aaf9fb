/*
 * What the server offers, as its own catalogs show it.
 */
#pragma once

#include "dialect/dialect.h"

struct dialect_prompt;

/** A tool's own version; "unknown" for a program without one, else the version of mcpgate. */
struct jsv_str dialect_tool_version(const struct catalog_tool *tool);

/** "tools":[{toolId, name, title, version, description, inputSchema, outputSchema, …}] */
void dialect_write_tools(struct jsv_writer *writer, const struct catalog *catalog);
/** "arguments":[{name, description, required}] */
void dialect_write_prompt_arguments(struct jsv_writer *writer, const struct dialect_prompt *prompt);
/** "prompts":[{promptId, title, description, arguments}] */
void dialect_write_prompts(struct jsv_writer *writer);

/** "toolId": "mcp.tool:<name>" under another name, or this one. */
void dialect_write_tool_id(
    struct jsv_writer *writer, struct jsv_str name, const struct catalog_tool *tool);

/** "messages":[{"role":"user","content":{"type":"text","text":…}}], as the official protocol has
 * it. */
void dialect_write_prompt_messages(struct jsv_writer *writer, struct jsv_str text);
/** The array of messages alone. */
void dialect_write_user_message(struct jsv_writer *writer, struct jsv_str text);
