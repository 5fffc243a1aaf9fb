/*
 * A connection with one message per line, each way: over a socket, or over
 * standard input and output.
 *
 * Everything happens on the loop of the worker.
 */
#pragma once

#include "net/peer.h"

struct net_lines_options {
    struct net_peer_options peer;
    enum core_transport transport;
    int in_fd;
    int out_fd;              /* the same for a socket */
    unsigned write_stall_ms; /* 0: CORE_WRITE_STALL_MS */
    unsigned line_ms;        /* for a line that has begun to end; 0: no limit */
    unsigned drain_ms;       /* for requests in flight when the input is over; 0: no limit */
};

/**
 * Begin to serve a client.
 *
 * The descriptors are taken; should it fail, they have been closed.
 * @return 0; -errno, and closed() will not be called.
 */
int net_lines_open(const struct net_lines_options *options, struct net_peer **ret_peer);
