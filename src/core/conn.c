#include "core/conn.h"

#include "core/client.h"
#include "core/limits.h"
#include "core/pipeline.h"
#include "core/request_log.h"
#include "core/sessions.h"
#include "core/worker_state.h"
#include "log/text.h"
#include "loop/loop.h"
#include "os/sys.h"

void core_conn_init(
    struct core_conn *conn,
    const struct core_conn_ops *ops,
    struct core_worker *worker,
    enum core_transport transport)
{
    *conn = (struct core_conn){
        .ops = ops,
        .worker = worker,
        .transport = transport,
    };
    os_list_prepend(&worker->conns, conn);
    core_log_count_conn(conn, 1);
}

static void leave_worker(struct core_conn *conn)
{
    core_announce_skip_conn(conn);
    os_list_remove(&conn->worker->conns, conn);
}

void core_conn_finish(struct core_conn *conn)
{
    struct core_request *request = conn->requests.first;
    while (request) {
        struct core_request *next = request->next;
        if (request->is_listening) {
            request->req.dialect->end_listening(&request->req);
            request->is_listening = false;
            core_run_at(request, CORE_STAGE_ANSWER);
        } else if (request->is_asking) {
            core_give_up_asking(request, JSV_STR("the client will not answer any more"));
            core_run_at(request, CORE_STAGE_ANSWER);
        }
        request = next;
    }
}

void core_conn_done(struct core_conn *conn)
{
    conn->is_gone = true;
    leave_worker(conn);
    /* from the end: a batch comes before its elements, which use its document */
    while (conn->requests.last) {
        core_abandon(conn->requests.last);
    }
    core_conn_forget_session(conn);
    core_log_count_conn(conn, -1);
}

/* Standard error has no size limit, so a peer that reconnects again and again must not fill it. */
#define SLOW_READER_WARNING_MS 1000

void core_report_slow_reader(struct core_conn *conn, const char *why)
{
    struct core_worker *worker = conn->worker;
    uint64_t now = loop_now_ms(worker->loop);
    core_refused(worker, conn->transport, 0, why);
    if (now >= worker->slow_reader_quiet_until_ms) {
        worker->slow_reader_quiet_until_ms = now + SLOW_READER_WARNING_MS;
        const struct log_field fields[] = {
            {"reason", JSV_STR("slow_reader")},
            {"transport", jsv_str_from(core_transport_name(conn->transport))},
            {"detail", jsv_str_from(why)},
        };
        log_text("warning", fields, sizeof(fields) / sizeof(fields[0]));
    }
}

static bool is_much(size_t count, size_t bytes)
{
    return count >= CORE_IN_FLIGHT_MAX || bytes >= CORE_IN_FLIGHT_BYTES_MAX;
}

/* Requests that listen, or that ask the client something: they wait for as long as it wants. */
static void
count_waiting_for_client(const struct core_conn *conn, size_t *ret_count, size_t *ret_bytes)
{
    *ret_count = *ret_bytes = 0;
    for (const struct core_request *request = conn->requests.first; request;
         request = request->next) {
        if (request->is_listening || request->is_asking) {
            *ret_count += 1;
            *ret_bytes += request->kept_bytes;
        }
    }
}

/*
 * Requests that wait for the client do not count, because a client that is not read from could
 * neither end a listener nor answer a question.
 */
bool core_conn_is_full(const struct core_conn *conn)
{
    if (!is_much(conn->request_count, conn->request_bytes)) {
        return false;
    }
    size_t count;
    size_t bytes;
    count_waiting_for_client(conn, &count, &bytes);
    return is_much(conn->request_count - count, conn->request_bytes - bytes);
}

bool core_conn_may_wait_for_client(const struct core_conn *conn)
{
    size_t count;
    size_t bytes;
    count_waiting_for_client(conn, &count, &bytes);
    return count < CORE_LISTENERS_MAX && bytes < CORE_IN_FLIGHT_BYTES_MAX;
}

void core_conn_begin_round(struct core_conn *conn)
{
    conn->round_began_us = 0;
}

bool core_conn_has_time(const struct core_conn *conn)
{
    uint64_t began = conn->round_began_us;
    return began == 0 || conn->worker->clock_us - began < CORE_ROUND_US;
}

void core_conn_count_time(struct core_conn *conn)
{
    uint64_t now = conn->worker->clock_us = os_now_us();
    if (conn->round_began_us == 0) {
        conn->round_began_us = now;
    }
}

bool core_conn_is_busy(const struct core_conn *conn)
{
    return conn->request_count > 0;
}

bool core_conn_only_listens(const struct core_conn *conn)
{
    const struct core_request *request = conn->requests.first;
    while (request && request->is_listening) {
        request = request->next;
    }
    return !request;
}

void core_conn_forget_session(struct core_conn *conn)
{
    if (!conn->session) {
        return;
    }
    if (conn->is_stream) {
        const void *self = conn;
        atomic_compare_exchange_strong(&conn->session->stream, &self, NULL);
        conn->is_stream = false;
    }
    atomic_store(&conn->session->used_ms, os_now_ms()); /* until now it was in use */
    dialect_session_release(conn->session);
    conn->session = NULL;
}

void core_conns_end_streams(struct core_conn *first)
{
    for (struct core_conn *conn = first; conn; conn = conn->next) {
        if (conn->is_stream && atomic_load(&conn->session->is_over)) {
            core_conn_forget_session(conn);
            conn->ops->hang_up(conn);
        }
    }
}

unsigned core_open_stream(struct core_conn *conn)
{
    struct jsv_str id;
    if (conn->http->header(conn->http, JSV_STR("Mcp-Session-Id"), &id) != RPC_HEADER_FOUND) {
        return 405;
    }
    conn->session = core_sessions_find(conn->worker->settings->sessions, id);
    if (!conn->session) {
        return 404;
    }
    conn->is_stream = true;
    atomic_store(&conn->session->stream, conn);
    return 200;
}

unsigned core_end_session(struct core_conn *conn)
{
    struct jsv_str id;
    if (conn->http->header(conn->http, JSV_STR("Mcp-Session-Id"), &id) != RPC_HEADER_FOUND) {
        return 405;
    }
    return core_sessions_remove(conn->worker->settings->sessions, id) ? 204 : 404;
}
