/*
 * What all connections have in common for whoever keeps a list of them.
 */
#pragma once

struct net_peer;

struct net_peer_ops {
    /* Take nothing new, send what is in flight, then close. */
    void (*finish)(struct net_peer *peer);
    /* Close now: what is in flight is given up. */
    void (*close)(struct net_peer *peer);
};

struct net_peer {
    const struct net_peer_ops *ops;
    struct net_peer *previous;
    struct net_peer *next;
};

/* It is over: nothing is left but memory, which is given back by itself. */
typedef void net_peer_closed(void *owner, struct net_peer *peer);
