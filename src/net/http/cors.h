/*
 * Pages of other origins (CORS, in the Fetch standard). A browser lets such a page send anything
 * but the simplest requests, and read the answers, only when we say so. We say so to pages whose
 * origin the operator lists (MCPGATE_ALLOWED_ORIGINS), and to no others.
 */
#pragma once

#include "net/http/route.h"

/** Whether a browser asks what a page may send: OPTIONS with Access-Control-Request-Method. */
bool net_http_cors_is_preflight(const struct net_http_head *head);

/** Headers of any answer to a page that may read it. @param origin As the request has it. */
void net_http_cors_write(struct jsv_buf *out, struct jsv_str origin);
/** More headers, of the answer to a preflight. */
void net_http_cors_write_preflight(
    struct jsv_buf *out, const struct net_http_head *head, enum net_http_route route);
