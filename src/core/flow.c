/*
 * The traffic in the corridor: who walks, who waits, whose turn it is.
 *
 * Most requests walk through in one go and never appear on a list. One that
 * waits is put on its connection's list. Those that run one after another
 * share a turn: while the one that has it waits, the others wait for it, and
 * are walked on in the order they came, one in a round of the loop.
 */
#include <errno.h>

#include "core/account.h"
#include "core/ask.h"
#include "core/batch.h"
#include "core/cancel.h"
#include "core/limits.h"
#include "core/output.h"
#include "core/pipeline.h"
#include "core/sessions.h"
#include "core/worker_state.h"
#include "dialect/mcp/provider.h"
#include "log/text.h"
#include "loop/loop.h"
#include "os/sys.h"

/* ---- beginning and ending ---- */

static int keep_session(struct dialect_request *asked)
{
    struct core_request *request = (struct core_request *)asked;
    uint64_t retry_ms = 0;
    int r = core_sessions_add(request->worker->settings->sessions, *asked->session, &retry_ms);
    request->begins_session = r == 0;
    asked->retry_after_s = (unsigned)((retry_ms + 999) / 1000);
    return r;
}

static bool find_session(struct dialect_request *asked, struct jsv_str id)
{
    struct core_worker *worker = ((struct core_request *)asked)->worker;
    if (!*asked->session) {
        *asked->session = core_sessions_find(worker->settings->sessions, id);
    }
    return *asked->session; /* messages of a batch share it */
}

static void push_message(struct dialect_request *asked, struct jsv_str message)
{
    struct core_request *request = (struct core_request *)asked;
    bool is_sound = !asked->dialect->is_sound || core_output_check_message(request, message) != 0;
    if (is_sound) {
        request->conn->ops->push(request->conn, message);
    } else {
        log_text_warning("invalid_message", "method", asked->message.method);
    }
}

static bool may_listen(const struct dialect_request *asked)
{
    return core_conn_may_wait_for_client(((const struct core_request *)asked)->conn);
}

/* Our own texts and results are larger and deeper than messages may be. */
static int read_text(struct dialect_request *asked, struct jsv_str text, struct jsv_value *ret_root)
{
    struct core_request *request = (struct core_request *)asked;
    if (!request->spare) {
        request->spare = jsv_document_new(os_allocator());
    }
    if (!request->spare) {
        return -ENOMEM;
    }
    struct jsv_error error;
    int r = jsv_read(request->worker->output_reader, request->spare, text, 0, &error);
    *ret_root = jsv_document_root(request->spare);
    return r;
}

static int shorten(struct dialect_request *asked, struct jsv_str message)
{
    return core_request_shorten((struct core_request *)asked, message);
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

void core_begin(struct core_request *request, struct core_conn *conn, const struct rpc_frame *frame)
{
    struct core_worker *worker = request->worker;
    struct dialect_request *asked = &request->asked;
    request->conn = conn;
    request->frame = *frame;
    request->input_bytes = frame->text.size;
    request->in_turn = true; /* until a dialect says otherwise */
    asked->message.kind = RPC_FOREIGN;
    asked->host = &host;
    asked->http = conn->http;
    asked->session = &conn->session;
    asked->catalog = worker->catalog;
    asked->provider = mcp_provider_or_own(worker->settings->provider);
    asked->definitions = worker->settings->definitions;
    asked->envelopes = worker->settings->envelopes;
    asked->log = core_worker_log(worker);
    asked->is_private = worker->settings->is_private;
    asked->began_us = worker->clock_us = os_now_us();
    asked->reader = worker->reader;
    asked->validator = worker->validator;
    asked->scratch = &request->scratch;
    asked->nothing = jsv_document_root(worker->empty);
    asked->reply = &request->reply;
    asked->dialect = dialect_of_endpoint(conn->http);
    asked->http_status = 200;
}

void core_end(struct core_request *request)
{
    struct core_request *batch = request->parent;
    core_cancel_forget(request);
    if (request->is_linked) {
        core_request_unlink(request);
    }
    if (request->asked.http && !batch) {
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
    core_account_abandoned(request);
    if (request->is_calling) {
        tool_cancel(&request->call);
    }
    core_forget_questions(request);
    core_end(request);
}

/* ---- waiting ---- */

void core_park(struct core_request *request)
{
    if (!request->is_linked) {
        core_request_link(request);
        core_cancel_offer(request);
    }
    if (request->has_turn) {
        request->conn->in_turn = request;
    }
}

void core_walk_or_park(struct core_request *request)
{
    if (core_walk(request)) {
        core_end(request);
    } else {
        core_park(request);
    }
}

/* The first of those that wait for a turn that is free. */
static struct core_request *next_in_turn(const struct core_conn *conn)
{
    struct core_request *request = conn->in_turn ? NULL : conn->requests.first;
    while (request && !(request->in_turn && !request->has_turn)) {
        request = request->next;
    }
    return request;
}

void core_tell_door(struct core_conn *conn)
{
    if (conn->was_full && !core_conn_is_full(conn)) {
        conn->was_full = false;
        conn->ops->resume(conn);
    } else if (!core_conn_is_busy(conn)) {
        conn->ops->idle(conn);
    }
}

/* All that is checked until the message waits or is over, a batch as a whole, shares its steps. */
static void walk_in_time(struct core_request *request)
{
    jsv_validator_set_budget(request->worker->validator, CORE_STEPS_MAX);
    core_walk_or_park(request);
}

/*
 * A turn that has become free is promised to the next message that waits for it, and taken in
 * another round of the loop: behind a slow one there may be a lot of work, and others have
 * messages, too. Until then no message that comes in may have it.
 */
static void promise_turn(struct core_conn *conn)
{
    conn->turn_is_promised = next_in_turn(conn) != NULL;
    if (conn->turn_is_promised) {
        loop_defer(conn->worker->loop, LOOP_NEXT_ROUND, &conn->worker->turns);
    }
}

static void give_turn(struct core_conn *conn)
{
    struct core_request *request = next_in_turn(conn);
    conn->turn_is_promised = false;
    if (request) {
        walk_in_time(request);
    }
    promise_turn(conn);
    core_tell_door(conn);
}

/* One message of each connection. @return whether there are more. */
static bool give_each_a_turn(struct core_worker *worker)
{
    bool is_more = false;
    struct core_conn *conn = worker->conns.first;
    while (conn) {
        struct core_conn *next = conn->next;
        if (conn->turn_is_promised) {
            give_turn(conn);
            is_more |= conn->turn_is_promised;
        }
        conn = next;
    }
    return is_more;
}

/* So long, or for one message of each connection; then the loop reads and sends. */
#define TURNS_US 1000

void core_give_turns(struct loop_deferred *turns)
{
    struct core_worker *worker = os_container_of(turns, struct core_worker, turns);
    uint64_t until = os_now_us() + TURNS_US;
    while (give_each_a_turn(worker) && os_now_us() < until) {
        /* it has queued itself for the next round */
    }
}

void core_resume(struct core_request *request)
{
    struct core_conn *conn = request->conn;
    request->stage++;
    walk_in_time(request);
    promise_turn(conn);
    core_tell_door(conn);
}

/* ---- the door's side ---- */

void core_handle(struct core_conn *conn, const struct rpc_frame *frame)
{
    struct core_request *request = core_request_take(conn->worker);
    if (!request) {
        conn->ops->answer(conn, &core_last_words);
        return;
    }
    core_begin(request, conn, frame);
    if (conn->round_began_us == 0) {
        conn->round_began_us = request->asked.began_us;
    }
    walk_in_time(request);
    conn->was_full = core_conn_is_full(conn);
}
