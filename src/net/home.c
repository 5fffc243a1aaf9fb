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

#include "catalog/catalog.h"
#include "core/limits.h"
#include "jsv/base/alloc.h"
#include "net/http/http.h"
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

static void link_peer(
    struct net_home *home, struct net_peer *peer, enum core_transport transport, bool is_spare)
{
    peer->transport = transport;
    peer->is_spare = is_spare;
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

static void release_place(struct net *net, bool is_spare)
{
    __atomic_sub_fetch(is_spare ? &net->spares : &net->connections, 1, __ATOMIC_RELAXED);
}

/* @return whether there was one. */
static bool take_place(struct net *net, bool is_spare)
{
    unsigned *taken = is_spare ? &net->spares : &net->connections;
    unsigned most = is_spare ? net->spares_max : net->connections_max;
    if (__atomic_add_fetch(taken, 1, __ATOMIC_RELAXED) <= most) {
        return true;
    }
    release_place(net, is_spare);
    return false;
}

static void on_peer_closed(void *owner, struct net_peer *peer)
{
    struct net_home *home = owner;
    unlink_peer(home, peer);
    release_place(home->net, peer->is_spare);
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
        .line_ms = CORE_LINE_MS,
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

static int open_http(struct net_home *home, int fd, bool is_spare, struct net_peer **ret_peer)
{
    const struct net_http_options options = {
        .worker = home->worker,
        .settings = home->net->options.http,
        .fd = fd,
        .health_only = is_spare,
        .closed = on_peer_closed,
        .owner = home,
    };
    return net_http_open(&options, ret_peer);
}

static enum core_transport transport_of(enum net_kind kind)
{
    return kind == NET_KIND_HTTP ? CORE_TRANSPORT_HTTP : CORE_TRANSPORT_SOCKET;
}

/* On the home's thread; the place has been taken. */
static void open_peer(struct net_home *home, enum net_kind kind, int fd, bool is_spare)
{
    struct net_peer *peer;
    int r =
        kind == NET_KIND_HTTP ? open_http(home, fd, is_spare, &peer) : open_lines(home, fd, &peer);
    if (r < 0) {
        release_place(home->net, is_spare);
        return;
    }
    link_peer(home, peer, transport_of(kind), is_spare);
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
    (void)take_place(net, false);
    link_peer(home, &lines->peer, CORE_TRANSPORT_STDIO, false);
    return 0;
}

/* ---- room for one more ---- */

/* The list has the newest first; of those active in the same millisecond the oldest goes. */
static struct net_peer *longest_idle(const struct net_home *home, bool is_spare)
{
    struct net_peer *found = NULL;
    for (struct net_peer *peer = home->peers; peer; peer = peer->next) {
        bool is_earlier = !found || peer->active_ms <= found->active_ms;
        if (peer->is_spare == is_spare && is_earlier && peer->ops->is_idle(peer)) {
            found = peer;
        }
    }
    return found;
}

/*
 * Take a place; when there is none, that of the connection that has been idle for longest.
 * Connections of the home's own loop are looked at, which has its share of all.
 */
static bool make_place(struct net_home *home, bool is_spare)
{
    if (take_place(home->net, is_spare)) {
        return true;
    }
    struct net_peer *idle = longest_idle(home, is_spare);
    if (!idle) {
        return false;
    }
    core_refused(
        home->worker, idle->transport, 0, "closed while idle, to make room for a new connection");
    idle->ops->close(idle);
    return take_place(home->net, is_spare);
}

/* ---- letters ---- */

/* A connection on its way to a home. */
struct net_delivery {
    struct loop_letter letter;
    struct net_home *home;
    enum net_kind kind;
    int fd;
    unsigned tried; /* homes that had no place for it */
};

static void take_in(struct net_home *home, enum net_kind kind, int fd, unsigned tried);

static void open_delivery(struct loop_letter *letter)
{
    struct net_delivery delivery = *(struct net_delivery *)letter;
    jsv_dealloc(os_allocator(), letter, sizeof(delivery));
    take_in(delivery.home, delivery.kind, delivery.fd, delivery.tried);
}

static void send_delivery(struct net_home *home, enum net_kind kind, int fd, unsigned tried)
{
    struct net_delivery *delivery = jsv_alloc(os_allocator(), sizeof(*delivery));
    if (!delivery) {
        os_close(fd);
        return;
    }
    *delivery = (struct net_delivery){
        .letter = {.open = open_delivery},
        .home = home,
        .kind = kind,
        .fd = fd,
        .tried = tried,
    };
    loop_post(home->loop, &delivery->letter);
}

static struct net_home *next_home(const struct net_home *home)
{
    const struct net *net = home->net;
    return &net->homes[(size_t)(home - net->homes + 1) % net->options.loops];
}

/*
 * On the home's thread. When all connections here are busy, those of the next home may not be;
 * one that stops passes nothing on, because the others may have ended.
 */
static void take_in(struct net_home *home, enum net_kind kind, int fd, unsigned tried)
{
    if (make_place(home, false)) {
        open_peer(home, kind, fd, false);
    } else if (tried + 1 < home->net->options.loops && !home->finishing) {
        send_delivery(next_home(home), kind, fd, tried + 1);
    } else if (kind == NET_KIND_HTTP && make_place(home, true)) {
        open_peer(home, kind, fd, true);
    } else {
        core_refused(home->worker, transport_of(kind), 0, "too many connections");
        os_close(fd);
    }
}

void net_home_deliver(struct net_home *home, enum net_kind kind, int fd)
{
    if (home == net_first_home(home->net)) {
        take_in(home, kind, fd, 0);
    } else {
        send_delivery(home, kind, fd, 0);
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
    home->finishing = true;
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
