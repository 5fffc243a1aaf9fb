/*
 * An official schema that an operator hands over: which version it is of, and
 * whether it has all that is needed.
 */
#pragma once

#include "mcp/definitions.h"

/** What was found out about a schema. */
struct mcp_official_facts {
    enum mcp_version version;
    const char *key; /* the member that holds the definitions: "$defs" or "definitions" */
};

/**
 * Look at a schema. Whether its definitions can be compiled is another question.
 *
 * @return 0; -EBADMSG with the fault; -ENOMEM.
 */
int mcp_official_look(
    const struct mcp_official *official,
    struct mcp_official_facts *ret_facts,
    struct mcp_fault *reterr_fault);

/** Whether a schema's text has a definition. @return 1 or 0; -EBADMSG: no JSON; -ENOMEM. */
int mcp_official_has(struct jsv_str text, const char *key, struct jsv_str name);

/** "<pointer>: <message>", or where the text is no JSON. */
void mcp_fault_from_schema(struct mcp_fault *fault, const struct jsv_error *schema_fault);
