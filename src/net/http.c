/*
 * Bytes come in and become requests, one at a time: the next is not looked at
 * before the response of the one before is written. Responses of one round of
 * the loop go out in one write.
 *
 * A peer gets a certain time for whatever it is at: to send a head, a body, the
 * next request, or to take what is queued for it. One timer watches over the
 * earliest of these times; it is moved only when that comes nearer.
 *
 * Closing can happen deep inside a call that still looks at the connection, so
 * its memory is given back at the end of the round.
 */
#include "net/http.h"

#include <assert.h>
#include <errno.h>

#include "base/alloc.h"
#include "core/limits.h"
#include "core/worker.h"
#include "net/http_conn.h"
#include "os/sys.h"

/* Read at a time; a request usually fits. */
#define READ_SIZE ((size_t)16 * 1024)

/* Bytes read ahead while a request is being answered; then reading stops. */
#define INPUT_MAX ((size_t)64 * 1024)

/* A reply and the head before it. */
#define OUTPUT_MAX ((size_t)2 * CORE_REPLY_SIZE_MAX)

/* Memory of an idle connection for its next responses. */
#define OUTPUT_KEPT ((size_t)16 * 1024)

static struct net_http *of_conn(struct core_conn *conn)
{
    return (struct net_http *)((char *)conn - offsetof(struct net_http, conn));
}

static struct net_http *of_turn(struct loop_later *turn)
{
    return (struct net_http *)((char *)turn - offsetof(struct net_http, turn));
}

static void take_turn(struct net_http *http)
{
    loop_run_later(http->loop, &http->turn);
}

static void close_connection(struct net_http *http);

/* ---- time ---- */

/* What a connection is at, and how long that may take. */
enum waiting_for {
    FOR_NOTHING, /* the corridor has its own limits */
    FOR_REQUEST,
    FOR_HEAD,
    FOR_BODY,
    FOR_EVENTS, /* a stream: something is to be sent now and then */
    FOR_WRITING,
};

static const uint64_t limits_ms[] = {
    [FOR_REQUEST] = CORE_HTTP_IDLE_MS,
    [FOR_HEAD] = CORE_HTTP_HEAD_MS,
    [FOR_BODY] = CORE_HTTP_BODY_MS,
    [FOR_EVENTS] = CORE_HTTP_KEEPALIVE_MS,
    [FOR_WRITING] = CORE_WRITE_STALL_MS,
};

static uint64_t gone(const struct net_http *http)
{
    return http->sent - loop_stream_queued(http->stream);
}

static enum waiting_for waiting_for(const struct net_http *http)
{
    if (loop_stream_queued(http->stream) > 0) {
        return FOR_WRITING;
    }
    switch (http->state) {
    case NET_HTTP_STREAM:
        return FOR_EVENTS;
    case NET_HTTP_ASKED:
    case NET_HTTP_LAST:
        return FOR_NOTHING;
    case NET_HTTP_READING:
        break;
    }
    enum net_http_phase phase = http->reader.phase;
    return phase == NET_HTTP_PHASE_IDLE  ? FOR_REQUEST
           : phase < NET_HTTP_PHASE_BODY ? FOR_HEAD
                                         : FOR_BODY;
}

static void watch(struct net_http *http)
{
    uint64_t now = loop_now_ms(http->loop);
    uint64_t after = http->deadline_ms > now ? http->deadline_ms - now : 1;
    bool runs_early_enough = http->timer_ms != 0 && http->timer_ms <= http->deadline_ms;
    if (http->waiting_for != FOR_NOTHING && !runs_early_enough) {
        http->timer_ms = now + after;
        loop_timer_start(http->timer, after);
    }
}

/* Begin to count when something else is waited for, or the next request is. */
static void set_deadline(struct net_http *http, bool anew)
{
    enum waiting_for what = waiting_for(http);
    if (what != http->waiting_for || anew) {
        http->waiting_for = what;
        http->deadline_ms = loop_now_ms(http->loop) + limits_ms[what];
        http->gone_before = gone(http);
    }
    watch(http);
}

static void flush(struct net_http *http);

static void time_is_over(struct net_http *http)
{
    switch ((enum waiting_for)http->waiting_for) {
    case FOR_EVENTS:
        net_http_stream_comment(http);
        flush(http);
        set_deadline(http, true);
        break;
    case FOR_HEAD:
    case FOR_BODY:
        http->reader.head.keep_alive = false;
        net_http_respond_refusal(http, 408, "the request took too long");
        take_turn(http);
        break;
    case FOR_WRITING:
        if (gone(http) != http->gone_before) {
            set_deadline(http, true);
            break;
        }
        close_connection(http);
        break;
    case FOR_REQUEST:
        close_connection(http);
        break;
    case FOR_NOTHING:
        break;
    }
}

static void on_timer(void *owner)
{
    struct net_http *http = owner;
    http->timer_ms = 0;
    if (http->waiting_for == FOR_NOTHING) {
        return;
    }
    if (loop_now_ms(http->loop) < http->deadline_ms) {
        watch(http);
    } else {
        time_is_over(http);
    }
}

/* ---- out ---- */

static void flush(struct net_http *http)
{
    if (http->output.error < 0) {
        http->broken = true;
        return;
    }
    if (http->output.size == 0) {
        return;
    }
    if (loop_stream_write(http->stream, jsv_buf_str(&http->output)) < 0) {
        http->broken = true;
    } else {
        http->sent += http->output.size;
    }
    if (http->output.capacity > OUTPUT_KEPT) {
        jsv_buf_done(&http->output);
        jsv_buf_init(&http->output, os_allocator(), OUTPUT_MAX);
    } else {
        jsv_buf_reset(&http->output);
    }
}

static size_t queued(const struct net_http *http)
{
    return http->output.size + loop_stream_queued(http->stream);
}

void net_http_request_over(struct net_http *http)
{
    http->conn.http = NULL;
    if (http->state != NET_HTTP_LAST) {
        http->state = NET_HTTP_READING;
        net_http_reader_next(&http->reader);
    }
    take_turn(http);
}

/* ---- the corridor ---- */

static void on_answer(struct core_conn *conn, const struct core_answer *answer)
{
    struct net_http *http = of_conn(conn);
    if (http->state == NET_HTTP_STREAM) {
        net_http_stream_event(http, answer->text);
        net_http_stream_end(http);
    } else {
        net_http_respond_answer(http, answer);
    }
}

/* Something before the answer, or on a stream of its own. */
static void on_push(struct core_conn *conn, struct jsv_str message)
{
    struct net_http *http = of_conn(conn);
    if (http->state == NET_HTTP_ASKED) {
        net_http_stream_begin(http);
    }
    if (http->state == NET_HTTP_STREAM) {
        net_http_stream_event(http, message);
        take_turn(http);
    }
}

static void on_hang_up(struct core_conn *conn)
{
    struct net_http *http = of_conn(conn);
    if (http->state == NET_HTTP_STREAM) {
        net_http_stream_end(http);
    }
}

static void on_resume(struct core_conn *conn)
{
    take_turn(of_conn(conn));
}

static const struct core_conn_ops conn_ops = {
    .answer = on_answer,
    .push = on_push,
    .hang_up = on_hang_up,
    .resume = on_resume,
    .idle = on_resume,
};

/* ---- in ---- */

static struct jsv_str unused_input(const struct net_http *http)
{
    size_t used = http->input_used;
    return (struct jsv_str){http->input.data + used, http->input.size - used};
}

static void forget_used_input(struct net_http *http)
{
    if (http->input_used == http->input.size) {
        jsv_buf_reset(&http->input);
        http->input_used = 0;
    }
}

static void on_refused(struct net_http *http)
{
    unsigned status = net_http_refusal_status(http->reader.refusal);
    if (status == 413) {
        net_http_respond_too_large(http);
    } else {
        net_http_respond_refusal(http, status, net_http_refusal_text(http->reader.refusal));
    }
}

/* @return whether there may be more to report. */
static bool feed(struct net_http *http)
{
    struct jsv_str input = unused_input(http);
    size_t before = input.size;
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

static bool takes_requests(const struct net_http *http)
{
    bool is_between = http->reader.phase == NET_HTTP_PHASE_IDLE;
    return http->state == NET_HTTP_READING && !http->broken && !(http->finishing && is_between) &&
           queued(http) <= CORE_SEND_QUEUE_MAX;
}

static void take_requests(struct net_http *http)
{
    while (takes_requests(http) && feed(http)) {
        /* feed() does the work */
    }
    forget_used_input(http);
}

static bool wants_bytes(const struct net_http *http)
{
    return !http->ended && http->state != NET_HTTP_LAST && http->input.size < INPUT_MAX &&
           queued(http) <= CORE_SEND_QUEUE_MAX;
}

static void read_or_not(struct net_http *http)
{
    if (!wants_bytes(http)) {
        loop_stream_stop(http->stream);
    } else if (loop_stream_start(http->stream) < 0) {
        http->broken = true;
    }
}

/* Whether nothing is left to do. */
static bool is_over(const struct net_http *http)
{
    bool asks_no_more = http->state == NET_HTTP_LAST ||
                        (http->state == NET_HTTP_READING && (http->ended || http->finishing));
    return asks_no_more && queued(http) == 0;
}

static void work(struct net_http *http)
{
    take_requests(http);
    flush(http);
    if (http->broken || is_over(http)) {
        close_connection(http);
        return;
    }
    read_or_not(http);
    set_deadline(http, false);
}

static void on_space(void *owner, char **ret_data, size_t *ret_size)
{
    struct net_http *http = owner;
    bool fits = jsv_buf_reserve(&http->input, READ_SIZE) == 0;
    *ret_data = http->input.data + http->input.size;
    *ret_size = fits ? http->input.capacity - http->input.size : 0;
}

static void on_read(void *owner, size_t size)
{
    struct net_http *http = owner;
    bool was_idle = http->reader.phase == NET_HTTP_PHASE_IDLE;
    http->input.size += size;
    take_requests(http);
    if (was_idle && http->state == NET_HTTP_READING) {
        http->waiting_for = FOR_NOTHING; /* the time for a request begins now */
    }
    take_turn(http);
}

/* A peer that has gone away wants no answer any more; one in an old session does. */
static void on_end(void *owner, int error)
{
    struct net_http *http = owner;
    bool gives_up =
        http->state == NET_HTTP_STREAM || (http->state == NET_HTTP_ASKED && !http->conn.session);
    http->ended = true;
    if (error < 0 || gives_up) {
        close_connection(http);
    } else {
        take_turn(http);
    }
}

static void on_drained(void *owner, int error)
{
    struct net_http *http = owner;
    if (error < 0) {
        close_connection(http);
    } else {
        take_turn(http);
    }
}

static void on_turn(struct loop_later *turn)
{
    struct net_http *http = of_turn(turn);
    if (http->closed) {
        jsv_dealloc(os_allocator(), http, sizeof(*http));
    } else {
        work(http);
    }
}

/* ---- opening and closing ---- */

static void finish_peer(struct net_peer *peer)
{
    struct net_http *http = (struct net_http *)peer;
    http->finishing = true;
    core_conn_finish(&http->conn);
    if (http->state == NET_HTTP_STREAM && !core_conn_is_busy(&http->conn)) {
        net_http_stream_end(http);
    }
    take_turn(http);
}

static void close_peer(struct net_peer *peer)
{
    close_connection((struct net_http *)peer);
}

static const struct net_peer_ops peer_ops = {
    .finish = finish_peer,
    .close = close_peer,
};

static const struct loop_stream_events stream_events = {
    .space = on_space,
    .read = on_read,
    .end = on_end,
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
        .turn = {.run = on_turn},
        .on_closed = options->closed,
        .owner = options->owner,
        .body_owner = {.references = 1},
    };
    int r = start(http, options->fd);
    if (r < 0) {
        jsv_dealloc(os_allocator(), http, sizeof(*http));
        return r;
    }
    net_http_reader_init(&http->reader, os_allocator(), CORE_FRAME_SIZE_MAX);
    jsv_buf_init(&http->input, os_allocator(), INPUT_MAX + READ_SIZE);
    jsv_buf_init(&http->output, os_allocator(), OUTPUT_MAX);
    core_conn_init(&http->conn, &conn_ops, options->worker, CORE_TRANSPORT_HTTP);
    set_deadline(http, true);
    *ret_peer = &http->peer;
    return 0;
}

static void close_connection(struct net_http *http)
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
    take_turn(http);
    http->on_closed(http->owner, &http->peer);
}
