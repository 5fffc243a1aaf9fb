/*
 * What the corridor says on an HTTP connection: the answer to a request is its
 * response, or the last event of a stream. A stream begins with the first thing
 * that is to be sent before the answer, if the client takes streams.
 */
#include "core/limits.h"
#include "net/http_conn.h"

static struct net_http *of_conn(struct core_conn *conn)
{
    return (struct net_http *)((char *)conn - offsetof(struct net_http, conn));
}

static void on_answer(struct core_conn *conn, const struct core_answer *answer)
{
    struct net_http *http = of_conn(conn);
    if (http->state == NET_HTTP_LOST) {
        return;
    }
    bool wants_stream = http->accepts == NET_HTTP_ACCEPT_STREAM && answer->http_status == 200;
    if (http->state == NET_HTTP_ASKED && wants_stream) {
        net_http_stream_begin(http, answer->session);
    }
    if (http->state == NET_HTTP_STREAM) {
        net_http_stream_event(http, answer->text);
        net_http_stream_end(http);
    } else {
        net_http_respond_answer(http, answer);
    }
}

static bool may_begin_stream(const struct net_http *http)
{
    return http->state == NET_HTTP_ASKED && http->accepts & NET_HTTP_ACCEPT_STREAM;
}

/* Something before the answer, or on a stream of its own. Who takes no streams goes without. */
static void on_push(struct core_conn *conn, struct jsv_str message)
{
    struct net_http *http = of_conn(conn);
    if (may_begin_stream(http)) {
        net_http_stream_begin(http, NULL);
    }
    if (http->state != NET_HTTP_STREAM) {
        return;
    }
    if (net_http_queued(http) > CORE_SEND_QUEUE_MAX) {
        http->broken = true; /* it reads more slowly than things happen */
    } else {
        net_http_stream_event(http, message);
    }
    net_http_take_turn(http);
}

/* What is sent before an answer goes out on the stream of its request. */
static bool on_hears(struct core_conn *conn)
{
    const struct net_http *http = of_conn(conn);
    return may_begin_stream(http) || http->state == NET_HTTP_STREAM;
}

/* A request that is not answered is a stream without its last event, for those who take streams. */
static void on_hang_up(struct core_conn *conn)
{
    struct net_http *http = of_conn(conn);
    if (may_begin_stream(http)) {
        net_http_stream_begin(http, NULL);
    }
    if (http->state == NET_HTTP_STREAM) {
        net_http_stream_end(http);
    } else if (http->state == NET_HTTP_ASKED) {
        net_http_respond(http, 202, JSV_STR(""), (struct jsv_str){NULL, 0});
    }
}

static void on_resume(struct core_conn *conn)
{
    net_http_take_turn(of_conn(conn));
}

const struct core_conn_ops net_http_conn_ops = {
    .answer = on_answer,
    .push = on_push,
    .hears = on_hears,
    .hang_up = on_hang_up,
    .resume = on_resume,
    .idle = on_resume,
};
