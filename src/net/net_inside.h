/*
 * The inside of a net, for the files it is made of: home.c has the loops and
 * what lives on them, net.c the doors, and starting and stopping all of it.
 */
#pragma once

#include <pthread.h>

#include "loop/stream.h"
#include "net/net.h"
#include "net/peer.h"

/* Sockets to listen on: more than there are kinds of doors. */
#define NET_DOORS_MAX 4

enum net_kind {
    NET_KIND_LINES,
    NET_KIND_HTTP,
};

struct net_door {
    struct net *net;
    enum net_kind kind;
    struct loop_listener *listener;
};

struct net_home {
    struct net *net;
    struct loop *loop;
    struct core_worker *worker;
    struct net_peer *peers; /* its connections */
    bool finishing;
    bool done;
    struct catalog *next_catalog; /* atomic; the letter is on its way while it is not NULL */
    struct loop_letter catalog_letter;
    struct loop_letter finish_letter;
    struct loop_letter end_letter;
    struct loop_letter done_letter;
    pthread_t thread;
    bool has_thread;
};

struct net {
    struct net_options options;
    struct net_home *homes;
    unsigned next_home;
    unsigned homes_done;
    unsigned connections_max;
    unsigned spares_max;
    unsigned connections; /* atomic */
    unsigned spares;      /* of those for health checks; atomic */
    struct net_door doors[NET_DOORS_MAX];
    size_t door_count;
    struct loop_timer *shutdown;
    int stdio_error; /* answers could not be written to standard output; 0: they could */
    bool running;    /* within net_run() */
    enum {
        NET_SERVING,
        NET_FINISHING,
        NET_ENDING,
    } state;
};

/** The home of the caller's thread, which has the doors. */
static inline struct net_home *net_first_home(const struct net *net)
{
    return &net->homes[0];
}

/** @return 0 or -errno; net_home_done() is due in either case. */
int net_home_init(struct net_home *home, struct net *net);
/** When its thread has ended. */
void net_home_done(struct net_home *home);

/** A connection is this home's, if there is a place for it. On the first home's thread. */
void net_home_deliver(struct net_home *home, enum net_kind kind, int fd);
/** Let it use another snapshot, which is retained. From any thread. */
void net_home_set_catalog(struct net_home *home, struct catalog *catalog);

/** It has no connections left. On the first home's thread. */
void net_on_home_done(struct loop_letter *letter);
