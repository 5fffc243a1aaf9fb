/*
 * Where the resources and prompts of the official protocol come from. Handlers
 * know the format of messages; a provider knows the content. The built-in one
 * (builtin.c) has the schemas and examples of the catalog as resources, and the
 * prompts of prompts.def.
 *
 * Lists depend on the catalog alone, never on the client.
 */
#pragma once

#include "dialect/mcp/mcp.h"

/** A call of prompts/get. */
struct mcp_prompt_call {
    struct dialect_req *req;
    struct jsv_str name;
    struct jsv_value arguments; /* an object of strings */
    struct jsv_value inputs;    /* answers of the client, by key; NONE before */
    struct jsv_buf *out;        /* the array of messages, or questions as with TOOL_ASK */
};

enum mcp_prompt_step {
    MCP_PROMPT_DONE,
    MCP_PROMPT_ASK,
    MCP_PROMPT_UNKNOWN,
    MCP_PROMPT_INCOMPLETE, /* an argument is missing */
};

/** A call of completion/complete. */
struct mcp_completion {
    const struct catalog *catalog;
    struct jsv_value
        reference; /* {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…} */
    struct jsv_str argument;
    struct jsv_str prefix; /* of the values to offer */
    struct jsv_writer *values;
    size_t total;
};

/** Offer a value. Values without the prefix, and those beyond the first 100, are not listed. */
void mcp_completion_offer(struct mcp_completion *completion, struct jsv_str value);

struct mcp_provider {
    size_t (*resource_count)(const struct catalog *catalog);
    void (*write_resource)(const struct catalog *catalog, size_t index, struct jsv_writer *writer);
    size_t (*template_count)(void);
    void (*write_template)(size_t index, struct jsv_writer *writer);
    bool (*has_resource)(const struct dialect_req *req, struct jsv_str uri);
    /* Write the object for "contents" of a resource that exists. */
    void (*write_contents)(
        const struct dialect_req *req, struct jsv_str uri, struct jsv_writer *writer);
    /* Whether a resource is not part of the catalog, so it may change at any time and must not be
       cached. NULL: none is. */
    bool (*is_live)(struct jsv_str uri);
    /* The list of prompts has changed when its length has. */
    size_t (*prompt_count)(const struct catalog *catalog);
    void (*write_prompt)(
        const struct catalog *catalog,
        size_t index,
        enum mcp_version version,
        struct jsv_writer *writer);
    enum mcp_prompt_step (*get_prompt)(struct mcp_prompt_call *call);
    /* @return whether the reference is known. */
    bool (*complete)(struct mcp_completion *completion);
};

extern const struct mcp_provider mcp_builtin_provider;

/** The one given, or the built-in one for NULL. */
const struct mcp_provider *mcp_provider_or_builtin(const struct mcp_provider *provider);

/* ---- the built-in resources ---- */

/* Names are percent-encoded in URIs, except for the slashes of a path. */
#define MCP_SCHEMAS_PREFIX  "mcpgate://schemas/"  /* {name} */
#define MCP_EXAMPLES_PREFIX "mcpgate://examples/" /* {+path} */
#define MCP_DIAGNOSTICS_URI "mcpgate://diagnostics"

struct mcp_resource {
    struct jsv_str prefix;
    struct jsv_str name; /* decoded: what follows the prefix */
    struct jsv_str text;
};

/** Whether a URI is that of the latest mismatches, as GET /diagnostics returns them. */
bool mcp_is_diagnostics(struct jsv_str uri);

/* Schemas first, then examples, each in the catalog's order. */
size_t mcp_resource_count(const struct catalog *catalog);
struct mcp_resource mcp_resource_at(const struct catalog *catalog, size_t index);

/** @return whether there is a resource of that URI. */
bool mcp_resource_find(
    const struct catalog *catalog,
    struct jsv_arena *scratch,
    struct jsv_str uri,
    struct mcp_resource *ret_resource);
