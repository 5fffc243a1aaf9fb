/*
 * What the corridor needs on one loop: reader, validator, scratch memory,
 * requests to be used again, the snapshot in use. Nothing here is shared with
 * other loops but the snapshot, which is immutable, and the settings.
 */
#pragma once

#include <jsv/jsv.h>

#include "tools/tool.h"

struct catalog;
struct core_sessions;
struct core_worker;
struct envelope_schemas;
struct log;
struct loop;
struct mcp_definitions;
struct mcp_provider;

struct core_settings {
    struct tool_settings tools;
    struct mcp_definitions *definitions; /* of the official protocol; shared by all loops */
    struct log *log;                     /* NULL: nothing is kept of messages */
    struct core_sessions *sessions;      /* of HTTP clients; shared by all loops */
    const struct mcp_provider *provider; /* of resources and prompts; NULL: the built-in one */
    struct envelope_schemas *envelopes;  /* what envelopes are checked with; shared by all loops */
    bool is_private; /* HTTP clients need a token: nobody may pass on what we answer */
};

/** @param settings Must outlive the worker. @return 0 or -errno. */
int core_worker_new(
    struct loop *loop,
    const struct core_settings *settings,
    struct catalog *catalog,
    struct core_worker **ret_worker);
/** After its last connection is done. Accepts NULL. */
void core_worker_free(struct core_worker *worker);

struct loop *core_worker_loop(const struct core_worker *worker);
/** Memory for the worker's connections. */
struct rpc_pool *core_worker_pool(struct core_worker *worker);
/** What is kept of messages; NULL when nothing is. */
struct log *core_worker_log(const struct core_worker *worker);
/** Requests from now on see this snapshot, which is retained. On the worker's thread. */
void core_worker_set_catalog(struct core_worker *worker, struct catalog *catalog);
