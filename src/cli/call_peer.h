/*
 * Who answers the messages of `mcpgate call`: a server that runs inside this
 * process for one call (call_local.c), or one that runs elsewhere
 * (call_remote.c).
 */
#pragma once

#include <jsv/jsv.h>

struct app_cli;
struct app_config;

struct call_peer {
    void *self;
    /* Append the answer to one JSON-RPC request. @return 0, or an error that has been reported. */
    int (*ask)(void *self, struct jsv_str request, struct jsv_buf *reply);
    void (*close)(void *self);
};

/** Read what would be served, by the same settings. @return 0, or a reported error. */
int call_local_open(
    struct app_cli *cli, const struct app_config *config, struct call_peer *ret_peer);

/**
 * @param url   Address of a running mcpgate: its origin, or that with /mcp.
 * @param token Bearer token; NULL: none.
 * @return 0, or a reported error.
 */
int call_remote_open(
    struct app_cli *cli, const char *url, const char *token, struct call_peer *ret_peer);
