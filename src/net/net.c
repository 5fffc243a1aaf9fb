/*
 * A home is a loop with what lives on it: its worker and its connections. The
 * first home is that of the caller's thread and has the doors; the others have
 * threads. What goes from one home to another goes as a letter:
 *
 *     first -> home    a connection, another snapshot, "finish", "end"
 *     home -> first    "all my connections are closed"
 *
 * Letters from one sender arrive in order, so a connection that was dealt
 * before "finish" is there when it comes.
 *
 * Stopping has two steps: all homes finish what is in flight; those that have
 * not when the time is over, or when asked again, give it up. A home is done
 * when it is to finish and has no connections. When all are, the net is.
 */
#include "net/net.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "catalog/catalog.h"
#include "core/limits.h"
#include "loop/stream.h"
#include "net/http.h"
#include "net/lines.h"
#include "os/sys.h"

/* Sockets to listen on: more than there are kinds of doors. */
#define DOORS_MAX 4

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
    unsigned connections; /* atomic */
    struct net_door doors[DOORS_MAX];
    size_t door_count;
    struct loop_timer *shutdown;
    bool running; /* within net_run() */
    enum {
        NET_SERVING,
        NET_FINISHING,
        NET_ENDING,
    } state;
};

/* A connection on its way to its home. */
struct net_delivery {
    struct loop_letter letter;
    struct net_home *home;
    enum net_kind kind;
    int fd;
};

static struct net_home *first_home(const struct net *net)
{
    return &net->homes[0];
}

/* ---- a home's connections ---- */

static void tell_if_done(struct net_home *home)
{
    if (home->finishing && !home->peers && !home->done) {
        home->done = true;
        loop_post(first_home(home->net)->loop, &home->done_letter);
        if (home != first_home(home->net)) {
            loop_stop(home->loop);
        }
    }
}

static void link_peer(struct net_home *home, struct net_peer *peer)
{
    peer->next = home->peers;
    if (home->peers) {
        home->peers->previous = peer;
    }
    home->peers = peer;
}

static void unlink_peer(struct net_home *home, struct net_peer *peer)
{
    if (peer->previous) {
        peer->previous->next = peer->next;
    } else {
        home->peers = peer->next;
    }
    if (peer->next) {
        peer->next->previous = peer->previous;
    }
}

static void release_place(struct net *net)
{
    __atomic_sub_fetch(&net->connections, 1, __ATOMIC_RELAXED);
}

static void on_peer_closed(void *owner, struct net_peer *peer)
{
    struct net_home *home = owner;
    unlink_peer(home, peer);
    release_place(home->net);
    tell_if_done(home);
}

/* The process is there for the peer at its standard input and output. */
static void on_stdio_closed(void *owner, struct net_peer *peer)
{
    struct net_home *home = owner;
    on_peer_closed(owner, peer);
    if (home->net->state == NET_SERVING) {
        net_stop(home->net);
    }
}

static int open_lines(struct net_home *home, int fd, struct net_peer **ret_peer)
{
    const struct net_lines_options options = {
        .worker = home->worker,
        .transport = CORE_TRANSPORT_SOCKET,
        .in_fd = fd,
        .out_fd = fd,
        .closed = on_peer_closed,
        .owner = home,
    };
    struct net_lines *lines;
    int r = net_lines_open(&options, &lines);
    if (r == 0) {
        *ret_peer = &lines->peer;
    }
    return r;
}

static int open_http(struct net_home *home, int fd, struct net_peer **ret_peer)
{
    const struct net_http_options options = {
        .worker = home->worker,
        .settings = home->net->options.http,
        .fd = fd,
        .closed = on_peer_closed,
        .owner = home,
    };
    return net_http_open(&options, ret_peer);
}

/* On the home's thread; the place has been taken. */
static void open_peer(struct net_home *home, enum net_kind kind, int fd)
{
    struct net_peer *peer;
    int r = kind == NET_KIND_HTTP ? open_http(home, fd, &peer) : open_lines(home, fd, &peer);
    if (r < 0) {
        release_place(home->net);
        return;
    }
    link_peer(home, peer);
    if (home->finishing) {
        peer->ops->finish(peer);
    }
}

/* ---- doors ---- */

static void open_delivery(struct loop_letter *letter)
{
    struct net_delivery *delivery = (struct net_delivery *)letter;
    open_peer(delivery->home, delivery->kind, delivery->fd);
    jsv_dealloc(os_allocator(), delivery, sizeof(*delivery));
}

static bool take_place(struct net *net)
{
    if (__atomic_add_fetch(&net->connections, 1, __ATOMIC_RELAXED) <= CORE_CONNECTIONS_MAX) {
        return true;
    }
    release_place(net);
    return false;
}

static void deliver(struct net_home *home, enum net_kind kind, int fd)
{
    struct net_delivery *delivery = jsv_alloc(os_allocator(), sizeof(*delivery));
    if (!delivery) {
        os_close(fd);
        release_place(home->net);
        return;
    }
    *delivery = (struct net_delivery){
        .letter = {.open = open_delivery},
        .home = home,
        .kind = kind,
        .fd = fd,
    };
    loop_post(home->loop, &delivery->letter);
}

static void on_accepted(void *owner, int fd)
{
    const struct net_door *door = owner;
    struct net *net = door->net;
    if (!take_place(net)) {
        os_close(fd);
        return;
    }
    struct net_home *home = &net->homes[net->next_home];
    net->next_home = (net->next_home + 1) % net->options.loops;
    if (home == first_home(net)) {
        open_peer(home, door->kind, fd);
    } else {
        deliver(home, door->kind, fd);
    }
}

int net_open_stdio(struct net *net, int in_fd, int out_fd)
{
    struct net_home *home = first_home(net);
    const struct net_lines_options options = {
        .worker = home->worker,
        .transport = CORE_TRANSPORT_STDIO,
        .in_fd = in_fd,
        .out_fd = out_fd,
        .closed = on_stdio_closed,
        .owner = home,
    };
    struct net_lines *lines;
    int r = net_lines_open(&options, &lines);
    if (r < 0) {
        return r;
    }
    (void)take_place(net);
    link_peer(home, &lines->peer);
    return 0;
}

static int open_door(struct net *net, enum net_kind kind, int fd)
{
    if (net->door_count == DOORS_MAX) {
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

static void open_finish(struct loop_letter *letter)
{
    struct net_home *home =
        (struct net_home *)((char *)letter - offsetof(struct net_home, finish_letter));
    home->finishing = true;
    for (struct net_peer *peer = home->peers; peer; peer = peer->next) {
        peer->ops->finish(peer);
    }
    tell_if_done(home);
}

static void open_end(struct loop_letter *letter)
{
    struct net_home *home =
        (struct net_home *)((char *)letter - offsetof(struct net_home, end_letter));
    home->finishing = true;
    while (home->peers) {
        home->peers->ops->close(home->peers);
    }
    tell_if_done(home);
}

/* On the first home's thread. */
static void open_done(struct loop_letter *letter)
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

/* ---- snapshots ---- */

static void open_catalog(struct loop_letter *letter)
{
    struct net_home *home =
        (struct net_home *)((char *)letter - offsetof(struct net_home, catalog_letter));
    struct catalog *catalog = __atomic_exchange_n(&home->next_catalog, NULL, __ATOMIC_ACQ_REL);
    core_worker_set_catalog(home->worker, catalog);
    catalog_release(catalog);
}

/* A snapshot that has not been looked at yet is replaced, and its letter will do for this one. */
static void send_catalog(struct net_home *home, struct catalog *catalog)
{
    catalog_retain(catalog);
    struct catalog *before = __atomic_exchange_n(&home->next_catalog, catalog, __ATOMIC_ACQ_REL);
    if (before) {
        catalog_release(before);
    } else {
        loop_post(home->loop, &home->catalog_letter);
    }
}

void net_set_catalog(struct net *net, struct catalog *catalog)
{
    for (unsigned i = 0; i < net->options.loops; i++) {
        send_catalog(&net->homes[i], catalog);
    }
}

/* ---- the whole ---- */

static int home_init(struct net_home *home, struct net *net)
{
    home->net = net;
    home->catalog_letter.open = open_catalog;
    home->finish_letter.open = open_finish;
    home->end_letter.open = open_end;
    home->done_letter.open = open_done;
    int r = loop_new(&home->loop);
    return r < 0 ? r
                 : core_worker_new(
                       home->loop, net->options.settings, net->options.catalog, &home->worker);
}

/* The last letter of a loop. */
struct net_farewell {
    struct loop_letter letter;
    struct loop *loop;
};

static void open_farewell(struct loop_letter *letter)
{
    loop_stop(((struct net_farewell *)letter)->loop);
}

/* Let a home, whose thread has ended, open what has come since. */
static void open_rest(struct net_home *home)
{
    struct net_farewell farewell = {.letter = {.open = open_farewell}, .loop = home->loop};
    loop_post(home->loop, &farewell.letter);
    (void)loop_run(home->loop);
}

static void home_done(struct net_home *home)
{
    if (home->worker) {
        open_rest(home);
    }
    while (home->peers) {
        home->peers->ops->close(home->peers);
    }
    core_worker_free(home->worker);
    loop_free(home->loop);
}

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
        home_done(&net->homes[i - 1]);
    }
    jsv_dealloc(os_allocator(), net->homes, net->options.loops * sizeof(*net->homes));
    jsv_dealloc(os_allocator(), net, sizeof(*net));
}

int net_new(const struct net_options *options, struct net **ret_net)
{
    assert(options->loops > 0);
    struct net *net = jsv_alloc(os_allocator(), sizeof(*net));
    if (!net) {
        return -ENOMEM;
    }
    *net = (struct net){.options = *options};
    size_t homes_size = options->loops * sizeof(*net->homes);
    net->homes = jsv_alloc(os_allocator(), homes_size);
    if (!net->homes) {
        net_free(net);
        return -ENOMEM;
    }
    memset(net->homes, 0, homes_size);
    int r = 0;
    for (unsigned i = 0; r == 0 && i < options->loops; i++) {
        r = home_init(&net->homes[i], net);
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
    return first_home(net)->loop;
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
