/*
 * Time limits: to send a head, a body, the next request, or to read what is
 * queued. One timer serves all of them. It is started only when the next limit
 * is earlier than the time it fires at, so that a busy connection does not touch
 * it.
 */
#include "core/limits.h"
#include "net/http/conn.h"

static const struct net_http_times usual_times = {
    .idle = CORE_HTTP_IDLE_MS,
    .head = CORE_HTTP_HEAD_MS,
    .body = CORE_HTTP_BODY_MS,
    .keepalive = CORE_HTTP_KEEPALIVE_MS,
    .write_stall = CORE_WRITE_STALL_MS,
    .linger = CORE_HTTP_LINGER_MS,
};

static unsigned limit_ms(const struct net_http *http, enum net_http_waiting what)
{
    const struct net_http_times *times =
        http->settings->times ? http->settings->times : &usual_times;
    switch (what) {
    case NET_HTTP_FOR_REQUEST:
        return times->idle;
    case NET_HTTP_FOR_HEAD:
        return times->head;
    case NET_HTTP_FOR_BODY:
        return times->body;
    case NET_HTTP_FOR_EVENTS:
        return times->keepalive;
    case NET_HTTP_FOR_WRITING:
        return times->write_stall;
    case NET_HTTP_FOR_GOODBYE:
        return times->linger;
    case NET_HTTP_FOR_NOTHING:
        break;
    }
    return 0;
}

static enum net_http_waiting current_wait(const struct net_http *http)
{
    if (loop_stream_queued(http->peer.out) > 0) {
        return NET_HTTP_FOR_WRITING;
    }
    switch (http->state) {
    case NET_HTTP_STREAM:
        return NET_HTTP_FOR_EVENTS;
    case NET_HTTP_ASKED:
    case NET_HTTP_LAST:
    case NET_HTTP_LOST:
        return NET_HTTP_FOR_NOTHING;
    case NET_HTTP_LINGER:
        return NET_HTTP_FOR_GOODBYE;
    case NET_HTTP_READING:
        break;
    }
    enum net_http_phase phase = http->reader.phase;
    return phase == NET_HTTP_PHASE_IDLE  ? NET_HTTP_FOR_REQUEST
           : phase < NET_HTTP_PHASE_BODY ? NET_HTTP_FOR_HEAD
                                         : NET_HTTP_FOR_BODY;
}

static void watch(struct net_http *http)
{
    uint64_t now = loop_now_ms(http->peer.loop);
    uint64_t after = http->deadline_ms > now ? http->deadline_ms - now : 1;
    bool runs_early_enough = http->timer_ms != 0 && http->timer_ms <= http->deadline_ms;
    if (http->waiting_for != NET_HTTP_FOR_NOTHING && !runs_early_enough) {
        http->timer_ms = now + after;
        loop_timer_start(http->timer, after);
    }
}

void net_http_clock_set(struct net_http *http, bool anew)
{
    enum net_http_waiting what = current_wait(http);
    if (what != http->waiting_for || anew) {
        http->waiting_for = what;
        http->deadline_ms = loop_now_ms(http->peer.loop) + limit_ms(http, what);
        http->taken_then = net_peer_taken(&http->peer);
    }
    watch(http);
}

static void on_limit(struct net_http *http)
{
    switch (http->waiting_for) {
    case NET_HTTP_FOR_EVENTS:
        net_http_stream_comment(http);
        net_http_clock_set(http, true);
        net_peer_schedule_send(&http->peer);
        break;
    case NET_HTTP_FOR_HEAD:
    case NET_HTTP_FOR_BODY:
        http->reader.head.keep_alive = false;
        net_http_respond_refusal(http, 408, "the request was not complete in time");
        break;
    case NET_HTTP_FOR_WRITING:
        if (net_peer_taken(&http->peer) != http->taken_then) {
            net_http_clock_set(http, true);
            break;
        }
        net_http_lose(http);
        break;
    case NET_HTTP_FOR_REQUEST:
    case NET_HTTP_FOR_GOODBYE:
        net_peer_close(&http->peer);
        break;
    case NET_HTTP_FOR_NOTHING:
        break;
    }
}

void net_http_clock_fired(struct net_http *http)
{
    http->timer_ms = 0;
    if (http->waiting_for == NET_HTTP_FOR_NOTHING) {
        return;
    }
    if (loop_now_ms(http->peer.loop) < http->deadline_ms) {
        watch(http);
    } else {
        on_limit(http);
    }
}
