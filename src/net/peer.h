/*
 * What all connections have in common for whoever keeps a list of them.
 */
#pragma once

#include "core/conn.h"

struct net_peer;

struct net_peer_ops {
    /* Take nothing new, send what is in flight, then close. */
    void (*finish)(struct net_peer *peer);
    /* Close now: what is in flight is given up. */
    void (*close)(struct net_peer *peer);
    /* Whether it has nothing in flight and nothing to send; an unfinished message does not count.
     */
    bool (*is_idle)(const struct net_peer *peer);
};

struct net_peer {
    const struct net_peer_ops *ops;
    uint64_t active_ms; /* when its last message was taken, or it was opened; by loop_now_ms() */

    /* The list's own. */
    struct net_peer *previous;
    struct net_peer *next;
    enum core_transport transport;
    bool is_spare; /* it has one of the places for health checks */
};

/* It is over: nothing is left but memory, which is given back by itself. */
typedef void net_peer_closed(void *owner, struct net_peer *peer);
