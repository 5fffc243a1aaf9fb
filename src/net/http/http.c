/*
 * Bytes become requests, one at a time: the next request is read when the
 * response to the one before is written. Responses of one round of the loop go
 * out in one write. The memory of a request is shared by all connections of the
 * loop, unless the request has to wait for its answer or for more input.
 *
 * After a response that leaves bytes of its request unread, closing at once
 * would make the kernel reset the connection, and the client would lose the
 * response. So our direction is closed first, and input is dropped for a while.
 */
#include "net/http/http.h"

#include <assert.h>
#include <errno.h>

#include "core/limits.h"
#include "core/worker.h"
#include "jsv/base/alloc.h"
#include "net/http/conn.h"
#include "os/sys.h"
#include "rpc/pool.h"

/* Read at a time; a request usually fits. */
#define READ_SIZE ((size_t)16 * 1024)

/* Bytes read ahead; then reading stops. */
#define INPUT_MAX ((size_t)64 * 1024)

/*
 * The same while a request is being answered. A client that leaves is noticed only when all its
 * bytes are read, because the end of the connection (FIN) comes behind them.
 */
#define INPUT_AHEAD_MAX ((size_t)256 * 1024)

/* ---- memory ---- */

static void borrow(struct net_http *http)
{
    rpc_pool_lend(http->peer.pool, RPC_POOL_HEAD, &http->reader.text);
    rpc_pool_lend(http->peer.pool, RPC_POOL_BODY, &http->reader.data);
}

/* The request is over, and no longer used. */
static void give_back_request(struct net_http *http)
{
    net_http_reader_next(&http->reader);
    rpc_pool_take_back(http->peer.pool, RPC_POOL_BODY, &http->reader.data);
    rpc_pool_take_back(http->peer.pool, RPC_POOL_HEAD, &http->reader.text);
}

static void give_back_used_input(struct net_http *http)
{
    if (http->input_used == http->input.size) {
        rpc_pool_take_back(http->peer.pool, RPC_POOL_INPUT, &http->input);
        http->input_used = 0;
    }
}

/* ---- out ---- */

void net_http_request_over(struct net_http *http)
{
    http->peer.active_ms = loop_now_ms(http->peer.loop);
    http->peer.conn.http = NULL;
    http->waiting_for = NET_HTTP_FOR_NOTHING; /* the next one has its own time */
    http->match.route = NET_HTTP_ROUTE_NONE;
    http->is_cross_origin = false;
    if (http->state != NET_HTTP_LAST) {
        http->state = NET_HTTP_READING;
        give_back_request(http);
    }
    net_peer_schedule_send(&http->peer);
}

/* ---- in ---- */

static struct jsv_str unused_input(const struct net_http *http)
{
    size_t used = http->input_used;
    return (struct jsv_str){http->input.data + used, http->input.size - used};
}

static void on_refused(struct net_http *http)
{
    unsigned status = net_http_refusal_status(http->reader.refusal);
    if (status == 413) {
        net_http_on_too_large(http);
    } else {
        net_http_respond_refusal(http, status, net_http_refusal_text(http->reader.refusal));
    }
}

/* @return whether there may be more to report. */
static bool feed(struct net_http *http)
{
    struct jsv_str input = unused_input(http);
    size_t before = input.size;
    if (before > 0) {
        borrow(http);
    }
    int event = net_http_reader_feed(&http->reader, &input);
    http->input_used += before - input.size;
    switch (event) {
    case NET_HTTP_EVENT_HEAD:
        net_http_on_head(http);
        return true;
    case NET_HTTP_EVENT_COMPLETE:
        net_http_on_request(http);
        return true;
    case NET_HTTP_EVENT_REFUSED:
        on_refused(http);
        return false;
    case NET_HTTP_EVENT_MORE:
        return false;
    default:
        http->peer.broken = true;
        return false;
    }
}

/* Whether there are bytes to read, or a request has begun. */
static bool has_requests(const struct net_http *http)
{
    return http->input_used < http->input.size || http->reader.phase != NET_HTTP_PHASE_IDLE;
}

static bool takes_requests(const struct net_http *http)
{
    return http->state == NET_HTTP_READING && !http->peer.broken && has_requests(http);
}

static bool has_room_to_send(const struct net_http *http)
{
    return net_peer_queued(&http->peer) <= CORE_SEND_QUEUE_MAX;
}

static bool may_go_on(const struct net_http *http)
{
    return has_room_to_send(http) && core_conn_has_time(&http->peer.conn);
}

/* A request that is not over keeps the input buffer it is in; the buffer for copied heads becomes
   the input buffer. */
static void keep_request(struct net_http *http)
{
    struct jsv_str rest = unused_input(http);
    rpc_pool_exchange(&http->input, &http->reader.text);
    http->reader.in_place = false;
    http->input_used = 0;
    jsv_buf_reset(&http->input);
    if (jsv_buf_append_str(&http->input, rest) < 0) {
        http->peer.broken = true;
    }
}

static void take_requests(struct net_http *http)
{
    core_conn_begin_round(&http->peer.conn);
    while (takes_requests(http) && may_go_on(http) && feed(http)) {
        /* feed() does the work */
    }
    http->more = takes_requests(http) && !may_go_on(http);
    if (http->reader.in_place) {
        keep_request(http);
    }
    give_back_used_input(http);
}

static bool is_being_answered(const struct net_http *http)
{
    return http->state == NET_HTTP_STREAM || http->state == NET_HTTP_ASKED;
}

static bool wants_bytes(const struct net_http *http)
{
    size_t size_max = is_being_answered(http) ? INPUT_AHEAD_MAX : INPUT_MAX;
    return !http->ended && http->state != NET_HTTP_LAST && http->input.size < size_max &&
           has_room_to_send(http);
}

static void read_or_not(struct net_http *http)
{
    if (!wants_bytes(http)) {
        loop_stream_stop(http->peer.out);
    } else if (loop_stream_start(http->peer.out) < 0) {
        http->peer.broken = true;
    }
}

/* Whether nothing is left to do. A request that has begun is read even when the server stops. */
static bool is_over(const struct net_http *http)
{
    bool is_between = http->reader.phase == NET_HTTP_PHASE_IDLE;
    bool asks_no_more =
        http->state == NET_HTTP_LAST ||
        (http->state == NET_HTTP_READING && (http->ended || (http->finishing && is_between)));
    return asks_no_more && net_peer_queued(&http->peer) == 0;
}

static void begin_to_linger(struct net_http *http)
{
    http->lingers = false;
    http->state = NET_HTTP_LINGER;
    http->input_used = 0;
    jsv_buf_reset(&http->input);
    http->peer.broken = loop_stream_end(http->peer.out) < 0;
}

static void work(struct net_peer *peer)
{
    struct net_http *http = (struct net_http *)peer;
    if (http->state != NET_HTTP_LOST) {
        take_requests(http);
        net_peer_schedule_send(peer);
    }
}

/* Whether requests are left in the input. */
static bool has_work(const struct net_http *http)
{
    bool is_left = http->more || http->input_used < http->input.size;
    return is_left && takes_requests(http) && has_room_to_send(http);
}

static void send_and_read_on(struct net_peer *peer)
{
    struct net_http *http = (struct net_http *)peer;
    if (http->state == NET_HTTP_LOST) {
        if (!core_conn_is_busy(&http->peer.conn)) {
            net_peer_close(&http->peer);
        }
        return;
    }
    net_peer_flush(&http->peer);
    if (has_work(http)) {
        read_or_not(http);
        net_peer_continue_work(peer);
        return;
    }
    bool over = is_over(http);
    if (over && http->lingers && !http->ended) {
        begin_to_linger(http);
        over = false;
    }
    if (http->peer.broken) {
        net_http_lose(http);
        return;
    }
    if (over) {
        net_peer_close(&http->peer);
        return;
    }
    read_or_not(http);
    net_http_clock_set(http, false);
}

static void on_space(void *owner, char **ret_data, size_t *ret_size)
{
    struct net_http *http = owner;
    rpc_pool_lend(http->peer.pool, RPC_POOL_INPUT, &http->input);
    bool fits = jsv_buf_reserve(&http->input, READ_SIZE) == 0;
    *ret_data = http->input.data + http->input.size;
    *ret_size = fits ? http->input.capacity - http->input.size : 0;
}

static void throw_away(struct net_http *http, size_t size)
{
    http->thrown_away += size;
    if (http->thrown_away > CORE_HTTP_LINGER_SIZE_MAX) {
        net_peer_close(&http->peer);
    }
}

static void on_read(void *owner, size_t size)
{
    struct net_http *http = owner;
    if (http->state == NET_HTTP_LINGER) {
        throw_away(http, size);
        return;
    }
    if (http->state == NET_HTTP_READING && http->reader.phase == NET_HTTP_PHASE_IDLE) {
        http->waiting_for = NET_HTTP_FOR_NOTHING; /* the time limit of a request starts now */
    }
    http->input.size += size;
    net_peer_schedule_work(&http->peer);
}

/* Whether a request is in flight that leaving does not cancel: one of a legacy session. */
static bool is_owed(const struct net_http *http)
{
    const struct core_conn *conn = &http->peer.conn;
    return conn->session && !conn->is_stream && core_conn_is_busy(conn);
}

/* Whether a client that sends nothing more has given up its request as well. */
static bool gives_up(const struct net_http *http)
{
    return (is_being_answered(http) && !is_owed(http)) || http->state == NET_HTTP_LINGER;
}

static void on_end(void *owner, int error)
{
    struct net_http *http = owner;
    http->ended = true;
    if (error < 0) {
        net_http_lose(http);
    } else if (gives_up(http)) {
        net_peer_close(&http->peer);
    } else {
        net_peer_schedule_send(&http->peer);
    }
}

/* While nothing is read. Requests behind the one in flight are given up with it. */
static void on_hung_up(void *owner, int error)
{
    struct net_http *http = owner;
    if (error < 0) {
        net_http_lose(http);
    } else if (gives_up(http)) {
        net_peer_close(&http->peer);
    }
}

static void on_drained(void *owner, int error)
{
    struct net_http *http = owner;
    if (error < 0) {
        net_http_lose(http);
    } else {
        net_peer_schedule_send(&http->peer);
    }
}

/* ---- opening and closing ---- */

static void on_timer(void *owner)
{
    net_http_clock_fired(owner);
}

/* A request that was received is still answered, with "Connection: close". */
static void finish(struct net_peer *peer)
{
    struct net_http *http = (struct net_http *)peer;
    http->finishing = true;
    core_conn_finish(&peer->conn);
    if (http->state == NET_HTTP_STREAM && !core_conn_is_busy(&peer->conn)) {
        net_http_stream_end(http);
    } else if (http->state == NET_HTTP_READING && !http->ended) {
        (void)loop_stream_read_now(peer->out);
    }
    net_peer_schedule_send(peer);
}

/* The end of its stream tells the client that there are no more events. */
static void evict(struct net_peer *peer)
{
    struct net_http *http = (struct net_http *)peer;
    http->finishing = true;
    core_conn_finish(&peer->conn);
    if (http->state == NET_HTTP_STREAM) {
        net_http_stream_end(http);
    }
    net_peer_flush(peer);
    net_peer_close(peer);
}

/* An unfinished request is idle: else a first byte would be enough to keep a place. */
static enum net_activity activity(const struct net_peer *peer)
{
    const struct net_http *http = (const struct net_http *)peer;
    bool has_no_request = http->state == NET_HTTP_READING || http->state == NET_HTTP_LINGER;
    if (net_peer_is_working(peer) || http->state == NET_HTTP_LOST ||
        !core_conn_only_listens(&peer->conn)) {
        return NET_BUSY;
    }
    return has_no_request && net_peer_queued(peer) == 0 ? NET_IDLE : NET_LISTENING;
}

static void done(struct net_peer *peer)
{
    struct net_http *http = (struct net_http *)peer;
    loop_timer_close(http->timer);
    net_http_reader_done(&http->reader);
    jsv_buf_done(&http->input);
}

static const struct net_peer_ops peer_ops = {
    .finish = finish,
    .evict = evict,
    .done = done,
    .activity = activity,
    .work = work,
    .send = send_and_read_on,
};

static const struct loop_stream_events stream_events = {
    .space = on_space,
    .read = on_read,
    .end = on_end,
    .hung_up = on_hung_up,
    .drained = on_drained,
};

static int start(struct net_http *http, int fd)
{
    struct net_peer *peer = &http->peer;
    int r = loop_stream_open(peer->loop, fd, &stream_events, http, &peer->out);
    if (r < 0) {
        os_close(fd);
        return r;
    }
    r = loop_timer_new(peer->loop, on_timer, http, &http->timer);
    return r < 0 ? r : loop_stream_start(peer->out);
}

int net_http_open(const struct net_http_options *options, struct net_peer **ret_peer)
{
    struct net_http *http = net_peer_new(
        sizeof(*http), &options->peer, &peer_ops, &net_http_conn_ops, CORE_TRANSPORT_HTTP);
    if (!http) {
        os_close(options->fd);
        return -ENOMEM;
    }
    http->settings = options->settings;
    http->body_owner.references = 1;
    net_http_reader_init(&http->reader, os_allocator(), CORE_FRAME_SIZE_MAX);
    jsv_buf_init(&http->input, os_allocator(), INPUT_AHEAD_MAX + READ_SIZE);
    int r = start(http, options->fd);
    if (r < 0) {
        net_peer_free(&http->peer);
        return r;
    }
    net_http_clock_set(http, true);
    *ret_peer = &http->peer;
    return 0;
}

void net_http_lose(struct net_http *http)
{
    if (http->peer.closed || !is_owed(http)) {
        net_peer_close(&http->peer);
        return;
    }
    http->state = NET_HTTP_LOST;
    http->waiting_for = NET_HTTP_FOR_NOTHING;
    net_peer_close_output(&http->peer);
}
