/*
 * Doors let connections in, which are dealt to the threads in turn (thread.c).
 *
 * Stopping has two steps: all threads finish what is in flight; those that have
 * not when the time is over, or when asked again, give it up. A thread is done
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

/* ---- listeners ---- */

static void on_accepted(void *owner, int fd)
{
    const struct net_listener *listener = owner;
    struct net *net = listener->net;
    struct net_thread *thread = &net->threads[net->next_thread];
    net->next_thread = (net->next_thread + 1) % net->options.loops;
    net_thread_deliver(thread, listener->kind, fd);
}

static int open_listener(struct net *net, enum net_kind kind, int fd)
{
    if (net->listener_count == NET_LISTENERS_MAX) {
        return -EMFILE;
    }
    struct net_listener *listener = &net->listeners[net->listener_count];
    *listener = (struct net_listener){.net = net, .kind = kind};
    int r = loop_listen(net_loop(net), fd, on_accepted, listener, &listener->listener);
    if (r < 0) {
        return r;
    }
    net->listener_count++;
    return 0;
}

int net_open_socket(struct net *net, int fd)
{
    return open_listener(net, NET_KIND_LINES, fd);
}

int net_open_http(struct net *net, int fd)
{
    assert(net->options.http);
    return open_listener(net, NET_KIND_HTTP, fd);
}

static void close_listeners(struct net *net)
{
    while (net->listener_count > 0) {
        loop_listener_close(net->listeners[--net->listener_count].listener);
    }
}

/* ---- stopping ---- */

/* On the first thread's thread. */
void net_on_thread_done(struct loop_task *task)
{
    struct net_thread *thread =
        (struct net_thread *)((char *)task - offsetof(struct net_thread, done_task));
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
        net_thread_set_catalog(&net->threads[i], catalog);
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
    close_listeners(net);
    for (unsigned i = net->threads ? net->options.loops : 0; i > 0; i--) {
        if (i == 1) {
            loop_timer_close(net->shutdown);
        }
        net_thread_done(&net->threads[i - 1]);
    }
    jsv_dealloc(os_allocator(), net->threads, net->options.loops * sizeof(*net->threads));
    jsv_dealloc(os_allocator(), net, sizeof(*net));
}

/* Descriptors that are neither connections nor of programs and backends: files, loops, listeners.
 */
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
    size_t threads_size = options->loops * sizeof(*net->threads);
    net->threads = jsv_alloc(os_allocator(), threads_size);
    if (!net->threads) {
        net_free(net);
        return -ENOMEM;
    }
    memset(net->threads, 0, threads_size);
    int r = 0;
    for (unsigned i = 0; r == 0 && i < options->loops; i++) {
        r = net_thread_init(&net->threads[i], net);
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
    return net_first_thread(net)->loop;
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
    /* Unless all are done: a thread did not start, or somebody else stopped the loop. */
    if (net->threads_done < net->options.loops && net->state != NET_ENDING) {
        begin_ending(net);
    }
    join_threads(net);
    return r;
}
