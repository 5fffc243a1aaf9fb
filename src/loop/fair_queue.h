/*
 * A limited number of places, shared fairly by connections.
 *
 * Work of one kind, such as running programs, has so many places. An item of
 * work runs when there is a place, else it waits with the others of its
 * connection. Connections are served in turn, so that one with a thousand
 * items delays the first item of another by no more than the time until one of
 * those that run is over. Even that wait is mostly spared: some extra places
 * are for connections that have nothing running.
 *
 * When too many wait, the connection with most of them loses its newest one to
 * a connection that has fewer.
 *
 * Items are part of what their owner keeps; the queue allocates one record for
 * each connection that has any. For one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "os/list.h"

struct loop_fair_client;

struct loop_fair_item {
    struct loop_fair_client *client; /* NULL: neither waits nor runs */
    struct loop_fair_item *next;     /* of its client's that wait */
    struct loop_fair_item *previous;
    bool is_running;
};

struct loop_fair_queue {
    size_t places;
    size_t extra_places; /* for connections with nothing running */
    size_t waiting_max;
    size_t running;
    size_t waiting;
    OS_LIST_OF(struct loop_fair_client) clients; /* the first is served next */
};

enum loop_fair_entry {
    LOOP_FAIR_WAITS,
    LOOP_FAIR_RUNS,
};

/** @param places At least 1. */
void loop_fair_init(
    struct loop_fair_queue *queue, size_t places, size_t extra_places, size_t waiting_max);

/**
 * Add an item.
 *
 * @param connection  Whose it is: any pointer, only compared.
 * @param ret_dropped An item that waited and lost its place to this one; NULL: none did. It has
 * left the queue. Not set on failure.
 * @return enum loop_fair_entry; -EBUSY when too many wait; -ENOMEM.
 */
int loop_fair_enter(
    struct loop_fair_queue *queue,
    const void *connection,
    struct loop_fair_item *item,
    struct loop_fair_item **ret_dropped);

/** An item is over or given up; then call loop_fair_next() until it returns NULL. */
void loop_fair_leave(struct loop_fair_queue *queue, struct loop_fair_item *item);

/** Give a free place to an item that waits. @return the item, to be started; NULL: none. */
struct loop_fair_item *loop_fair_next(struct loop_fair_queue *queue);
