/*
 * The inside of a net, for the files it is made of: thread.c has the loops and
 * what lives on them, net.c the listeners, and starting and stopping all of it.
 */
#pragma once

#include <pthread.h>

#include "loop/stream.h"
#include "net/net.h"
#include "net/peer.h"

/* Sockets to listen on: more than there are kinds of listeners. */
#define NET_LISTENERS_MAX 4

enum net_kind {
    NET_KIND_LINES,
    NET_KIND_HTTP,
};

struct net_listener {
    struct net *net;
    enum net_kind kind;
    struct loop_listener *listener;
};

struct net_thread {
    struct net *net;
    struct loop *loop;
    struct core_worker *worker;
    struct net_peer *peers; /* its connections */
    bool finishing;
    bool done;
    struct catalog *next_catalog; /* atomic; the task is on its way while it is not NULL */
    struct loop_task catalog_task;
    struct loop_task finish_task;
    struct loop_task end_task;
    struct loop_task done_task;
    pthread_t thread;
    bool has_thread;
};

struct net {
    struct net_options options;
    struct net_thread *threads;
    unsigned next_thread;
    unsigned threads_done;
    unsigned connections_max;
    unsigned spares_max;
    unsigned connections; /* atomic */
    unsigned spares;      /* of those for health checks; atomic */
    struct net_listener listeners[NET_LISTENERS_MAX];
    size_t listener_count;
    struct loop_timer *shutdown;
    int stdio_error; /* answers could not be written to standard output; 0: they could */
    bool running;    /* within net_run() */
    enum {
        NET_SERVING,
        NET_FINISHING,
        NET_ENDING,
    } state;
};

/** The thread of the caller's thread, which has the listeners. */
static inline struct net_thread *net_first_thread(const struct net *net)
{
    return &net->threads[0];
}

/** @return 0 or -errno; net_thread_done() is due in either case. */
int net_thread_init(struct net_thread *thread, struct net *net);
/** When its thread has ended. */
void net_thread_done(struct net_thread *thread);

/** A connection is this thread's, if there is a place for it. On the first thread's thread. */
void net_thread_deliver(struct net_thread *thread, enum net_kind kind, int fd);
/** Let it use another snapshot, which is retained. From any thread. */
void net_thread_set_catalog(struct net_thread *thread, struct catalog *catalog);

/** It has no connections left. On the first thread's thread. */
void net_on_thread_done(struct loop_task *task);
