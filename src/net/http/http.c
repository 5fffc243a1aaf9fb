/*
 * Bytes come in; when they have, on all connections or on enough, they become
 * requests, one at a time: the next is not looked at before the response of the
 * one before is written. Responses of one round of the loop go out in one
 * write. What a request lives in is shared by all connections of the loop,
 * unless its answer, or a part of it, has to be waited for.
 *
 * After a response that leaves bytes of its request unread, closing at once
 * would make the kernel reset the connection, and the peer would lose the
 * response as well. So our direction is closed first, and what comes is thrown
 * away for a while.
 *
 * Closing can happen deep inside a call that still looks at the connection, so
 * its memory is given back at the end of the round.
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
 * The same while a request is being answered. A client that leaves is noticed only when all that
 * it has sent is taken: its goodbye (FIN) comes behind that.
 */
#define INPUT_AHEAD_MAX ((size_t)256 * 1024)

/* A reply and the head before it. */
#define OUTPUT_MAX ((size_t)2 * CORE_REPLY_SIZE_MAX)

static void work_later(struct net_http *http)
{
    loop_defer(http->loop, LOOP_WORK, &http->work);
}

void net_http_schedule_send(struct net_http *http)
{
    loop_defer(http->loop, LOOP_SEND, &http->send);
}

/* ---- memory ---- */

static void borrow(struct net_http *http)
{
    rpc_pool_lend(http->pool, RPC_POOL_HEAD, &http->reader.text);
    rpc_pool_lend(http->pool, RPC_POOL_BODY, &http->reader.data);
}

/* The request is over, and nobody looks at it any more. */
static void give_back_request(struct net_http *http)
{
    net_http_reader_next(&http->reader);
    rpc_pool_take_back(http->pool, RPC_POOL_BODY, &http->reader.data);
    rpc_pool_take_back(http->pool, RPC_POOL_HEAD, &http->reader.text);
}

static void give_back_used_input(struct net_http *http)
{
    if (http->input_used == http->input.size) {
        rpc_pool_take_back(http->pool, RPC_POOL_INPUT, &http->input);
        http->input_used = 0;
    }
}

/* ---- out ---- */

static void send_output(struct net_http *http)
{
    if (http->output.size == 0) {
        return;
    }
    if (loop_stream_write(http->stream, jsv_buf_str(&http->output)) < 0) {
        http->broken = true;
    } else {
        http->sent += http->output.size;
    }
}

/* Return the output buffer to the pool once it is empty. */
void net_http_flush(struct net_http *http)
{
    if (http->output.error < 0) {
        http->broken = true;
        return;
    }
    send_output(http);
    rpc_pool_take_back(http->pool, RPC_POOL_OUTPUT, &http->output);
}

size_t net_http_queued(const struct net_http *http)
{
    return http->output.size + loop_stream_queued(http->stream);
}

void net_http_request_over(struct net_http *http)
{
    http->peer.active_ms = loop_now_ms(http->loop);
    http->conn.http = NULL;
    http->waiting_for = NET_HTTP_FOR_NOTHING; /* the next one has its own time */
    http->match.route = NET_HTTP_ROUTE_NONE;
    http->is_cross_origin = false;
    if (http->state != NET_HTTP_LAST) {
        http->state = NET_HTTP_READING;
        give_back_request(http);
    }
    net_http_schedule_send(http);
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
        http->broken = true;
        return false;
    }
}

/* Whether there is something to read, or a request that has begun. */
static bool has_requests(const struct net_http *http)
{
    return http->input_used < http->input.size || http->reader.phase != NET_HTTP_PHASE_IDLE;
}

static bool takes_requests(const struct net_http *http)
{
    return http->state == NET_HTTP_READING && !http->broken && has_requests(http);
}

static bool is_sent_enough(const struct net_http *http)
{
    return net_http_queued(http) <= CORE_SEND_QUEUE_MAX;
}

static bool may_go_on(const struct net_http *http)
{
    return is_sent_enough(http) && core_conn_has_time(&http->conn);
}

/*
 * A request that is not over keeps the memory it stands in. The input goes on
 * in what was there for a head that has to be copied.
 */
static void keep_request(struct net_http *http)
{
    struct jsv_str rest = unused_input(http);
    rpc_pool_exchange(&http->input, &http->reader.text);
    http->reader.in_place = false;
    http->input_used = 0;
    jsv_buf_reset(&http->input);
    if (jsv_buf_append_str(&http->input, rest) < 0) {
        http->broken = true;
    }
}

static void take_requests(struct net_http *http)
{
    core_conn_begin_round(&http->conn);
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
           is_sent_enough(http);
}

static void read_or_not(struct net_http *http)
{
    if (!wants_bytes(http)) {
        loop_stream_stop(http->stream);
    } else if (loop_stream_start(http->stream) < 0) {
        http->broken = true;
    }
}

/* Whether nothing is left to do. When we stop, a request that has begun to come is waited for. */
static bool is_over(const struct net_http *http)
{
    bool is_between = http->reader.phase == NET_HTTP_PHASE_IDLE;
    bool asks_no_more =
        http->state == NET_HTTP_LAST ||
        (http->state == NET_HTTP_READING && (http->ended || (http->finishing && is_between)));
    return asks_no_more && net_http_queued(http) == 0;
}

static void begin_to_linger(struct net_http *http)
{
    http->lingers = false;
    http->state = NET_HTTP_LINGER;
    http->input_used = 0;
    jsv_buf_reset(&http->input);
    http->broken = loop_stream_end(http->stream) < 0;
}

static void on_work(struct loop_deferred *work)
{
    struct net_http *http = (struct net_http *)((char *)work - offsetof(struct net_http, work));
    if (!http->closed && http->state != NET_HTTP_LOST) {
        take_requests(http);
        net_http_schedule_send(http);
    }
}

/* Whether there is something to work on: requests that had to wait, or what came behind one. */
static bool has_work(const struct net_http *http)
{
    bool is_left = http->more || http->input_used < http->input.size;
    return is_left && takes_requests(http) && is_sent_enough(http);
}

static void send_and_go_on(struct net_http *http)
{
    if (http->state == NET_HTTP_LOST) {
        if (!core_conn_is_busy(&http->conn)) {
            net_http_close(http);
        }
        return;
    }
    net_http_flush(http);
    if (has_work(http)) {
        read_or_not(http);
        loop_defer(http->loop, LOOP_NEXT_ROUND, &http->work);
        return;
    }
    bool over = is_over(http);
    if (over && http->lingers && !http->ended) {
        begin_to_linger(http);
        over = false;
    }
    if (http->broken) {
        net_http_lose(http);
        return;
    }
    if (over) {
        net_http_close(http);
        return;
    }
    read_or_not(http);
    net_http_clock_set(http, false);
}

/* A closed connection is freed when its work, which finds it closed, is not due any more. */
static void on_send(struct loop_deferred *send)
{
    struct net_http *http = (struct net_http *)((char *)send - offsetof(struct net_http, send));
    if (http->closed && http->work.queued) {
        loop_defer(http->loop, LOOP_NEXT_ROUND, &http->send);
    } else if (http->closed) {
        jsv_dealloc(os_allocator(), http, sizeof(*http));
    } else {
        send_and_go_on(http);
    }
}

static void on_space(void *owner, char **ret_data, size_t *ret_size)
{
    struct net_http *http = owner;
    rpc_pool_lend(http->pool, RPC_POOL_INPUT, &http->input);
    bool fits = jsv_buf_reserve(&http->input, READ_SIZE) == 0;
    *ret_data = http->input.data + http->input.size;
    *ret_size = fits ? http->input.capacity - http->input.size : 0;
}

static void throw_away(struct net_http *http, size_t size)
{
    http->thrown_away += size;
    if (http->thrown_away > CORE_HTTP_LINGER_SIZE_MAX) {
        net_http_close(http);
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
        http->waiting_for = NET_HTTP_FOR_NOTHING; /* the time for a request begins now */
    }
    http->input.size += size;
    work_later(http);
}

/* Whether the peer has asked for something that going away does not give up: in an old session. */
static bool is_owed(const struct net_http *http)
{
    const struct core_conn *conn = &http->conn;
    return conn->session && !conn->is_stream && core_conn_is_busy(conn);
}

/* Whether a peer that sends nothing more has nothing to get, either. */
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
        net_http_close(http);
    } else {
        net_http_schedule_send(http);
    }
}

/* While nothing is read: what was sent behind a request in flight is given up with it. */
static void on_hung_up(void *owner, int error)
{
    struct net_http *http = owner;
    if (error < 0) {
        net_http_lose(http);
    } else if (gives_up(http)) {
        net_http_close(http);
    }
}

static void on_drained(void *owner, int error)
{
    struct net_http *http = owner;
    if (error < 0) {
        net_http_lose(http);
    } else {
        net_http_schedule_send(http);
    }
}

/* ---- opening and closing ---- */

static void on_timer(void *owner)
{
    net_http_clock_fired(owner);
}

/* A request that has come by now is still answered, and told that it is the last. */
static void finish_peer(struct net_peer *peer)
{
    struct net_http *http = (struct net_http *)peer;
    http->finishing = true;
    core_conn_finish(&http->conn);
    if (http->state == NET_HTTP_STREAM && !core_conn_is_busy(&http->conn)) {
        net_http_stream_end(http);
    } else if (http->state == NET_HTTP_READING && !http->ended) {
        (void)loop_stream_read_now(http->stream);
    }
    net_http_schedule_send(http);
}

static void close_peer(struct net_peer *peer)
{
    net_http_close((struct net_http *)peer);
}

/* Also one that has begun to send a request: else a first byte would be enough to keep a place. */
static bool peer_is_idle(const struct net_peer *peer)
{
    const struct net_http *http = (const struct net_http *)peer;
    bool has_no_request = http->state == NET_HTTP_READING || http->state == NET_HTTP_LINGER;
    return has_no_request && net_http_queued(http) == 0 && !http->work.queued;
}

static const struct net_peer_ops peer_ops = {
    .finish = finish_peer,
    .close = close_peer,
    .is_idle = peer_is_idle,
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
    int r = loop_timer_new(http->loop, on_timer, http, &http->timer);
    if (r == 0) {
        r = loop_stream_open(http->loop, fd, &stream_events, http, &http->stream);
    }
    if (r < 0) {
        os_close(fd);
        loop_timer_close(http->timer);
        return r;
    }
    r = loop_stream_start(http->stream);
    if (r < 0) {
        loop_stream_close(http->stream);
        loop_timer_close(http->timer);
    }
    return r;
}

int net_http_open(const struct net_http_options *options, struct net_peer **ret_peer)
{
    struct net_http *http = jsv_alloc(os_allocator(), sizeof(*http));
    if (!http) {
        os_close(options->fd);
        return -ENOMEM;
    }
    *http = (struct net_http){
        .peer = {.ops = &peer_ops},
        .settings = options->settings,
        .loop = core_worker_loop(options->worker),
        .pool = core_worker_pool(options->worker),
        .work = {.run = on_work},
        .send = {.run = on_send},
        .on_closed = options->closed,
        .owner = options->owner,
        .body_owner = {.references = 1},
        .health_only = options->health_only,
    };
    int r = start(http, options->fd);
    if (r < 0) {
        jsv_dealloc(os_allocator(), http, sizeof(*http));
        return r;
    }
    net_http_reader_init(&http->reader, os_allocator(), CORE_FRAME_SIZE_MAX);
    jsv_buf_init(&http->input, os_allocator(), INPUT_AHEAD_MAX + READ_SIZE);
    jsv_buf_init(&http->output, os_allocator(), OUTPUT_MAX);
    core_conn_init(&http->conn, &net_http_conn_ops, options->worker, CORE_TRANSPORT_HTTP);
    http->peer.active_ms = loop_now_ms(http->loop);
    net_http_clock_set(http, true);
    *ret_peer = &http->peer;
    return 0;
}

void net_http_lose(struct net_http *http)
{
    if (http->closed || !is_owed(http)) {
        net_http_close(http);
        return;
    }
    http->state = NET_HTTP_LOST;
    http->waiting_for = NET_HTTP_FOR_NOTHING;
    loop_stream_close(http->stream);
    http->stream = NULL;
    jsv_buf_done(&http->output);
}

void net_http_close(struct net_http *http)
{
    if (http->closed) {
        return;
    }
    http->closed = true;
    core_conn_done(&http->conn);
    loop_stream_close(http->stream);
    loop_timer_close(http->timer);
    net_http_reader_done(&http->reader);
    jsv_buf_done(&http->input);
    jsv_buf_done(&http->output);
    net_http_schedule_send(http);
    http->on_closed(http->owner, &http->peer);
}
