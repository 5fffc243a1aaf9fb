#include "core/announce.h"

#include "catalog/catalog.h"
#include "core/limits.h"
#include "core/request.h"
#include "core/worker_state.h"
#include "dialect/mcp/notifications.h"
#include "dialect/mcp/provider.h"
#include "dialect/session.h"
#include "log/log.h"
#include "os/sys.h"

/* A portion ends after so long, because other connections have messages, too. */
#define PORTION_US 1000

static bool push(void *owner, struct jsv_str message)
{
    struct core_conn *conn = owner;
    conn->ops->push(conn, message);
    return conn->ops->can_push(conn);
}

/*
 * Over HTTP a session's messages go to one stream: the newest, or any other one when that is
 * closed. Over lines they go to the connection.
 */
static bool is_stream_of_session(struct core_conn *conn)
{
    if (conn->transport != CORE_TRANSPORT_HTTP) {
        return conn->session;
    }
    const void *current = NULL;
    return conn->is_stream &&
           (atomic_compare_exchange_strong(&conn->session->stream, &current, conn) ||
            current == conn);
}

/* ---- portions ---- */

static void end(struct core_announcer *announcer)
{
    catalog_release(announcer->old);
    catalog_release(announcer->new);
    announcer->old = announcer->new = NULL;
}

/* Begin with the next change. @return whether there is one. */
static bool begin(struct core_worker *worker)
{
    struct core_announcer *announcer = &worker->announcer;
    end(announcer); /* its last connections may have closed */
    if (announcer->waiting) {
        announcer->old = announcer->waiting;
        announcer->new = catalog_retain(worker->catalog);
        announcer->waiting = NULL;
        announcer->change = dialect_change_between(
            mcp_provider_or_builtin(worker->settings->provider), announcer->old, announcer->new);
    } else if (announcer->has_news) {
        announcer->has_news = false;
        announcer->change = (struct dialect_change){0};
    } else {
        return false;
    }
    announcer->conn = worker->conns.first;
    announcer->request = NULL;
    announcer->is_session_done = false;
    return true;
}

static void next_conn(struct core_announcer *announcer)
{
    announcer->conn = announcer->conn->next;
    announcer->request = NULL;
    announcer->is_session_done = false;
}

/* Notify a session, or a request that listens. */
static void notify_one(struct core_announcer *announcer, struct jsv_buf *scratch)
{
    struct core_conn *conn = announcer->conn;
    struct core_request *request = announcer->request;
    if (!announcer->is_session_done) {
        announcer->is_session_done = true;
        announcer->request = conn->requests.first;
        if (is_stream_of_session(conn) && conn->ops->can_push(conn)) {
            dialect_notify_session(conn->session, &announcer->change, scratch, push, conn);
        }
        return;
    }
    while (request && !request->is_listening) {
        request = request->next;
    }
    if (!request || !conn->ops->can_push(conn)) {
        next_conn(announcer);
        return;
    }
    announcer->request = request->next;
    dialect_notify_listener(&request->req, &announcer->change, scratch, push, conn);
}

/* The clock is read after each session and each listener: none has more than 1,000 resources. */
static void announce_portion(struct core_worker *worker)
{
    struct core_announcer *announcer = &worker->announcer;
    uint64_t until = os_now_us() + PORTION_US;
    struct jsv_buf scratch;
    jsv_buf_init(&scratch, os_allocator(), CORE_REPLY_SIZE_MAX);
    while (announcer->conn || begin(worker)) {
        while (announcer->conn && os_now_us() < until) {
            notify_one(announcer, &scratch);
        }
        if (announcer->conn) {
            loop_defer(worker->loop, LOOP_NEXT_ROUND, &announcer->portion);
            break;
        }
    }
    jsv_buf_done(&scratch);
}

static void run_portion(struct loop_deferred *portion)
{
    struct core_worker *worker = os_container_of(portion, struct core_worker, announcer.portion);
    announce_portion(worker);
}

void core_announce_init(struct core_worker *worker)
{
    worker->announcer.portion.run = run_portion;
}

/* An announcement that is under way continues with its next portion. */
static void start(struct core_worker *worker)
{
    if (!worker->announcer.conn) {
        announce_portion(worker);
    }
}

void core_announce(struct core_worker *worker, struct catalog *before)
{
    struct core_announcer *announcer = &worker->announcer;
    if (!worker->conns.first) {
        return;
    }
    if (!announcer->waiting) {
        announcer->waiting = catalog_retain(before);
    }
    start(worker);
}

void core_announce_skip_conn(struct core_conn *conn)
{
    struct core_announcer *announcer = &conn->worker->announcer;
    if (announcer->conn == conn) {
        next_conn(announcer);
    }
}

void core_announce_skip_request(struct core_request *request)
{
    struct core_announcer *announcer = &request->worker->announcer;
    if (announcer->request == request) {
        announcer->request = request->next;
    }
}

void core_announce_done(struct core_worker *worker)
{
    loop_cancel(worker->loop, &worker->announcer.portion);
    catalog_release(worker->announcer.waiting);
    end(&worker->announcer);
}

/* ---- diagnostics ---- */

void core_news(struct core_worker *worker)
{
    if (!worker->has_news) {
        worker->has_news = true;
        loop_timer_start(worker->news, CORE_NEWS_MS);
    }
}

void core_news_due(void *owner)
{
    struct core_worker *worker = owner;
    worker->has_news = false;
    core_sessions_tell(worker->settings->sessions);
}

void core_announce_news(struct core_worker *worker)
{
    const struct log *log = core_worker_log(worker);
    uint64_t news = log ? log_new_problems(log) : 0;
    if (news != worker->news_told) {
        worker->news_told = news;
        worker->announcer.has_news = true;
        start(worker);
    }
}
