/*
 * Schemas and examples as resources of the protocol:
 *
 *     mcpgate://schemas/{name}      mcpgate://examples/{+path}
 *
 * Names are percent-encoded in URIs, slashes of a path are not.
 */
#pragma once

#include "catalog/catalog.h"

struct mcp_resource {
    struct jsv_str prefix;
    struct jsv_str name; /* decoded: what follows the prefix */
    struct jsv_str text;
};

#define MCP_SCHEMAS_PREFIX  "mcpgate://schemas/"
#define MCP_EXAMPLES_PREFIX "mcpgate://examples/"

/* The latest messages that did not fit, as GET /diagnostics has them. */
#define MCP_DIAGNOSTICS_URI "mcpgate://diagnostics"

bool mcp_is_diagnostics(struct jsv_str uri);

/* Schemas first, then examples, each in the catalog's order. */
size_t mcp_resource_count(const struct catalog *catalog);
struct mcp_resource mcp_resource_at(const struct catalog *catalog, size_t index);

/** @return whether there is one of that URI. */
bool mcp_resource_find(
    const struct catalog *catalog,
    struct jsv_arena *scratch,
    struct jsv_str uri,
    struct mcp_resource *ret_resource);
/** Append the URI, percent-encoded. */
void mcp_resource_append_uri(struct jsv_buf *out, const struct mcp_resource *resource);
