/*
 * How requests start, wait and end, and which one runs next.
 *
 * Most requests run through the pipeline at once and are never on a list. A
 * request that waits is put on its connection's list.
 *
 * Serial requests of one connection run in the order they came: while one of
 * them holds the order, the others wait. When it is finished, the order is
 * reserved for the next one, which runs in another round of the loop, because
 * much work may have queued up and other connections have messages, too. Until
 * then no message that comes in may take the order.
 */
#include <errno.h>

#include "core/client.h"
#include "core/limits.h"
#include "core/pipeline.h"
#include "core/request_log.h"
#include "core/sessions.h"
#include "core/worker_state.h"
#include "dialect/mcp/provider.h"
#include "documents/published.h"
#include "loop/loop.h"
#include "os/sys.h"

/* ---- what a dialect may ask for ---- */

static int keep_session(struct dialect_req *req)
{
    struct core_request *request = (struct core_request *)req;
    uint64_t retry_ms = 0;
    int r = core_sessions_add(request->worker->settings->sessions, *req->session, &retry_ms);
    request->begins_session = r == 0;
    req->retry_after_s = (unsigned)((retry_ms + 999) / 1000);
    return r;
}

/* The messages of a batch share one session. */
static bool find_session(struct dialect_req *req, struct jsv_str id)
{
    struct core_worker *worker = ((struct core_request *)req)->worker;
    if (!*req->session) {
        *req->session = core_sessions_find(worker->settings->sessions, id);
    }
    return *req->session;
}

static void push_message(struct dialect_req *req, struct jsv_str message)
{
    struct core_conn *conn = ((struct core_request *)req)->conn;
    conn->ops->push(conn, message);
}

static bool may_listen(const struct dialect_req *req)
{
    return core_conn_may_wait_for_client(((const struct core_request *)req)->conn);
}

/* The output reader, because documents and results are larger and deeper than messages may be. */
static int read_text(struct dialect_req *req, struct jsv_str text, struct jsv_value *ret_root)
{
    struct core_request *request = (struct core_request *)req;
    if (!request->extra_document) {
        request->extra_document = jsv_document_new(os_allocator());
    }
    if (!request->extra_document) {
        return -ENOMEM;
    }
    struct jsv_error error;
    int r = jsv_read(request->worker->output_reader, request->extra_document, text, 0, &error);
    *ret_root = jsv_document_root(request->extra_document);
    return r;
}

static int shorten(struct dialect_req *req, struct jsv_str message)
{
    return core_request_shorten((struct core_request *)req, message);
}

static const struct dialect_host host = {
    .cancel = core_host_cancel,
    .push = push_message,
    .may_listen = may_listen,
    .keep_session = keep_session,
    .find_session = find_session,
    .shorten = shorten,
    .read = read_text,
    .ask = core_host_ask,
    .answer = core_host_answer,
};

/* ---- starting and ending ---- */

void core_start(struct core_request *request, struct core_conn *conn, const struct rpc_frame *frame)
{
    struct core_worker *worker = request->worker;
    struct dialect_req *req = &request->req;
    request->conn = conn;
    request->frame = *frame;
    request->input_bytes = frame->text.size;
    request->serial = true; /* until the dialect is known */
    req->message.kind = RPC_FOREIGN;
    req->host = &host;
    req->http = conn->http;
    req->session = &conn->session;
    req->catalog = worker->catalog;
    req->provider = mcp_provider_or_builtin(worker->settings->provider);
    req->definitions = worker->settings->definitions;
    req->envelopes = worker->settings->envelopes;
    req->log = core_worker_log(worker);
    req->is_private = worker->settings->is_private;
    req->began_us = worker->clock_us = os_now_us();
    req->reader = worker->reader;
    req->validator = worker->validator;
    req->scratch = &request->scratch;
    req->empty_object = jsv_document_root(worker->empty);
    req->reply = &request->reply;
    req->dialect =
        documents_serve(conn->http) ? &dialect_documents : dialect_of_endpoint(conn->http);
    req->http_status = 200;
}

void core_end(struct core_request *request)
{
    struct core_request *batch = request->parent;
    core_cancel_forget(request);
    if (request->is_linked) {
        core_request_unlink(request);
    }
    if (request->req.http && !batch) {
        core_conn_forget_session(request->conn);
    }
    core_request_give_back(request);
    if (batch) {
        core_batch_leave(batch);
    }
}

void core_abandon(struct core_request *request)
{
    core_request_end_queueing(request);
    core_log_abandoned(request);
    if (request->is_calling) {
        tool_cancel(&request->call);
    }
    core_forget_questions(request);
    core_end(request);
}

void core_park(struct core_request *request)
{
    if (!request->is_linked) {
        core_request_link(request);
        core_cancel_offer(request);
    }
    if (request->holds_order) {
        request->conn->order_holder = request;
    }
}

void core_handle(struct core_conn *conn, const struct rpc_frame *frame)
{
    struct core_request *request = core_request_take(conn->worker);
    if (!request) {
        conn->ops->answer(conn, &core_out_of_memory);
        return;
    }
    core_start(request, conn, frame);
    if (conn->round_began_us == 0) {
        conn->round_began_us = request->req.began_us;
    }
    jsv_validator_set_budget(request->worker->validator, CORE_STEPS_MAX);
    core_run(request);
    conn->was_full = core_conn_is_full(conn);
}

void core_notify_transport(struct core_conn *conn)
{
    if (conn->was_full && !core_conn_is_full(conn)) {
        conn->was_full = false;
        conn->ops->resume(conn);
    } else if (!core_conn_is_busy(conn)) {
        conn->ops->idle(conn);
    }
}

/* ---- order ---- */

/* The first request that waits for the order; NULL when another one holds it. */
static struct core_request *next_in_order(const struct core_conn *conn)
{
    struct core_request *request = conn->order_holder ? NULL : conn->requests.first;
    while (request && !(request->serial && !request->holds_order)) {
        request = request->next;
    }
    return request;
}

void core_reserve_order(struct core_conn *conn)
{
    conn->order_reserved = next_in_order(conn) != NULL;
    if (conn->order_reserved) {
        loop_defer(conn->worker->loop, LOOP_NEXT_ROUND, &conn->worker->reserved);
    }
}

static void run_next(struct core_conn *conn)
{
    struct core_request *request = next_in_order(conn);
    conn->order_reserved = false;
    if (request) {
        jsv_validator_set_budget(conn->worker->validator, CORE_STEPS_MAX);
        core_run(request);
    }
    core_reserve_order(conn);
    core_notify_transport(conn);
}

/* Run one message of each connection. @return whether there are more. */
static bool run_one_of_each(struct core_worker *worker)
{
    bool is_more = false;
    struct core_conn *conn = worker->conns.first;
    while (conn) {
        struct core_conn *next = conn->next;
        if (conn->order_reserved) {
            run_next(conn);
            is_more |= conn->order_reserved;
        }
        conn = next;
    }
    return is_more;
}

/* After so long, or after one message of each connection, the loop reads and sends again. */
#define RESERVED_RUN_US 1000

void core_run_reserved(struct loop_deferred *reserved)
{
    struct core_worker *worker = os_container_of(reserved, struct core_worker, reserved);
    uint64_t until = os_now_us() + RESERVED_RUN_US;
    while (run_one_of_each(worker) && os_now_us() < until) {
        /* core_reserve_order() has deferred the rest to the next round */
    }
}
