/*
 * What the corridor says on an HTTP connection: the answer to a request is its
 * response, or the last event of a stream. A stream begins with the first thing
 * that is to be sent before the answer, if the client takes streams.
 */
#include "core/limits.h"
#include "net/http/conn.h"

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

/* What is pushed goes out on the stream of its request, or on the stream of the session. */
static bool can_push(struct core_conn *conn)
{
    const struct net_http *http = of_conn(conn);
    return !http->broken && (may_begin_stream(http) || http->state == NET_HTTP_STREAM);
}

/* Events are sent before the end of the round when there are so many: the kernel can begin. */
#define FLUSH_SIZE ((size_t)64 * 1024)

/* A client that does not accept streams does not get the message. */
static void on_push(struct core_conn *conn, struct jsv_str message)
{
    struct net_http *http = of_conn(conn);
    if (!can_push(conn)) {
        return;
    }
    if (http->state != NET_HTTP_STREAM) {
        net_http_stream_begin(http, NULL);
    }
    size_t waiting = net_http_queued(http);
    if (waiting > 0 && waiting + message.size > CORE_PUSH_QUEUE_MAX) {
        core_report_slow_reader(conn);
        http->broken = true;
    } else {
        net_http_stream_event(http, message);
    }
    if (http->output.size >= FLUSH_SIZE) {
        net_http_flush(http);
    }
    net_http_schedule_send(http);
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
    net_http_schedule_send(of_conn(conn));
}

const struct core_conn_ops net_http_conn_ops = {
    .answer = on_answer,
    .push = on_push,
    .can_push = can_push,
    .hang_up = on_hang_up,
    .resume = on_resume,
    .idle = on_resume,
};
