#include "net/peer.h"

#include <errno.h>
#include <string.h>

#include "core/limits.h"
#include "core/worker.h"
#include "jsv/base/alloc.h"
#include "os/sys.h"
#include "rpc/pool.h"

/* Answers are sent before the end of the round when there are so many: the kernel can begin. */
#define FLUSH_SIZE ((size_t)64 * 1024)

/* What is collected at most: an answer, with its head or as an event, is appended below FLUSH_SIZE.
 */
#define OUTPUT_MAX ((size_t)2 * CORE_REPLY_SIZE_MAX)

/* ---- the steps of a round ---- */

void net_peer_schedule_work(struct net_peer *peer)
{
    loop_defer(peer->loop, LOOP_WORK, &peer->work);
}

void net_peer_schedule_send(struct net_peer *peer)
{
    loop_defer(peer->loop, LOOP_SEND, &peer->send);
}

void net_peer_continue_work(struct net_peer *peer)
{
    loop_defer(peer->loop, LOOP_NEXT_ROUND, &peer->work);
}

bool net_peer_is_working(const struct net_peer *peer)
{
    return peer->work.queued;
}

static void on_work(struct loop_deferred *work)
{
    struct net_peer *peer = os_container_of(work, struct net_peer, work);
    if (!peer->closed) {
        peer->ops->work(peer);
    }
}

/* A closed connection is freed when its work, which finds it closed, is not queued any more. */
static void on_send(struct loop_deferred *send)
{
    struct net_peer *peer = os_container_of(send, struct net_peer, send);
    if (!peer->closed) {
        peer->ops->send(peer);
    } else if (peer->work.queued) {
        loop_defer(peer->loop, LOOP_NEXT_ROUND, &peer->send);
    } else {
        jsv_dealloc(os_allocator(), peer, peer->size);
    }
}

/* ---- opening and closing ---- */

void *net_peer_new(
    size_t size,
    const struct net_peer_options *options,
    const struct net_peer_ops *ops,
    const struct core_conn_ops *conn_ops,
    enum core_transport transport)
{
    struct net_peer *peer = jsv_alloc(os_allocator(), size);
    if (!peer) {
        return NULL;
    }
    memset(peer, 0, size);
    peer->ops = ops;
    peer->size = size;
    peer->loop = core_worker_loop(options->worker);
    peer->pool = core_worker_pool(options->worker);
    peer->active_ms = loop_now_ms(peer->loop);
    peer->is_spare = options->is_spare;
    peer->work.run = on_work;
    peer->send.run = on_send;
    peer->on_closed = options->closed;
    peer->owner = options->owner;
    jsv_buf_init(&peer->output, os_allocator(), OUTPUT_MAX);
    core_conn_init(&peer->conn, conn_ops, options->worker, transport);
    peer->peers = options->peers;
    os_list_prepend(peer->peers, peer);
    return peer;
}

void net_peer_close_output(struct net_peer *peer)
{
    loop_stream_close(peer->out);
    peer->out = NULL;
    peer->peers->unread -= peer->unread;
    peer->unread = 0;
    jsv_buf_done(&peer->output);
}

static void leave(struct net_peer *peer)
{
    core_conn_done(&peer->conn);
    peer->ops->done(peer);
    net_peer_close_output(peer);
    os_list_remove(peer->peers, peer);
}

void net_peer_free(struct net_peer *peer)
{
    leave(peer);
    jsv_dealloc(os_allocator(), peer, peer->size);
}

void net_peer_close(struct net_peer *peer)
{
    if (peer->closed) {
        return;
    }
    peer->closed = true;
    leave(peer);
    net_peer_schedule_send(peer);
    peer->on_closed(peer->owner, peer);
}

void net_peer_break(struct net_peer *peer, int error)
{
    peer->broken = true;
    if (peer->error == 0 && error != -EPIPE && error != -ECONNRESET) {
        peer->error = error;
    }
    net_peer_schedule_send(peer);
}

/* ---- output ---- */

size_t net_peer_queued(const struct net_peer *peer)
{
    return peer->output.size + loop_stream_queued(peer->out);
}

uint64_t net_peer_taken(const struct net_peer *peer)
{
    return peer->sent - loop_stream_queued(peer->out);
}

void net_peer_borrow_output(struct net_peer *peer)
{
    rpc_pool_lend(peer->pool, RPC_POOL_OUTPUT, &peer->output);
}

void net_peer_flush(struct net_peer *peer)
{
    if (peer->output.size == 0 && peer->output.error == 0) {
        return;
    }
    int r = peer->output.error;
    r = r < 0 ? r : loop_stream_write(peer->out, jsv_buf_str(&peer->output));
    if (r < 0) {
        net_peer_break(peer, r);
    } else {
        peer->sent += peer->output.size;
    }
    rpc_pool_take_back(peer->pool, RPC_POOL_OUTPUT, &peer->output);
}

void net_peer_flush_if_large(struct net_peer *peer)
{
    if (peer->output.size >= FLUSH_SIZE) {
        net_peer_flush(peer);
    }
}

/* ---- pushed messages ---- */

static void set_unread(struct net_peer *peer, size_t unread)
{
    peer->peers->unread += unread - peer->unread;
    peer->unread = unread;
}

/*
 * The queue does not say which of its bytes are pushed messages. What the kernel has taken since
 * the last count is taken for pushed messages, so that a client that always reads is not
 * disconnected because its queue is never quite empty.
 */
static void count_unread(struct net_peer *peer)
{
    uint64_t taken = net_peer_taken(peer) - peer->taken_then;
    size_t left = taken < peer->unread ? peer->unread - (size_t)taken : 0;
    size_t queued = net_peer_queued(peer);
    peer->taken_then += taken;
    set_unread(peer, left < queued ? left : queued);
}

static void disconnect_slow_reader(struct net_peer *peer, const char *why)
{
    core_report_slow_reader(&peer->conn, why);
    set_unread(peer, 0);
    net_peer_break(peer, -ENOBUFS);
}

/* @return NULL when no peer has unread notifications. */
static struct net_peer *slowest_reader(const struct net_peers *peers)
{
    struct net_peer *slowest = NULL;
    for (struct net_peer *peer = peers->first; peer; peer = peer->next) {
        if (peer->unread > 0) {
            count_unread(peer);
            slowest = !slowest || peer->unread > slowest->unread ? peer : slowest;
        }
    }
    return slowest && slowest->unread > 0 ? slowest : NULL;
}

static bool is_above_limit(const struct net_peers *peers, size_t more)
{
    return peers->unread_max > 0 && peers->unread + more > peers->unread_max;
}

bool net_peer_may_push(struct net_peer *peer, size_t size)
{
    struct net_peers *peers = peer->peers;
    if (peer->broken) {
        return false;
    }
    count_unread(peer);
    if (peer->unread > 0 && peer->unread + size > CORE_PUSH_QUEUE_MAX) {
        disconnect_slow_reader(
            peer, "disconnected: the client left more than 4 MiB of notifications unread");
        return false;
    }
    struct net_peer *slowest;
    while (is_above_limit(peers, size) && (slowest = slowest_reader(peers)) &&
           is_above_limit(peers, size)) {
        disconnect_slow_reader(
            slowest,
            "disconnected: all clients together left more than 256 MiB of notifications unread, "
            "and this one most of them");
    }
    if (!peer->broken) {
        set_unread(peer, peer->unread + size);
    }
    return !peer->broken;
}

/* ---- making room ---- */

/* The newest is first in the list: of those active in the same millisecond the oldest is found. */
struct net_peer *
net_peers_find_victim(const struct net_peers *peers, enum net_activity at_most, bool is_spare)
{
    struct net_peer *found = NULL;
    enum net_activity lowest = at_most;
    for (struct net_peer *peer = peers->first; peer; peer = peer->next) {
        enum net_activity activity =
            peer->is_spare == is_spare ? peer->ops->activity(peer) : NET_BUSY;
        bool is_better = !found || activity < lowest || peer->active_ms <= found->active_ms;
        if (activity <= lowest && activity != NET_BUSY && is_better) {
            lowest = activity;
            found = peer;
        }
    }
    return found;
}
