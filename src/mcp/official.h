/*
 * An official schema provided by an operator: its version, and whether it has
 * all definitions.
 */
#pragma once

#include "mcp/definitions.h"

struct mcp_official_facts {
    enum mcp_version version;
    const char *key; /* the member that holds the definitions: "$defs" or "definitions" */
};

/**
 * Inspect a schema, without compiling it.
 *
 * @return 0; -EBADMSG with the fault; -ENOMEM.
 */
int mcp_official_look(
    const struct mcp_official *official,
    struct mcp_official_facts *ret_facts,
    struct mcp_fault *reterr_fault);

/** Whether a schema's text has a definition. @return 1 or 0; -EBADMSG: not JSON; -ENOMEM. */
int mcp_official_has(struct jsv_str text, const char *key, struct jsv_str name);

/** "<pointer>: <message>", or where the text is not JSON. */
void mcp_fault_from_schema(struct mcp_fault *fault, const struct jsv_error *schema_fault);
