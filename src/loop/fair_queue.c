#include "loop/fair_queue.h"

#include <assert.h>
#include <errno.h>

#include "jsv/base/alloc.h"
#include "os/sys.h"

/* A connection that has items. */
struct loop_fair_client {
    const void *connection;
    struct loop_fair_client *next;
    struct loop_fair_client *previous;
    OS_LIST_OF(struct loop_fair_item) items; /* that wait, the oldest first */
    size_t waiting;
    size_t running;
};

void loop_fair_init(
    struct loop_fair_queue *queue, size_t places, size_t extra_places, size_t waiting_max)
{
    assert(places > 0);
    *queue = (struct loop_fair_queue){
        .places = places,
        .extra_places = extra_places,
        .waiting_max = waiting_max,
    };
}

/* ---- clients ---- */

/* The one of a connection; NULL when memory ran out. */
static struct loop_fair_client *find_client(struct loop_fair_queue *queue, const void *connection)
{
    struct loop_fair_client *client = queue->clients.first;
    while (client && client->connection != connection) {
        client = client->next;
    }
    if (!client) {
        client = jsv_alloc(os_allocator(), sizeof(*client));
        if (client) {
            *client = (struct loop_fair_client){.connection = connection};
            os_list_append(&queue->clients, client);
        }
    }
    return client;
}

static void forget_if_idle(struct loop_fair_queue *queue, struct loop_fair_client *client)
{
    if (client->waiting == 0 && client->running == 0) {
        os_list_remove(&queue->clients, client);
        jsv_dealloc(os_allocator(), client, sizeof(*client));
    }
}

/* ---- items ---- */

static void begin_waiting(
    struct loop_fair_queue *queue, struct loop_fair_client *client, struct loop_fair_item *item)
{
    *item = (struct loop_fair_item){.client = client};
    os_list_append(&client->items, item);
    client->waiting++;
    queue->waiting++;
}

static void end_waiting(struct loop_fair_queue *queue, struct loop_fair_item *item)
{
    struct loop_fair_client *client = item->client;
    os_list_remove(&client->items, item);
    client->waiting--;
    queue->waiting--;
}

static void
run(struct loop_fair_queue *queue, struct loop_fair_client *client, struct loop_fair_item *item)
{
    *item = (struct loop_fair_item){.client = client, .is_running = true};
    client->running++;
    queue->running++;
}

static bool has_place(const struct loop_fair_queue *queue, const struct loop_fair_client *client)
{
    size_t places = queue->places + (client->running == 0 ? queue->extra_places : 0);
    return queue->running < places;
}

/* Make room among those that wait. @return whether there is any. */
static bool make_room(
    struct loop_fair_queue *queue,
    const struct loop_fair_client *client,
    struct loop_fair_item **ret_dropped)
{
    if (queue->waiting < queue->waiting_max) {
        return true;
    }
    struct loop_fair_client *longest = queue->clients.first;
    for (struct loop_fair_client *other = longest; other; other = other->next) {
        longest = other->waiting > longest->waiting ? other : longest;
    }
    if (!longest || longest->waiting <= client->waiting + 1) {
        return false;
    }
    *ret_dropped = longest->items.last;
    loop_fair_leave(queue, longest->items.last);
    return true;
}

int loop_fair_enter(
    struct loop_fair_queue *queue,
    const void *connection,
    struct loop_fair_item *item,
    struct loop_fair_item **ret_dropped)
{
    struct loop_fair_client *client = find_client(queue, connection);
    if (!client) {
        return -ENOMEM;
    }
    struct loop_fair_item *dropped = NULL;
    /* While a place is free and others wait, they are just about to be started. */
    bool others_are_next = queue->waiting > 0 && queue->running < queue->places;
    bool runs = client->waiting == 0 && !others_are_next && has_place(queue, client);
    if (!runs && !make_room(queue, client, &dropped)) {
        forget_if_idle(queue, client);
        return -EBUSY;
    }
    *ret_dropped = dropped;
    (runs ? run : begin_waiting)(queue, client, item);
    return runs ? LOOP_FAIR_RUNS : LOOP_FAIR_WAITS;
}

void loop_fair_leave(struct loop_fair_queue *queue, struct loop_fair_item *item)
{
    struct loop_fair_client *client = item->client;
    if (item->is_running) {
        client->running--;
        queue->running--;
    } else {
        end_waiting(queue, item);
    }
    *item = (struct loop_fair_item){0};
    forget_if_idle(queue, client);
}

struct loop_fair_item *loop_fair_next(struct loop_fair_queue *queue)
{
    if (queue->waiting == 0 || queue->running >= queue->places + queue->extra_places) {
        return NULL;
    }
    struct loop_fair_client *client = queue->clients.first;
    while (client && (client->waiting == 0 || !has_place(queue, client))) {
        client = client->next;
    }
    if (!client) {
        return NULL;
    }
    struct loop_fair_item *item = client->items.first;
    end_waiting(queue, item);
    run(queue, client, item);
    os_list_remove(&queue->clients, client); /* it comes after all others now */
    os_list_append(&queue->clients, client);
    return item;
}
