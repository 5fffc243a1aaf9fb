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
 */
#include <errno.h>

#include "base/alloc.h"
#include "catalog/catalog.h"
#include "core/limits.h"
#include "net/http.h"
#include "net/lines.h"
#include "net/net_inside.h"
#include "os/sys.h"

/* ---- connections ---- */

static void tell_if_done(struct net_home *home)
{
    if (home->finishing && !home->peers && !home->done) {
        home->done = true;
        loop_post(net_first_home(home->net)->loop, &home->done_letter);
        if (home != net_first_home(home->net)) {
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

void net_release_place(struct net *net)
{
    __atomic_sub_fetch(&net->connections, 1, __ATOMIC_RELAXED);
}

bool net_take_place(struct net *net)
{
    if (__atomic_add_fetch(&net->connections, 1, __ATOMIC_RELAXED) <= CORE_CONNECTIONS_MAX) {
        return true;
    }
    net_release_place(net);
    return false;
}

static void on_peer_closed(void *owner, struct net_peer *peer)
{
    struct net_home *home = owner;
    unlink_peer(home, peer);
    net_release_place(home->net);
    tell_if_done(home);
}

/* The process is there for the peer at its standard input and output. */
static void on_stdio_closed(void *owner, struct net_peer *peer)
{
    struct net_home *home = owner;
    home->net->stdio_error = ((struct net_lines *)peer)->error;
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
    if (r < 0) {
        return r;
    }
    *ret_peer = &lines->peer;
    return 0;
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
        net_release_place(home->net);
        return;
    }
    link_peer(home, peer);
    if (home->finishing) {
        peer->ops->finish(peer);
    }
}

int net_open_stdio(struct net *net, int in_fd, int out_fd)
{
    struct net_home *home = net_first_home(net);
    const struct net_lines_options options = {
        .worker = home->worker,
        .transport = CORE_TRANSPORT_STDIO,
        .in_fd = in_fd,
        .out_fd = out_fd,
        .drain_ms = CORE_SHUTDOWN_MS,
        .closed = on_stdio_closed,
        .owner = home,
    };
    struct net_lines *lines;
    int r = net_lines_open(&options, &lines);
    if (r < 0) {
        return r;
    }
    (void)net_take_place(net);
    link_peer(home, &lines->peer);
    return 0;
}

/* ---- letters ---- */

/* A connection on its way to its home. */
struct net_delivery {
    struct loop_letter letter;
    struct net_home *home;
    enum net_kind kind;
    int fd;
};

static void open_delivery(struct loop_letter *letter)
{
    struct net_delivery *delivery = (struct net_delivery *)letter;
    open_peer(delivery->home, delivery->kind, delivery->fd);
    jsv_dealloc(os_allocator(), delivery, sizeof(*delivery));
}

static void send_delivery(struct net_home *home, enum net_kind kind, int fd)
{
    struct net_delivery *delivery = jsv_alloc(os_allocator(), sizeof(*delivery));
    if (!delivery) {
        os_close(fd);
        net_release_place(home->net);
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

void net_home_deliver(struct net_home *home, enum net_kind kind, int fd)
{
    if (home == net_first_home(home->net)) {
        open_peer(home, kind, fd);
    } else {
        send_delivery(home, kind, fd);
    }
}

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

static void open_catalog(struct loop_letter *letter)
{
    struct net_home *home =
        (struct net_home *)((char *)letter - offsetof(struct net_home, catalog_letter));
    struct catalog *catalog = __atomic_exchange_n(&home->next_catalog, NULL, __ATOMIC_ACQ_REL);
    core_worker_set_catalog(home->worker, catalog);
    catalog_release(catalog);
}

/* A snapshot that has not been looked at yet is replaced, and its letter will do for this one. */
void net_home_set_catalog(struct net_home *home, struct catalog *catalog)
{
    catalog_retain(catalog);
    struct catalog *before = __atomic_exchange_n(&home->next_catalog, catalog, __ATOMIC_ACQ_REL);
    if (before) {
        catalog_release(before);
    } else {
        loop_post(home->loop, &home->catalog_letter);
    }
}

/* ---- beginning and end ---- */

int net_home_init(struct net_home *home, struct net *net)
{
    home->net = net;
    home->catalog_letter.open = open_catalog;
    home->finish_letter.open = open_finish;
    home->end_letter.open = open_end;
    home->done_letter.open = net_on_home_done;
    int r = loop_new(&home->loop);
    return r < 0 ? r
                 : core_worker_new(
                       home->loop, net->options.settings, net->options.catalog, &home->worker);
}

/*
 * The thread has ended, and the loop runs no more: neither events nor timers
 * come between. What other homes have sent is opened, above all connections;
 * then, when these are closed, what that has brought about, so that nothing is
 * left that could look for the worker.
 */
static void settle(struct net_home *home)
{
    (void)loop_round(home->loop);
    while (home->peers) {
        home->peers->ops->close(home->peers);
    }
    while (loop_round(home->loop)) {
        /* loop_round() does the work */
    }
}

void net_home_done(struct net_home *home)
{
    if (home->worker) {
        settle(home);
    }
    core_worker_free(home->worker);
    loop_free(home->loop);
}
