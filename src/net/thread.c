/*
 * A thread is a loop with what lives on it: its worker and its connections. The
 * first thread is that of the caller's thread and has the listeners; the others have
 * threads. What goes from one thread to another goes as a task:
 *
 *     first -> thread    a connection, another snapshot, "finish", "end"
 *     thread -> first    "all my connections are closed"
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

static void tell_if_done(struct net_thread *thread)
{
    if (thread->finishing && !thread->peers && !thread->done) {
        thread->done = true;
        loop_post(net_first_thread(thread->net)->loop, &thread->done_task);
        if (thread != net_first_thread(thread->net)) {
            loop_stop(thread->loop);
        }
    }
}

static void link_peer(
    struct net_thread *thread, struct net_peer *peer, enum core_transport transport, bool is_spare)
{
    peer->transport = transport;
    peer->is_spare = is_spare;
    peer->next = thread->peers;
    if (thread->peers) {
        thread->peers->previous = peer;
    }
    thread->peers = peer;
}

static void unlink_peer(struct net_thread *thread, struct net_peer *peer)
{
    if (peer->previous) {
        peer->previous->next = peer->next;
    } else {
        thread->peers = peer->next;
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
    struct net_thread *thread = owner;
    unlink_peer(thread, peer);
    release_place(thread->net, peer->is_spare);
    tell_if_done(thread);
}

/* The process is there for the peer at its standard input and output. */
static void on_stdio_closed(void *owner, struct net_peer *peer)
{
    struct net_thread *thread = owner;
    thread->net->stdio_error = ((struct net_lines *)peer)->error;
    on_peer_closed(owner, peer);
    if (thread->net->state == NET_SERVING) {
        net_stop(thread->net);
    }
}

static int open_lines(struct net_thread *thread, int fd, struct net_peer **ret_peer)
{
    const struct net_lines_options options = {
        .worker = thread->worker,
        .transport = CORE_TRANSPORT_SOCKET,
        .in_fd = fd,
        .out_fd = fd,
        .line_ms = CORE_LINE_MS,
        .closed = on_peer_closed,
        .owner = thread,
    };
    struct net_lines *lines;
    int r = net_lines_open(&options, &lines);
    if (r < 0) {
        return r;
    }
    *ret_peer = &lines->peer;
    return 0;
}

static int open_http(struct net_thread *thread, int fd, bool is_spare, struct net_peer **ret_peer)
{
    const struct net_http_options options = {
        .worker = thread->worker,
        .settings = thread->net->options.http,
        .fd = fd,
        .health_only = is_spare,
        .closed = on_peer_closed,
        .owner = thread,
    };
    return net_http_open(&options, ret_peer);
}

static enum core_transport transport_of(enum net_kind kind)
{
    return kind == NET_KIND_HTTP ? CORE_TRANSPORT_HTTP : CORE_TRANSPORT_SOCKET;
}

/* On the thread's thread; the place has been taken. */
static void open_peer(struct net_thread *thread, enum net_kind kind, int fd, bool is_spare)
{
    struct net_peer *peer;
    int r = kind == NET_KIND_HTTP ? open_http(thread, fd, is_spare, &peer)
                                  : open_lines(thread, fd, &peer);
    if (r < 0) {
        release_place(thread->net, is_spare);
        return;
    }
    link_peer(thread, peer, transport_of(kind), is_spare);
    if (thread->finishing) {
        peer->ops->finish(peer);
    }
}

int net_open_stdio(struct net *net, int in_fd, int out_fd)
{
    struct net_thread *thread = net_first_thread(net);
    const struct net_lines_options options = {
        .worker = thread->worker,
        .transport = CORE_TRANSPORT_STDIO,
        .in_fd = in_fd,
        .out_fd = out_fd,
        .drain_ms = CORE_SHUTDOWN_MS,
        .closed = on_stdio_closed,
        .owner = thread,
    };
    struct net_lines *lines;
    int r = net_lines_open(&options, &lines);
    if (r < 0) {
        return r;
    }
    (void)take_place(net, false);
    link_peer(thread, &lines->peer, CORE_TRANSPORT_STDIO, false);
    return 0;
}

/* ---- room for one more ---- */

/* The list has the newest first; of those active in the same millisecond the oldest goes. */
static struct net_peer *longest_idle(const struct net_thread *thread, bool is_spare)
{
    struct net_peer *found = NULL;
    for (struct net_peer *peer = thread->peers; peer; peer = peer->next) {
        bool is_earlier = !found || peer->active_ms <= found->active_ms;
        if (peer->is_spare == is_spare && is_earlier && peer->ops->is_idle(peer)) {
            found = peer;
        }
    }
    return found;
}

/*
 * Take a place; when there is none, that of the connection that has been idle for longest.
 * Connections of the thread's own loop are looked at, which has its share of all.
 */
static bool make_place(struct net_thread *thread, bool is_spare)
{
    if (take_place(thread->net, is_spare)) {
        return true;
    }
    struct net_peer *idle = longest_idle(thread, is_spare);
    if (!idle) {
        return false;
    }
    core_refused(
        thread->worker, idle->transport, 0, "closed while idle, to make room for a new connection");
    idle->ops->close(idle);
    return take_place(thread->net, is_spare);
}

/* ---- tasks ---- */

/* A connection on its way to a thread. */
struct net_delivery {
    struct loop_task task;
    struct net_thread *thread;
    enum net_kind kind;
    int fd;
    unsigned tried; /* threads that had no place for it */
};

static void take_in(struct net_thread *thread, enum net_kind kind, int fd, unsigned tried);

static void run_delivery(struct loop_task *task)
{
    struct net_delivery delivery = *(struct net_delivery *)task;
    jsv_dealloc(os_allocator(), task, sizeof(delivery));
    take_in(delivery.thread, delivery.kind, delivery.fd, delivery.tried);
}

static void send_delivery(struct net_thread *thread, enum net_kind kind, int fd, unsigned tried)
{
    struct net_delivery *delivery = jsv_alloc(os_allocator(), sizeof(*delivery));
    if (!delivery) {
        os_close(fd);
        return;
    }
    *delivery = (struct net_delivery){
        .task = {.run = run_delivery},
        .thread = thread,
        .kind = kind,
        .fd = fd,
        .tried = tried,
    };
    loop_post(thread->loop, &delivery->task);
}

static struct net_thread *next_thread(const struct net_thread *thread)
{
    const struct net *net = thread->net;
    return &net->threads[(size_t)(thread - net->threads + 1) % net->options.loops];
}

/*
 * On the thread's thread. When all connections here are busy, those of the next thread may not be;
 * one that stops passes nothing on, because the others may have ended.
 */
static void take_in(struct net_thread *thread, enum net_kind kind, int fd, unsigned tried)
{
    if (make_place(thread, false)) {
        open_peer(thread, kind, fd, false);
    } else if (tried + 1 < thread->net->options.loops && !thread->finishing) {
        send_delivery(next_thread(thread), kind, fd, tried + 1);
    } else if (kind == NET_KIND_HTTP && make_place(thread, true)) {
        open_peer(thread, kind, fd, true);
    } else {
        core_refused(thread->worker, transport_of(kind), 0, "too many connections");
        os_close(fd);
    }
}

void net_thread_deliver(struct net_thread *thread, enum net_kind kind, int fd)
{
    if (thread == net_first_thread(thread->net)) {
        take_in(thread, kind, fd, 0);
    } else {
        send_delivery(thread, kind, fd, 0);
    }
}

static void run_finish(struct loop_task *task)
{
    struct net_thread *thread =
        (struct net_thread *)((char *)task - offsetof(struct net_thread, finish_task));
    thread->finishing = true;
    for (struct net_peer *peer = thread->peers; peer; peer = peer->next) {
        peer->ops->finish(peer);
    }
    tell_if_done(thread);
}

static void run_end(struct loop_task *task)
{
    struct net_thread *thread =
        (struct net_thread *)((char *)task - offsetof(struct net_thread, end_task));
    thread->finishing = true;
    while (thread->peers) {
        thread->peers->ops->close(thread->peers);
    }
    tell_if_done(thread);
}

static void run_catalog(struct loop_task *task)
{
    struct net_thread *thread =
        (struct net_thread *)((char *)task - offsetof(struct net_thread, catalog_task));
    struct catalog *catalog = __atomic_exchange_n(&thread->next_catalog, NULL, __ATOMIC_ACQ_REL);
    core_worker_set_catalog(thread->worker, catalog);
    catalog_release(catalog);
}

/* A snapshot that has not been looked at yet is replaced, and its task will do for this one. */
void net_thread_set_catalog(struct net_thread *thread, struct catalog *catalog)
{
    catalog_retain(catalog);
    struct catalog *before = __atomic_exchange_n(&thread->next_catalog, catalog, __ATOMIC_ACQ_REL);
    if (before) {
        catalog_release(before);
    } else {
        loop_post(thread->loop, &thread->catalog_task);
    }
}

/* ---- beginning and end ---- */

int net_thread_init(struct net_thread *thread, struct net *net)
{
    thread->net = net;
    thread->catalog_task.run = run_catalog;
    thread->finish_task.run = run_finish;
    thread->end_task.run = run_end;
    thread->done_task.run = net_on_thread_done;
    int r = loop_new(&thread->loop);
    return r < 0 ? r
                 : core_worker_new(
                       thread->loop, net->options.settings, net->options.catalog, &thread->worker);
}

/*
 * The thread has ended, and the loop runs no more: neither events nor timers
 * come between. What other threads have sent is opened, above all connections;
 * then, when these are closed, what that has brought about, so that nothing is
 * left that could look for the worker.
 */
static void settle(struct net_thread *thread)
{
    thread->finishing = true;
    (void)loop_round(thread->loop);
    while (thread->peers) {
        thread->peers->ops->close(thread->peers);
    }
    while (loop_round(thread->loop)) {
        /* loop_round() does the work */
    }
}

void net_thread_done(struct net_thread *thread)
{
    if (thread->worker) {
        settle(thread);
    }
    core_worker_free(thread->worker);
    loop_free(thread->loop);
}
