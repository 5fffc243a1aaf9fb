/*
 * Where the resources and prompts come from that the official protocol shows.
 * The handlers know how a message looks; a provider knows what there is. The
 * built-in one has the schemas and examples of the catalog and the prompts of
 * prompts.def.
 *
 * What is listed is a matter of the snapshot alone, never of who asks.
 */
#pragma once

#include "dialect/mcp/mcp.h"

/** A prompt that is asked for. */
struct mcp_prompt_call {
    struct dialect_req *req;
    struct jsv_str name;
    struct jsv_value arguments; /* an object of strings */
    struct jsv_value inputs;    /* what the client was asked for, by key; NONE before */
    struct jsv_buf *out;        /* the messages, an array; or questions, as with TOOL_ASK */
};

enum mcp_prompt_step {
    MCP_PROMPT_DONE,
    MCP_PROMPT_ASK,
    MCP_PROMPT_UNKNOWN,
    MCP_PROMPT_INCOMPLETE, /* an argument is missing */
};

/** What could follow the beginning of an argument. */
struct mcp_completion {
    const struct catalog *catalog;
    struct jsv_value
        reference; /* {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…} */
    struct jsv_str argument;
    struct jsv_str beginning;
    struct jsv_writer *values;
    size_t total;
};

/** Offer a value; those with another beginning are left out, and those beyond the first 100. */
void mcp_completion_offer(struct mcp_completion *completion, struct jsv_str value);

struct mcp_provider {
    size_t (*resource_count)(const struct catalog *catalog);
    void (*write_resource)(const struct catalog *catalog, size_t index, struct jsv_writer *writer);
    size_t (*template_count)(void);
    void (*write_template)(size_t index, struct jsv_writer *writer);
    bool (*has_resource)(const struct dialect_req *req, struct jsv_str uri);
    /* The object that goes into "contents"; the resource is there. */
    void (*write_contents)(
        const struct dialect_req *req, struct jsv_str uri, struct jsv_writer *writer);
    /* Whether one is no part of the snapshot: it may be another at any time, and tells what others
       have done. NULL: none is. */
    bool (*is_live)(struct jsv_str uri);
    /* A list of another length is another list. */
    size_t (*prompt_count)(const struct catalog *catalog);
    void (*write_prompt)(
        const struct catalog *catalog,
        size_t index,
        enum mcp_version version,
        struct jsv_writer *writer);
    enum mcp_prompt_step (*get_prompt)(struct mcp_prompt_call *call);
    /* @return whether there is something to complete. */
    bool (*complete)(struct mcp_completion *completion);
};

extern const struct mcp_provider mcp_builtin_provider;

/** The one given, or the built-in one for NULL. */
const struct mcp_provider *mcp_provider_or_builtin(const struct mcp_provider *provider);
