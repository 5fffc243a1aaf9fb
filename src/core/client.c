/*
 * A question has two owners: the session, until there is an answer, and the
 * request that asked. The one that takes it off the session's list has it
 * alone: an arriving answer, which posts it to the request's loop, or the
 * request, which frees it. When the request ends while the question is on its
 * way, the loop finds request == NULL on arrival; both happen on that loop.
 * The same holds for the entry by which a waiting request can be cancelled.
 */
#include "core/client.h"

#include <errno.h>
#include <string.h>

#include "core/limits.h"
#include "core/outcome.h"
#include "core/pipeline.h"
#include "core/worker_state.h"
#include "dialect/session.h"
#include "jsv/base/alloc.h"
#include "loop/loop.h"
#include "os/sys.h"

struct core_question {
    struct dialect_question base; /* first */
    struct loop_task task;
    struct loop *loop;            /* that asked */
    struct core_request *request; /* NULL: it no longer waits; only for that loop */
    struct core_question *next;   /* of the request */
    struct jsv_buf answer;        /* empty: the client could not answer */
    size_t key_size;
    char key[];
};

struct core_cancellable {
    struct dialect_pending pending; /* first */
    struct loop_task task;
    struct loop *loop;            /* the request waits on */
    struct core_request *request; /* NULL: it is finished; only for that loop */
};

/* ---- notifications ---- */

static struct dialect_req *req_of(const struct tool_call *call)
{
    return &((struct core_request *)call->owner)->req;
}

/* Whether the client would get a message; if not, none is written. */
static bool can_push(const struct tool_call *call)
{
    struct core_request *request = call->owner;
    return request->req.dialect->client && request->conn->ops->can_push(request->conn);
}

static void send_progress(struct tool_call *call, uint64_t done, uint64_t total)
{
    struct dialect_req *req = req_of(call);
    if (can_push(call)) {
        req->dialect->client->progress(req, done, total);
    }
}

static void send_log(struct tool_call *call, enum tool_level level, struct jsv_str text)
{
    struct dialect_req *req = req_of(call);
    if (can_push(call)) {
        req->dialect->client->log(req, level, text);
    }
}

static bool offers(const struct tool_call *call, struct jsv_str capability)
{
    struct dialect_req *req = req_of(call);
    return req->dialect->client && req->dialect->client->offers(req, capability);
}

static struct log_trace_context trace_of(const struct tool_call *call)
{
    const struct core_request *request = call->owner;
    return core_trace_of(request, core_subject_of(request).meta);
}

const struct tool_client core_client = {
    .progress = send_progress,
    .log = send_log,
    .offers = offers,
    .trace = trace_of,
};

/* ---- questions ---- */

static void free_question(struct core_question *question)
{
    jsv_buf_done(&question->answer);
    jsv_dealloc(os_allocator(), question, sizeof(*question) + question->key_size);
}

int core_host_ask(
    struct dialect_req *req, struct jsv_str key, const struct mcp_method *method, uint64_t *ret_id)
{
    struct core_request *request = (struct core_request *)req;
    if (!request->conn->ops->can_push(request->conn)) {
        return -ENOTCONN;
    }
    struct core_question *question = jsv_alloc(os_allocator(), sizeof(*question) + key.size);
    if (!question) {
        return -ENOMEM;
    }
    *question = (struct core_question){
        .base = {.method = method},
        .loop = request->worker->loop,
        .request = request,
        .next = request->questions,
        .key_size = key.size,
    };
    memcpy(question->key, key.data, key.size);
    jsv_buf_init(&question->answer, os_allocator(), CORE_FRAME_SIZE_MAX);
    request->questions = question;
    dialect_session_ask(*req->session, &question->base);
    *ret_id = question->base.id;
    return 0;
}

static void on_ask_timeout(void *owner)
{
    struct core_request *request = owner;
    core_give_up_asking(request, JSV_STR("the client did not answer in time"));
    core_resume_at(request, CORE_STAGE_ANSWER);
}

static bool wait_for_answers(struct core_request *request)
{
    int r = loop_timer_new(request->worker->loop, on_ask_timeout, request, &request->ask_timer);
    if (r < 0) {
        return false;
    }
    loop_timer_start(request->ask_timer, CORE_ANSWER_MS);
    jsv_buf_reset(&request->inputs);
    jsv_buf_append_byte(&request->inputs, '{');
    request->is_asking = true;
    return true;
}

/* The questions are read into the document that the answers are read into later. */
bool core_ask(struct core_request *request)
{
    struct dialect_req *req = &request->req;
    const struct dialect_client_ops *client = req->dialect->client;
    struct jsv_value questions;
    if (!client || req->host->read(req, jsv_buf_str(&request->result), &questions) < 0) {
        req->dialect->fail(req, JSV_STR("the client cannot be asked"));
        return false;
    }
    if (!core_conn_may_wait_for_client(request->conn)) {
        req->dialect->fail(req, JSV_STR("too many questions to the client are open"));
        return false;
    }
    req->state_in = request->call.state_out;
    bool is_asked = client->ask(req, questions, req->state_in) && wait_for_answers(request);
    if (!is_asked) {
        core_forget_questions(request);
        if (request->reply.size == 0) {
            req->dialect->fail(req, JSV_STR("the client could not be asked"));
        }
    }
    return is_asked;
}

void core_forget_questions(struct core_request *request)
{
    while (request->questions) {
        struct core_question *question = request->questions;
        request->questions = question->next;
        question->request = NULL;
        if (dialect_session_take_question(*request->req.session, question->base.id)) {
            free_question(question);
        }
    }
    loop_timer_close(request->ask_timer);
    request->ask_timer = NULL;
    request->is_asking = false;
}

void core_give_up_asking(struct core_request *request, struct jsv_str details)
{
    core_forget_questions(request);
    request->req.dialect->client->give_up(&request->req, details);
}

/* ---- answers ---- */

static void remove_question(struct core_request *request, const struct core_question *question)
{
    struct core_question **place = &request->questions;
    while (*place != question) {
        place = &(*place)->next;
    }
    *place = question->next;
}

static void append_input(struct core_request *request, const struct core_question *question)
{
    struct jsv_buf *inputs = &request->inputs;
    if (inputs->size > 1) {
        jsv_buf_append_byte(inputs, ',');
    }
    struct jsv_writer name = jsv_writer_on(inputs);
    jsv_write_string(&name, (struct jsv_str){question->key, question->key_size});
    jsv_buf_append_byte(inputs, ':');
    jsv_buf_append_str(inputs, jsv_buf_str(&question->answer));
}

static void give_up_and_resume(struct core_request *request, struct jsv_str details)
{
    core_give_up_asking(request, details);
    core_resume_at(request, CORE_STAGE_ANSWER);
}

/* All answers have arrived. */
static void run_tool_again(struct core_request *request)
{
    struct dialect_req *req = &request->req;
    jsv_buf_append_byte(&request->inputs, '}');
    int r = request->inputs.error;
    if (r == 0) {
        r = req->host->read(req, jsv_buf_str(&request->inputs), &req->inputs);
    }
    if (r < 0) {
        give_up_and_resume(request, JSV_STR("the answers could not be read"));
        return;
    }
    core_forget_questions(request);
    jsv_buf_reset(&request->result);
    core_resume_at(request, CORE_STAGE_TOOL);
}

static void take_answer(struct core_question *question)
{
    struct core_request *request = question->request;
    if (!request) {
        return;
    }
    remove_question(request, question);
    if (question->answer.size == 0 || question->answer.error < 0) {
        give_up_and_resume(request, JSV_STR("the client could not answer"));
        return;
    }
    append_input(request, question);
    if (!request->questions) {
        run_tool_again(request);
    }
}

static void run_answer(struct loop_task *task)
{
    struct core_question *question = os_container_of(task, struct core_question, task);
    take_answer(question);
    free_question(question);
}

void core_host_answer(
    struct dialect_req *req, struct dialect_question *question, struct jsv_value result)
{
    (void)req;
    struct core_question *own = (struct core_question *)question;
    if (jsv_value_type(result) != JSV_TYPE_NONE) {
        jsv_buf_append_str(&own->answer, jsv_value_span(result));
    }
    own->task.run = run_answer;
    loop_post(own->loop, &own->task);
}

/* ---- cancellation: the request's side ---- */

static void free_cancellable(struct core_cancellable *cancellable)
{
    jsv_dealloc(os_allocator(), cancellable, sizeof(*cancellable));
}

/* Without memory for it the request cannot be cancelled; the protocol lets us finish it. */
void core_cancel_offer(struct core_request *request)
{
    const struct dialect_req *req = &request->req;
    if (!req->http || !*req->session || req->message.kind != RPC_REQUEST) {
        return;
    }
    struct core_cancellable *cancellable = jsv_alloc(os_allocator(), sizeof(*cancellable));
    if (!cancellable) {
        return;
    }
    *cancellable = (struct core_cancellable){
        .pending = {.id = req->message.id},
        .loop = request->worker->loop,
        .request = request,
    };
    request->cancellable = cancellable;
    dialect_session_register(*req->session, &cancellable->pending);
}

void core_cancel_forget(struct core_request *request)
{
    struct core_cancellable *cancellable = request->cancellable;
    if (!cancellable) {
        return;
    }
    request->cancellable = NULL;
    cancellable->request = NULL;
    if (dialect_session_unregister(*request->req.session, &cancellable->pending)) {
        free_cancellable(cancellable);
    }
}

/* ---- cancellation: the client's side ---- */

/* A batch is answered as a whole; a request on its own ends without an answer. */
static void cancel_here(struct core_request *request)
{
    struct core_conn *conn = request->conn;
    bool is_alone = !request->parent;
    core_abandon(request);
    if (is_alone) {
        conn->ops->hang_up(conn);
    }
    core_notify_transport(conn);
}

static void run_cancellation(struct loop_task *task)
{
    struct core_cancellable *cancellable = os_container_of(task, struct core_cancellable, task);
    if (cancellable->request) {
        cancellable->request->cancellable = NULL;
        cancel_here(cancellable->request);
    }
    free_cancellable(cancellable);
}

static void cancel_in_session(const struct dialect_req *req, struct jsv_value id)
{
    struct core_cancellable *cancellable =
        (struct core_cancellable *)dialect_session_cancel(*req->session, id, req->scratch);
    if (cancellable) {
        cancellable->task.run = run_cancellation;
        loop_post(cancellable->loop, &cancellable->task);
    }
}

/* Serial dialects have no cancellation. */
static void cancel_on_connection(const struct dialect_req *req, struct jsv_value id)
{
    struct core_request *request = ((const struct core_request *)req)->conn->requests.first;
    while (request) {
        bool waits = request->is_calling || request->is_listening || request->is_asking;
        if (waits && !request->serial &&
            jsv_value_equal(request->req.message.id, id, req->scratch) == 1) {
            core_abandon(request);
            return;
        }
        request = request->next;
    }
}

void core_host_cancel(struct dialect_req *req, struct jsv_value id)
{
    if (!req->http) {
        cancel_on_connection(req, id);
    } else if (*req->session) {
        cancel_in_session(req, id);
    }
}
