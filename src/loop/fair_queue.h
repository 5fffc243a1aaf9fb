/*
 * A limited number of places, shared fairly by connections.
 *
 * Work of one kind, such as running programs, has so many places. An item of
 * work runs when there is a place, else it waits with the others of its
 * connection. Connections are served one after another, so that one with a
 * thousand items delays the first item of another by no more than the time until
 * one of the running ones is over. Even that wait is mostly spared: some extra
 * places are for connections that have nothing running.
 *
 * When too many wait, the connection with most of them loses its newest one to
 * a connection that has fewer.
 *
 * Items are part of what their owner keeps; the queue allocates one record for
 * each connection that has any. For one loop.
 */
#pragma once

#include "loop/loop.h"
#include "os/list.h"

struct loop_fair_client;

struct loop_fair_item {
    enum {
        LOOP_FAIR_OUT,
        LOOP_FAIR_WAITING,
        LOOP_FAIR_RUNNING,
        LOOP_FAIR_DROPPED, /* the owner will be told */
    } state;
    struct loop_fair_client *client;
    struct loop_fair_item *next; /* in the list of its state */
    struct loop_fair_item *previous;
};

struct loop_fair_options {
    struct loop *loop;
    size_t places;             /* of all loops together; at least one for each */
    size_t loops;              /* that share them; 0: one */
    unsigned descriptors_part; /* places are at most this part of the descriptors there may be */
    unsigned extra_part;       /* for connections with nothing running: this part of them more */
    size_t waiting_max;
    /* An item that waited has got a place. */
    void (*start)(struct loop_fair_item *item);
    /* An item that waited has left the queue: its place was given to another connection. */
    void (*dropped)(struct loop_fair_item *item);
};

struct loop_fair_queue {
    struct loop_fair_options options;
    size_t places; /* of this loop */
    size_t extra_places;
    size_t running;
    size_t waiting;
    OS_LIST_OF(struct loop_fair_client) clients; /* the first is served next */
    OS_LIST_OF(struct loop_fair_item) dropped;
    struct loop_deferred serve;
};

/** The queue stays where it is. start() and dropped() are only called by the loop. */
void loop_fair_init(struct loop_fair_queue *queue, const struct loop_fair_options *options);
/** When all items have left it. */
void loop_fair_done(struct loop_fair_queue *queue);

/**
 * Add an item that is out.
 *
 * @param connection Whose it is: any pointer, only compared.
 * @return LOOP_FAIR_RUNNING, to be started by the caller; LOOP_FAIR_WAITING; -EBUSY when too many
 *         wait; -ENOMEM.
 */
int loop_fair_enter(
    struct loop_fair_queue *queue, const void *connection, struct loop_fair_item *item);
/** An item is over or given up, whatever its state. */
void loop_fair_leave(struct loop_fair_queue *queue, struct loop_fair_item *item);
