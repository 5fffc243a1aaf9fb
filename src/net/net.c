/*
 * Doors let connections in, which are dealt to the homes in turn (home.c).
 *
 * Stopping has two steps: all homes finish what is in flight; those that have
 * not when the time is over, or when asked again, give it up. A home is done
 * when it is to finish and has no connections. When all are, the net is.
 */
#include "net/net.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "core/conn.h"
#include "core/limits.h"
#include "jsv/base/alloc.h"
#include "net/net_inside.h"
#include "os/sys.h"

/* ---- doors ---- */

static void on_accepted(void *owner, int fd)
{
    const struct net_door *door = owner;
    struct net *net = door->net;
    struct net_home *home = &net->homes[net->next_home];
    net->next_home = (net->next_home + 1) % net->options.loops;
    net_home_deliver(home, door->kind, fd);
}

static int open_door(struct net *net, enum net_kind kind, int fd)
{
    if (net->door_count == NET_DOORS_MAX) {
        return -EMFILE;
    }
    struct net_door *door = &net->doors[net->door_count];
    *door = (struct net_door){.net = net, .kind = kind};
    int r = loop_listen(net_loop(net), fd, on_accepted, door, &door->listener);
    if (r < 0) {
        return r;
    }
    net->door_count++;
    return 0;
}

int net_open_socket(struct net *net, int fd)
{
    return open_door(net, NET_KIND_LINES, fd);
}

int net_open_http(struct net *net, int fd)
{
    assert(net->options.http);
    return open_door(net, NET_KIND_HTTP, fd);
}

static void close_doors(struct net *net)
{
    while (net->door_count > 0) {
        loop_listener_close(net->doors[--net->door_count].listener);
    }
}

/* ---- stopping ---- */

/* On the first home's thread. */
void net_on_home_done(struct loop_letter *letter)
{
    struct net_home *home =
        (struct net_home *)((char *)letter - offsetof(struct net_home, done_letter));
    struct net *net = home->net;
    net->homes_done++;
    if (net->homes_done < net->options.loops || !net->running) {
        return;
    }
    if (net->options.stopped) {
        net->options.stopped(net->options.owner);
    }
    loop_stop(net_loop(net));
}

static void begin_finishing(struct net *net)
{
    net->state = NET_FINISHING;
    close_doors(net);
    loop_timer_start(net->shutdown, CORE_SHUTDOWN_MS);
    for (unsigned i = 0; i < net->options.loops; i++) {
        loop_post(net->homes[i].loop, &net->homes[i].finish_letter);
    }
}

static void begin_ending(struct net *net)
{
    net->state = NET_ENDING;
    for (unsigned i = 0; i < net->options.loops; i++) {
        loop_post(net->homes[i].loop, &net->homes[i].end_letter);
    }
}

void net_stop(struct net *net)
{
    switch (net->state) {
    case NET_SERVING:
        begin_finishing(net);
        break;
    case NET_FINISHING:
        begin_ending(net);
        break;
    case NET_ENDING:
        break;
    }
}

static void on_shutdown_over(void *owner)
{
    net_stop(owner);
}

void net_set_catalog(struct net *net, struct catalog *catalog)
{
    for (unsigned i = 0; i < net->options.loops; i++) {
        net_home_set_catalog(&net->homes[i], catalog);
    }
}

/* ---- the whole ---- */

/* Homes tell the first one that they are done, so that goes last. */
void net_free(struct net *net)
{
    if (!net) {
        return;
    }
    net->state = NET_ENDING;
    close_doors(net);
    for (unsigned i = net->homes ? net->options.loops : 0; i > 0; i--) {
        if (i == 1) {
            loop_timer_close(net->shutdown);
        }
        net_home_done(&net->homes[i - 1]);
    }
    jsv_dealloc(os_allocator(), net->homes, net->options.loops * sizeof(*net->homes));
    jsv_dealloc(os_allocator(), net, sizeof(*net));
}

/* Descriptors that are neither connections nor of programs and backends: files, loops, doors. */
#define OWN_DESCRIPTORS 16

/*
 * Connections get half of the descriptors. Were there none left, a new connection could not even
 * be accepted, and so none that is idle would make room for it.
 */
static void set_limits(struct net *net)
{
    uint64_t half = os_open_files_max() / 2;
    uint64_t fitting = half > OWN_DESCRIPTORS ? half - OWN_DESCRIPTORS : 1;
    net->connections_max =
        fitting < CORE_CONNECTIONS_MAX ? (unsigned)fitting : CORE_CONNECTIONS_MAX;
    unsigned spares = 1 + net->connections_max / 16;
    net->spares_max = spares < CORE_SPARE_CONNECTIONS_MAX ? spares : CORE_SPARE_CONNECTIONS_MAX;
}

int net_new(const struct net_options *options, struct net **ret_net)
{
    assert(options->loops > 0);
    struct net *net = jsv_alloc(os_allocator(), sizeof(*net));
    if (!net) {
        return -ENOMEM;
    }
    *net = (struct net){.options = *options};
    set_limits(net);
    size_t homes_size = options->loops * sizeof(*net->homes);
    net->homes = jsv_alloc(os_allocator(), homes_size);
    if (!net->homes) {
        net_free(net);
        return -ENOMEM;
    }
    memset(net->homes, 0, homes_size);
    int r = 0;
    for (unsigned i = 0; r == 0 && i < options->loops; i++) {
        r = net_home_init(&net->homes[i], net);
    }
    if (r == 0) {
        r = loop_timer_new(net_loop(net), on_shutdown_over, net, &net->shutdown);
    }
    if (r < 0) {
        net_free(net);
        return r;
    }
    *ret_net = net;
    return 0;
}

struct loop *net_loop(const struct net *net)
{
    return net_first_home(net)->loop;
}

static void *run_home(void *argument)
{
    struct net_home *home = argument;
    (void)loop_run(home->loop);
    return NULL;
}

static int start_threads(struct net *net)
{
    for (unsigned i = 1; i < net->options.loops; i++) {
        struct net_home *home = &net->homes[i];
        int r = os_thread_start(&home->thread, run_home, home);
        if (r < 0) {
            return r;
        }
        home->has_thread = true;
    }
    return 0;
}

static void join_threads(struct net *net)
{
    for (unsigned i = 1; i < net->options.loops; i++) {
        if (net->homes[i].has_thread) {
            (void)pthread_join(net->homes[i].thread, NULL);
            net->homes[i].has_thread = false;
        }
    }
}

int net_stdio_error(const struct net *net)
{
    return net->stdio_error;
}

int net_run(struct net *net)
{
    int r = start_threads(net);
    if (r == 0) {
        net->running = true;
        r = loop_run(net_loop(net));
        net->running = false;
    }
    /* Unless all are done: a thread did not start, or somebody else stopped the loop. */
    if (net->homes_done < net->options.loops && net->state != NET_ENDING) {
        begin_ending(net);
    }
    join_threads(net);
    return r;
}
