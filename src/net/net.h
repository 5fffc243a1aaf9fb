/*
 * The listeners of the process, and the loops that serve their connections.
 *
 * The first loop runs on the thread that calls net_run(). It has the listeners,
 * deals connections to all loops one after another, and handles signals and
 * reloads. Each other loop has a thread of its own. A connection stays on its
 * loop.
 */
#pragma once

#include "core/worker.h"

struct catalog;
struct loop;
struct net;
struct net_http_settings;

struct net_options {
    unsigned loops;                       /* at least 1 */
    const struct core_settings *settings; /* must outlive the net */
    struct catalog *catalog;
    const struct net_http_settings *http; /* must outlive the net; NULL: no HTTP */
    /* All listeners are closed and all work is done, because standard input ended or net_stop() was
       called. On the first loop, before net_run() returns. May be NULL. */
    void (*stopped)(void *owner);
    void *owner;
};

/** @return 0 or -errno. */
int net_new(const struct net_options *options, struct net **ret_net);
/** After net_run(), or instead of it. Accepts NULL. */
void net_free(struct net *net);

/** Serve one client over two descriptors; the net stops when it is done. @return 0 or -errno. */
int net_open_stdio(struct net *net, int in_fd, int out_fd);
/** Take connections from a listening Unix socket, which is closed with it. @return 0 or -errno. */
int net_open_socket(struct net *net, int fd);
/** The same for HTTP, on a listening TCP socket. */
int net_open_http(struct net *net, int fd);

/** Serve until stopped. @return 0 or -errno. */
int net_run(struct net *net);
/**
 * After net_run(): why answers to standard output were lost, unless its reader hung up.
 * @return 0; -ETIMEDOUT when they were not read for CORE_WRITE_STALL_MS; -errno.
 */
int net_stdio_error(const struct net *net);

/**
 * Stop taking connections and frames, finish what is in flight (at most
 * CORE_SHUTDOWN_MS), send it, close. A second call ends at once. On the first loop.
 */
void net_stop(struct net *net);
/** Let all loops use another snapshot, which is retained. On the first loop. */
void net_set_catalog(struct net *net, struct catalog *catalog);
/** The first loop. */
struct loop *net_loop(const struct net *net);
