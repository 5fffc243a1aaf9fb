/*
 * A thread runs a loop with a worker and its connections. The first is the
 * thread of the caller: it has the listeners, and deals connections to all
 * threads one after another. Threads talk by tasks, which they post to each
 * other's loops:
 *
 *     first -> other    a connection, another snapshot, "finish", "end"
 *     other -> first    "all my connections are closed"
 *
 * Tasks of one sender run in order, so a connection that was dealt before
 * "finish" is there when that comes.
 *
 * Stopping has two steps: all threads finish what is in flight; those that
 * have not when the time is over, or when asked again, give it up. A thread is
 * done when it is to finish and has no connections. When all are, the net is.
 */
#include "net/net.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "catalog/catalog.h"
#include "core/conn.h"
#include "core/limits.h"
#include "jsv/base/alloc.h"
#include "net/http/http.h"
#include "net/lines.h"
#include "os/sys.h"

/* Sockets to listen on: more than there are kinds of listeners. */
#define LISTENERS_MAX 4

struct net_listener {
    struct net *net;
    enum core_transport transport;
    struct loop_listener *listener;
};

struct net_thread {
    struct net *net;
    struct loop *loop;
    struct core_worker *worker;
    struct net_peers peers;
    bool finishing;
    bool done;
    struct catalog *next_catalog; /* atomic; its task is posted while this is not NULL */
    struct loop_task catalog_task;
    struct loop_task finish_task;
    struct loop_task end_task;
    struct loop_task done_task;
    pthread_t thread;
    bool has_thread;
};

struct net {
    struct net_options options;
    struct net_thread *threads;
    unsigned next_thread;
    unsigned threads_done;
    unsigned connections_max;
    unsigned spares_max;
    unsigned connections; /* atomic */
    unsigned spares;      /* for health checks; atomic */
    struct net_listener listeners[LISTENERS_MAX];
    size_t listener_count;
    struct loop_timer *shutdown;
    int stdio_error;
    bool running; /* within net_run() */
    enum {
        NET_SERVING,
        NET_FINISHING,
        NET_ENDING,
    } state;
};

/* ---- connections ---- */

static void tell_if_done(struct net_thread *thread)
{
    struct net_thread *first = &thread->net->threads[0];
    if (thread->finishing && !thread->peers.first && !thread->done) {
        thread->done = true;
        loop_post(first->loop, &thread->done_task);
        if (thread != first) {
            loop_stop(thread->loop);
        }
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
    release_place(thread->net, peer->is_spare);
    tell_if_done(thread);
}

/* The process serves the client at its standard input and output: it ends with that. */
static void on_stdio_closed(void *owner, struct net_peer *peer)
{
    struct net *net = ((struct net_thread *)owner)->net;
    net->stdio_error = peer->error;
    on_peer_closed(owner, peer);
    if (net->state == NET_SERVING) {
        net_stop(net);
    }
}

static struct net_peer_options peer_options(struct net_thread *thread, bool is_spare)
{
    return (struct net_peer_options){
        .worker = thread->worker,
        .peers = &thread->peers,
        .is_spare = is_spare,
        .closed = on_peer_closed,
        .owner = thread,
    };
}

/* On its thread; the place has been taken. */
static void
open_peer(struct net_thread *thread, enum core_transport transport, int fd, bool is_spare)
{
    struct net_peer *peer;
    const struct net_http_options http = {
        .peer = peer_options(thread, is_spare),
        .settings = thread->net->options.http,
        .fd = fd,
    };
    const struct net_lines_options lines = {
        .peer = peer_options(thread, is_spare),
        .transport = transport,
        .in_fd = fd,
        .out_fd = fd,
        .line_ms = CORE_LINE_MS,
    };
    int r = transport == CORE_TRANSPORT_HTTP ? net_http_open(&http, &peer)
                                             : net_lines_open(&lines, &peer);
    if (r < 0) {
        release_place(thread->net, is_spare);
    } else if (thread->finishing) {
        peer->ops->finish(peer);
    }
}

int net_open_stdio(struct net *net, int in_fd, int out_fd)
{
    struct net_lines_options options = {
        .peer = peer_options(&net->threads[0], false),
        .transport = CORE_TRANSPORT_STDIO,
        .in_fd = in_fd,
        .out_fd = out_fd,
        .drain_ms = CORE_SHUTDOWN_MS,
    };
    options.peer.closed = on_stdio_closed;
    struct net_peer *peer;
    int r = net_lines_open(&options, &peer);
    if (r == 0) {
        (void)take_place(net, false);
    }
    return r;
}

/* ---- room for one more ---- */

/*
 * Take a place. When there is none, a connection makes room that does nothing, or no more than
 * at_most. Only connections of this thread are looked at.
 */
static bool make_place(struct net_thread *thread, enum net_activity at_most, bool is_spare)
{
    if (take_place(thread->net, is_spare)) {
        return true;
    }
    struct net_peer *victim = net_peers_find_victim(&thread->peers, at_most, is_spare);
    if (!victim) {
        return false;
    }
    bool is_idle = victim->ops->activity(victim) == NET_IDLE;
    core_refused(
        thread->worker,
        victim->conn.transport,
        0,
        is_idle ? "closed while idle, to make room for a new connection"
                : "closed while it only listened, to make room for a new connection");
    victim->ops->evict(victim);
    return take_place(thread->net, is_spare);
}

/* A connection on its way to a thread. */
struct delivery {
    struct loop_task task;
    struct net_thread *thread;
    enum core_transport transport;
    int fd;
    unsigned tries; /* on threads that had no place for it */
};

static void take_in(struct delivery delivery);

static void run_delivery(struct loop_task *task)
{
    struct delivery delivery = *(struct delivery *)task;
    jsv_dealloc(os_allocator(), task, sizeof(delivery));
    take_in(delivery);
}

static void send_delivery(struct delivery delivery)
{
    struct delivery *posted = jsv_alloc(os_allocator(), sizeof(*posted));
    if (!posted) {
        os_close(delivery.fd);
        return;
    }
    *posted = delivery;
    posted->task.run = run_delivery;
    loop_post(posted->thread->loop, &posted->task);
}

/*
 * On the delivery's thread. It goes round all threads twice: the first time idle connections make
 * room for it, the second time also those that only listen. A thread that stops passes nothing on,
 * because the others may have ended.
 */
static void take_in(struct delivery delivery)
{
    struct net_thread *thread = delivery.thread;
    struct net *net = thread->net;
    unsigned loops = net->options.loops;
    assert(loops > 0);
    enum net_activity at_most = delivery.tries < loops ? NET_IDLE : NET_LISTENING;
    if (make_place(thread, at_most, false)) {
        open_peer(thread, delivery.transport, delivery.fd, false);
    } else if (delivery.tries + 1 < 2 * loops && !thread->finishing) {
        delivery.tries++;
        bool is_last = thread == &net->threads[loops - 1];
        delivery.thread = is_last ? net->threads : thread + 1;
        (delivery.thread == thread ? take_in : send_delivery)(delivery);
    } else if (delivery.transport == CORE_TRANSPORT_HTTP && make_place(thread, NET_IDLE, true)) {
        open_peer(thread, delivery.transport, delivery.fd, true);
    } else {
        core_refused(thread->worker, delivery.transport, 0, "too many connections");
        os_close(delivery.fd);
    }
}

/* ---- listeners ---- */

static void on_accepted(void *owner, int fd)
{
    const struct net_listener *listener = owner;
    struct net *net = listener->net;
    unsigned index = net->next_thread;
    net->next_thread = (index + 1) % net->options.loops;
    (index == 0 ? take_in : send_delivery)((struct delivery){
        .thread = &net->threads[index],
        .transport = listener->transport,
        .fd = fd,
    });
}

static int open_listener(struct net *net, enum core_transport transport, int fd)
{
    if (net->listener_count == LISTENERS_MAX) {
        return -EMFILE;
    }
    struct net_listener *listener = &net->listeners[net->listener_count];
    *listener = (struct net_listener){.net = net, .transport = transport};
    int r = loop_listen(net_loop(net), fd, on_accepted, listener, &listener->listener);
    if (r == 0) {
        net->listener_count++;
    }
    return r;
}

int net_open_socket(struct net *net, int fd)
{
    return open_listener(net, CORE_TRANSPORT_SOCKET, fd);
}

int net_open_http(struct net *net, int fd)
{
    assert(net->options.http);
    return open_listener(net, CORE_TRANSPORT_HTTP, fd);
}

static void close_listeners(struct net *net)
{
    while (net->listener_count > 0) {
        loop_listener_close(net->listeners[--net->listener_count].listener);
    }
}

/* ---- tasks of a thread ---- */

static void run_finish(struct loop_task *task)
{
    struct net_thread *thread = os_container_of(task, struct net_thread, finish_task);
    thread->finishing = true;
    struct net_peer *next;
    for (struct net_peer *peer = thread->peers.first; peer; peer = next) {
        next = peer->next; /* finishing may close it, when its client is gone */
        peer->ops->finish(peer);
    }
    tell_if_done(thread);
}

static void close_peers(struct net_thread *thread)
{
    while (thread->peers.first) {
        net_peer_close(thread->peers.first);
    }
}

static void run_end(struct loop_task *task)
{
    struct net_thread *thread = os_container_of(task, struct net_thread, end_task);
    thread->finishing = true;
    close_peers(thread);
    tell_if_done(thread);
}

static void run_catalog(struct loop_task *task)
{
    struct net_thread *thread = os_container_of(task, struct net_thread, catalog_task);
    struct catalog *catalog = __atomic_exchange_n(&thread->next_catalog, NULL, __ATOMIC_ACQ_REL);
    core_worker_set_catalog(thread->worker, catalog);
    catalog_release(catalog);
}

/* A snapshot that was not taken yet is replaced, and its task will do for this one. */
void net_set_catalog(struct net *net, struct catalog *catalog)
{
    for (unsigned i = 0; i < net->options.loops; i++) {
        struct net_thread *thread = &net->threads[i];
        struct catalog *before =
            __atomic_exchange_n(&thread->next_catalog, catalog_retain(catalog), __ATOMIC_ACQ_REL);
        if (before) {
            catalog_release(before);
        } else {
            loop_post(thread->loop, &thread->catalog_task);
        }
    }
}

/* On the first thread. */
static void run_done(struct loop_task *task)
{
    struct net_thread *thread = os_container_of(task, struct net_thread, done_task);
    struct net *net = thread->net;
    net->threads_done++;
    if (net->threads_done < net->options.loops || !net->running) {
        return;
    }
    if (net->options.stopped) {
        net->options.stopped(net->options.owner);
    }
    loop_stop(net_loop(net));
}

/* ---- stopping ---- */

static void begin_finishing(struct net *net)
{
    net->state = NET_FINISHING;
    close_listeners(net);
    loop_timer_start(net->shutdown, CORE_SHUTDOWN_MS);
    for (unsigned i = 0; i < net->options.loops; i++) {
        loop_post(net->threads[i].loop, &net->threads[i].finish_task);
    }
}

static void begin_ending(struct net *net)
{
    net->state = NET_ENDING;
    for (unsigned i = 0; i < net->options.loops; i++) {
        loop_post(net->threads[i].loop, &net->threads[i].end_task);
    }
}

void net_stop(struct net *net)
{
    if (net->state == NET_SERVING) {
        begin_finishing(net);
    } else if (net->state == NET_FINISHING) {
        begin_ending(net);
    }
}

static void on_shutdown_over(void *owner)
{
    net_stop(owner);
}

/* ---- beginning and end ---- */

static int thread_init(struct net_thread *thread, struct net *net)
{
    thread->net = net;
    thread->peers.unread_max = CORE_PUSH_QUEUES_MAX / net->options.loops;
    thread->catalog_task.run = run_catalog;
    thread->finish_task.run = run_finish;
    thread->end_task.run = run_end;
    thread->done_task.run = run_done;
    int r = loop_new(&thread->loop);
    return r < 0 ? r
                 : core_worker_new(
                       thread->loop, net->options.settings, net->options.catalog, &thread->worker);
}

/*
 * The thread has ended, and its loop runs no more: neither events nor timers come between. Tasks
 * that other threads have posted run, above all connections. Then, when these are closed, the
 * tasks of that, so that none is left that looks for the worker.
 */
static void thread_done(struct net_thread *thread)
{
    if (thread->worker) {
        thread->finishing = true;
        (void)loop_round(thread->loop);
        close_peers(thread);
        while (loop_round(thread->loop)) {
            /* loop_round() does the work */
        }
    }
    core_worker_free(thread->worker);
    loop_free(thread->loop);
}

/* Threads tell the first one that they are done, so that goes last. */
void net_free(struct net *net)
{
    if (!net) {
        return;
    }
    net->state = NET_ENDING;
    close_listeners(net);
    for (unsigned i = net->threads ? net->options.loops : 0; i > 0; i--) {
        if (i == 1) {
            loop_timer_close(net->shutdown);
        }
        thread_done(&net->threads[i - 1]);
    }
    jsv_dealloc(os_allocator(), net->threads, net->options.loops * sizeof(*net->threads));
    jsv_dealloc(os_allocator(), net, sizeof(*net));
}

/* Descriptors that are neither connections nor of programs and backends: files, loops, listeners.
 */
#define OWN_DESCRIPTORS 16

/*
 * Connections get half of the descriptors. Were there none left, a new connection could not even
 * be accepted, and so none would make room for it.
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
    size_t threads_size = options->loops * sizeof(*net->threads);
    net->threads = jsv_alloc(os_allocator(), threads_size);
    if (!net->threads) {
        net_free(net);
        return -ENOMEM;
    }
    memset(net->threads, 0, threads_size);
    int r = 0;
    for (unsigned i = 0; r == 0 && i < options->loops; i++) {
        r = thread_init(&net->threads[i], net);
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
    return net->threads[0].loop;
}

static void *run_thread(void *argument)
{
    struct net_thread *thread = argument;
    (void)loop_run(thread->loop);
    return NULL;
}

static int start_threads(struct net *net)
{
    for (unsigned i = 1; i < net->options.loops; i++) {
        struct net_thread *thread = &net->threads[i];
        int r = os_thread_start(&thread->thread, run_thread, thread);
        if (r < 0) {
            return r;
        }
        thread->has_thread = true;
    }
    return 0;
}

static void join_threads(struct net *net)
{
    for (unsigned i = 1; i < net->options.loops; i++) {
        if (net->threads[i].has_thread) {
            (void)pthread_join(net->threads[i].thread, NULL);
            net->threads[i].has_thread = false;
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
    /* Not all are done when a thread did not start, or the loop was stopped by another caller. */
    if (net->threads_done < net->options.loops && net->state != NET_ENDING) {
        begin_ending(net);
    }
    join_threads(net);
    return r;
}
