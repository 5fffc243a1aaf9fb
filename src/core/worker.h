/*
 * What the pipeline needs on one loop: reader, validator, scratch memory, unused
 * requests, the catalog. Loops share only the settings and the catalog, which is
 * an immutable snapshot.
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
    struct mcp_definitions *definitions; /* of MCP; shared by all loops */
    struct log *log;                     /* NULL: messages are not logged */
    struct core_sessions *sessions;      /* of HTTP clients; shared by all loops */
    const struct mcp_provider *provider; /* of resources and prompts; NULL: built-in */
    struct envelope_schemas *envelopes;  /* for checking envelopes; shared by all loops */
    bool is_private; /* HTTP clients need a token, so shared caches must not keep answers */
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
/** Buffers for the worker's connections. */
struct rpc_pool *core_worker_pool(struct core_worker *worker);
/** NULL when messages are not logged. */
struct log *core_worker_log(const struct core_worker *worker);
/** Requests from now on see this catalog, which is retained. On the worker's thread. */
void core_worker_set_catalog(struct core_worker *worker, struct catalog *catalog);
