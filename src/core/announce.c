#include "core/announce.h"

#include "core/limits.h"
#include "core/request.h"
#include "core/worker_state.h"
#include "dialect/mcp_provider.h"
#include "dialect/notify.h"
#include "dialect/session.h"
#include "log/log.h"
#include "loop/loop.h"
#include "os/sys.h"

static void push(void *owner, struct jsv_str message)
{
    struct core_conn *conn = owner;
    conn->ops->push(conn, message);
}

/*
 * Over HTTP a session's messages go to one stream, the newest, or when that is gone any that is
 * left; else to the connection itself.
 */
static bool hears_for_session(struct core_conn *conn)
{
    if (conn->transport != CORE_TRANSPORT_HTTP) {
        return conn->session;
    }
    const void *heard_by = NULL;
    return conn->is_stream &&
           (atomic_compare_exchange_strong(&conn->session->stream, &heard_by, conn) ||
            heard_by == conn);
}

static void
announce_to(struct core_conn *conn, const struct dialect_change *change, struct jsv_buf *scratch)
{
    if (hears_for_session(conn)) {
        dialect_notify_session(conn->session, change, scratch, push, conn);
    }
    for (struct core_request *request = conn->requests; request; request = request->next) {
        if (request->is_listening) {
            dialect_notify_listener(&request->asked, change, scratch, push, conn);
        }
    }
}

static void announce_to_all(const struct core_worker *worker, const struct dialect_change *change)
{
    struct jsv_buf scratch;
    jsv_buf_init(&scratch, os_allocator(), CORE_REPLY_SIZE_MAX);
    for (struct core_conn *conn = worker->conns; conn; conn = conn->next) {
        announce_to(conn, change, &scratch);
    }
    jsv_buf_done(&scratch);
}

void core_announce(struct core_worker *worker, const struct catalog *before)
{
    if (!worker->conns) {
        return; /* nobody to be told what has changed */
    }
    const struct dialect_change change = dialect_change_between(
        mcp_provider_or_own(worker->settings->provider), before, worker->catalog);
    announce_to_all(worker, &change);
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
    uint64_t news = log ? log_news(log) : 0;
    if (news != worker->news_told) {
        const struct dialect_change change = dialect_change_of_diagnostics();
        worker->news_told = news;
        announce_to_all(worker, &change);
    }
}
