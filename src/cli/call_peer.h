/*
 * The server that answers mcpgate call: one that runs inside this process for a
 * single call, or one that runs elsewhere.
 */
#pragma once

#include <jsv/jsv.h>

struct app_config;
struct cli;

struct call_peer {
    void *self;
    /* Send a JSON-RPC request and append the answer. @return 0, or a reported error. */
    int (*ask)(void *self, struct jsv_str request, struct jsv_buf *reply);
    void (*close)(void *self);
};

/** Start a server with these settings. @return 0, or a reported error. */
int call_local_open(struct cli *cli, const struct app_config *config, struct call_peer *ret_peer);

/**
 * Use a running mcpgate.
 *
 * @param url   Its origin, optionally with /mcp.
 * @param token Bearer token; NULL: none.
 * @return 0, or a reported error.
 */
int call_remote_open(
    struct cli *cli, const char *url, const char *token, struct call_peer *ret_peer);
