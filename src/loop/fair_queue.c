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
    *item = (struct loop_fair_item){.state = LOOP_FAIR_WAITING, .client = client};
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
    *item = (struct loop_fair_item){.state = LOOP_FAIR_RUNNING, .client = client};
    client->running++;
    queue->running++;
}

static bool has_place(const struct loop_fair_queue *queue, const struct loop_fair_client *client)
{
    size_t places = queue->places + (client->running == 0 ? queue->extra_places : 0);
    return queue->running < places;
}

static void schedule_serve(struct loop_fair_queue *queue)
{
    loop_defer(queue->options.loop, LOOP_NEXT_ROUND, &queue->serve);
}

/* The owner is told later, because it may be the caller of loop_fair_enter(). */
static void drop(struct loop_fair_queue *queue, struct loop_fair_item *item)
{
    loop_fair_leave(queue, item);
    item->state = LOOP_FAIR_DROPPED;
    os_list_append(&queue->dropped, item);
    schedule_serve(queue);
}

/* Make room among the waiting items. @return whether there is any. */
static bool make_room(struct loop_fair_queue *queue, const struct loop_fair_client *client)
{
    if (queue->waiting < queue->options.waiting_max) {
        return true;
    }
    struct loop_fair_client *longest = queue->clients.first;
    for (struct loop_fair_client *other = longest; other; other = other->next) {
        longest = other->waiting > longest->waiting ? other : longest;
    }
    if (!longest || longest->waiting <= client->waiting + 1) {
        return false;
    }
    drop(queue, longest->items.last);
    return true;
}

int loop_fair_enter(
    struct loop_fair_queue *queue, const void *connection, struct loop_fair_item *item)
{
    struct loop_fair_client *client = find_client(queue, connection);
    if (!client) {
        return -ENOMEM;
    }
    /* While a place is free and others wait, they are just about to be started. */
    bool others_are_next = queue->waiting > 0 && queue->running < queue->places;
    bool runs = client->waiting == 0 && !others_are_next && has_place(queue, client);
    if (!runs && !make_room(queue, client)) {
        forget_if_idle(queue, client);
        return -EBUSY;
    }
    (runs ? run : begin_waiting)(queue, client, item);
    return (int)item->state;
}

void loop_fair_leave(struct loop_fair_queue *queue, struct loop_fair_item *item)
{
    struct loop_fair_client *client = item->client;
    switch (item->state) {
    case LOOP_FAIR_OUT:
        return;
    case LOOP_FAIR_WAITING:
        end_waiting(queue, item);
        break;
    case LOOP_FAIR_RUNNING:
        client->running--;
        queue->running--;
        schedule_serve(queue);
        break;
    case LOOP_FAIR_DROPPED:
        os_list_remove(&queue->dropped, item);
        break;
    }
    *item = (struct loop_fair_item){0};
    if (client) {
        forget_if_idle(queue, client);
    }
}

/* Give a free place to an item that waits. @return NULL when there is no such item or place. */
static struct loop_fair_item *next_item(struct loop_fair_queue *queue)
{
    struct loop_fair_client *client = queue->waiting > 0 ? queue->clients.first : NULL;
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

static void serve(struct loop_deferred *deferred)
{
    struct loop_fair_queue *queue = os_container_of(deferred, struct loop_fair_queue, serve);
    struct loop_fair_item *item;
    while ((item = queue->dropped.first)) {
        loop_fair_leave(queue, item);
        queue->options.dropped(item);
    }
    while ((item = next_item(queue))) {
        queue->options.start(item);
    }
}

/* ---- the queue ---- */

void loop_fair_init(struct loop_fair_queue *queue, const struct loop_fair_options *options)
{
    size_t loops = options->loops > 0 ? options->loops : 1;
    uint64_t fitting = os_open_files_max() / options->descriptors_part;
    size_t share = (fitting < options->places ? (size_t)fitting : options->places) / loops;
    size_t places = share > 0 ? share : 1;
    *queue = (struct loop_fair_queue){
        .options = *options,
        .places = places,
        .extra_places = options->extra_part > 0 ? 1 + places / options->extra_part : 0,
        .serve = {.run = serve},
    };
}

void loop_fair_done(struct loop_fair_queue *queue)
{
    assert(!queue->clients.first && !queue->dropped.first);
    loop_cancel(queue->options.loop, &queue->serve);
}
