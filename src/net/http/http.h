/*
 * A connection of HTTP/1.1, one request after another. Requests that are not
 * allowed are refused here; the others go to the pipeline, whose answers become
 * responses or events of a stream.
 *
 * Everything happens on the loop of the worker.
 */
#pragma once

#include "core/conn.h"
#include "loop/stream.h"
#include "net/http/guard.h"
#include "net/peer.h"

struct net_http;

/** Time limits in milliseconds. */
struct net_http_times {
    unsigned idle;        /* between requests */
    unsigned head;        /* once its first byte has come */
    unsigned body;        /* all of it */
    unsigned keepalive;   /* between two comments of a stream without events */
    unsigned write_stall; /* for the client to read anything of the queue */
    unsigned linger;      /* for the client to read the last response */
};

/** The same for all connections of a process. */
struct net_http_settings {
    struct net_http_guard guard;
    const struct jsv_str *authorization_servers; /* for RFC 9728; may be none */
    size_t authorization_server_count;
    const struct net_http_times *times; /* NULL: those of core/limits.def */
};

struct net_http_options {
    struct net_peer_options peer;             /* is_spare: only health checks are answered */
    const struct net_http_settings *settings; /* must outlive the connection */
    int fd;                                   /* taken; closed also when opening fails */
};

/** Begin to serve a client. @return 0; -errno, and closed() will not be called. */
int net_http_open(const struct net_http_options *options, struct net_peer **ret_peer);
