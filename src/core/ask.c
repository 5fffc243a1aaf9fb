/*
 * A question belongs to two: the session, while there is no answer, and the
 * request that asked. Whoever takes it out of the session's list has it for
 * himself: an answer that came, which posts it home, or the request, which
 * frees it. One that is on its way home when the request ends learns that on
 * its arrival; both happen on the same loop.
 */
#include "core/ask.h"

#include <errno.h>
#include <string.h>

#include "core/limits.h"
#include "core/pipeline.h"
#include "core/subject.h"
#include "core/trace.h"
#include "core/worker_state.h"
#include "dialect/session.h"
#include "jsv/base/alloc.h"
#include "loop/loop.h"
#include "os/sys.h"

struct core_question {
    struct dialect_question asked; /* first */
    struct loop_task task;
    struct loop *loop;            /* that asked */
    struct core_request *request; /* NULL: nobody waits any more; for that loop alone */
    struct core_question *next;   /* of the request */
    struct jsv_buf answer;        /* empty: the client could not answer */
    size_t key_size;
    char key[];
};

static void free_question(struct core_question *question)
{
    jsv_buf_done(&question->answer);
    jsv_dealloc(os_allocator(), question, sizeof(*question) + question->key_size);
}

/* ---- saying ---- */

static struct dialect_request *asked_by(const struct tool_call *call)
{
    return &((struct core_request *)call->owner)->asked;
}

/* Whether the client would get a message; if not, none is written. */
static bool can_push(const struct tool_call *call)
{
    struct core_request *request = call->owner;
    return request->asked.dialect->talk && request->conn->ops->can_push(request->conn);
}

static void say_progress(struct tool_call *call, uint64_t done, uint64_t total)
{
    struct dialect_request *asked = asked_by(call);
    if (can_push(call)) {
        asked->dialect->talk->progress(asked, done, total);
    }
}

static void say_log(struct tool_call *call, enum tool_level level, struct jsv_str text)
{
    struct dialect_request *asked = asked_by(call);
    if (can_push(call)) {
        asked->dialect->talk->log(asked, level, text);
    }
}

static bool offers(const struct tool_call *call, struct jsv_str capability)
{
    struct dialect_request *asked = asked_by(call);
    return asked->dialect->talk && asked->dialect->talk->offers(asked, capability);
}

static struct log_trace_context trace_of(const struct tool_call *call)
{
    const struct core_request *request = call->owner;
    return core_trace_of(request, core_subject_of(request).meta);
}

const struct tool_client core_client = {
    .progress = say_progress,
    .log = say_log,
    .offers = offers,
    .trace = trace_of,
};

/* ---- asking ---- */

int core_host_ask(
    struct dialect_request *asked,
    struct jsv_str key,
    const struct mcp_method *method,
    uint64_t *ret_id)
{
    struct core_request *request = (struct core_request *)asked;
    if (!request->conn->ops->can_push(request->conn)) {
        return -ENOTCONN;
    }
    struct core_question *question = jsv_alloc(os_allocator(), sizeof(*question) + key.size);
    if (!question) {
        return -ENOMEM;
    }
    *question = (struct core_question){
        .asked = {.method = method},
        .loop = request->worker->loop,
        .request = request,
        .next = request->questions,
        .key_size = key.size,
    };
    memcpy(question->key, key.data, key.size);
    jsv_buf_init(&question->answer, os_allocator(), CORE_FRAME_SIZE_MAX);
    request->questions = question;
    dialect_session_ask(*asked->session, &question->asked);
    *ret_id = question->asked.id;
    return 0;
}

static void time_is_over(void *owner)
{
    struct core_request *request = owner;
    core_give_up_asking(request, JSV_STR("the client did not answer in time"));
    core_resume(request);
}

static bool wait_for_answers(struct core_request *request)
{
    int r = loop_timer_new(request->worker->loop, time_is_over, request, &request->patience);
    if (r < 0) {
        return false;
    }
    loop_timer_start(request->patience, CORE_ANSWER_MS);
    jsv_buf_reset(&request->inputs);
    jsv_buf_append_byte(&request->inputs, '{');
    request->is_asking = true;
    return true;
}

/* What is asked for is read into memory that what is answered takes later. */
bool core_ask(struct core_request *request)
{
    struct dialect_request *asked = &request->asked;
    const struct dialect_talk *talk = asked->dialect->talk;
    struct jsv_value questions;
    if (!talk || asked->host->read(asked, jsv_buf_str(&request->result), &questions) < 0) {
        asked->dialect->fail(asked, JSV_STR("the client cannot be asked"));
        return false;
    }
    if (!core_conn_may_wait_for_client(request->conn)) {
        asked->dialect->fail(asked, JSV_STR("too many questions to the client are open"));
        return false;
    }
    asked->memory = request->call.remember;
    bool is_asked = talk->ask(asked, questions, asked->memory) && wait_for_answers(request);
    if (!is_asked) {
        core_forget_questions(request);
        if (request->reply.size == 0) {
            asked->dialect->fail(asked, JSV_STR("the client could not be asked"));
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
        if (dialect_session_give_up(*request->asked.session, &question->asked)) {
            free_question(question);
        }
    }
    loop_timer_close(request->patience);
    request->patience = NULL;
    request->is_asking = false;
}

void core_give_up_asking(struct core_request *request, struct jsv_str details)
{
    core_forget_questions(request);
    request->asked.dialect->talk->give_up(&request->asked, details);
    request->stopped = CORE_STAGE_TOOL;
    request->stage = CORE_STAGE_RENDER; /* it is done */
}

/* ---- answers ---- */

static void forget_question(struct core_request *request, const struct core_question *question)
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
    struct jsv_writer name = jsv_writer_on(inputs);
    if (inputs->size > 1) {
        jsv_buf_append_byte(inputs, ',');
        name = jsv_writer_on(inputs);
    }
    jsv_write_string(&name, (struct jsv_str){question->key, question->key_size});
    jsv_buf_append_byte(inputs, ':');
    jsv_buf_append_str(inputs, jsv_buf_str(&question->answer));
}

/* All answers are there: back to the stage before the tool's. */
static void run_again(struct core_request *request)
{
    struct dialect_request *asked = &request->asked;
    jsv_buf_append_byte(&request->inputs, '}');
    int r = request->inputs.error;
    if (r == 0) {
        r = asked->host->read(asked, jsv_buf_str(&request->inputs), &asked->inputs);
    }
    if (r < 0) {
        core_give_up_asking(request, JSV_STR("the answers could not be read"));
    } else {
        core_forget_questions(request);
        jsv_buf_reset(&request->result);
        request->stage = CORE_STAGE_INPUT;
    }
    core_resume(request);
}

static void arrive(struct core_question *question)
{
    struct core_request *request = question->request;
    if (!request) {
        return;
    }
    forget_question(request, question);
    if (question->answer.size == 0 || question->answer.error < 0) {
        core_give_up_asking(request, JSV_STR("the client could not answer"));
        core_resume(request);
        return;
    }
    append_input(request, question);
    if (!request->questions) {
        run_again(request);
    }
}

static void run_answer(struct loop_task *task)
{
    struct core_question *question = os_container_of(task, struct core_question, task);
    arrive(question);
    free_question(question);
}

void core_host_answer(
    struct dialect_request *asked, struct dialect_question *question, struct jsv_value result)
{
    (void)asked;
    struct core_question *own = (struct core_question *)question;
    if (jsv_value_type(result) != JSV_TYPE_NONE) {
        jsv_buf_append_str(&own->answer, jsv_value_span(result));
    }
    own->task.run = run_answer;
    loop_post(own->loop, &own->task);
}
