/*
 * A cancellable belongs to two, as a question does (ask.c): the session, while
 * nobody has given the request up, and the request. Whoever takes it out of
 * the session's list has it for himself: the one who cancels, who posts it
 * home, or the request, which frees it. One that is on its way home when the
 * request ends learns that on its arrival; both happen on the same loop.
 */
#include "core/cancel.h"

#include "core/pipeline.h"
#include "core/worker_state.h"
#include "dialect/session.h"
#include "jsv/base/alloc.h"
#include "loop/loop.h"
#include "os/sys.h"

struct core_cancellable {
    struct dialect_pending pending; /* first */
    struct loop_task task;
    struct loop *loop;            /* the request waits on */
    struct core_request *request; /* NULL: it is over; for that loop alone */
};

static void free_cancellable(struct core_cancellable *cancellable)
{
    jsv_dealloc(os_allocator(), cancellable, sizeof(*cancellable));
}

/* ---- the request's side ---- */

/* Without memory for it the request cannot be given up; the protocol lets us finish it. */
void core_cancel_offer(struct core_request *request)
{
    const struct dialect_request *asked = &request->asked;
    if (!asked->http || !*asked->session || asked->message.kind != RPC_REQUEST) {
        return;
    }
    struct core_cancellable *cancellable = jsv_alloc(os_allocator(), sizeof(*cancellable));
    if (!cancellable) {
        return;
    }
    *cancellable = (struct core_cancellable){
        .pending = {.id = asked->message.id},
        .loop = request->worker->loop,
        .request = request,
    };
    request->cancellable = cancellable;
    dialect_session_wait(*asked->session, &cancellable->pending);
}

void core_cancel_forget(struct core_request *request)
{
    struct core_cancellable *cancellable = request->cancellable;
    if (!cancellable) {
        return;
    }
    request->cancellable = NULL;
    cancellable->request = NULL;
    if (dialect_session_wait_no_more(*request->asked.session, &cancellable->pending)) {
        free_cancellable(cancellable);
    }
}

/* ---- the client's side ---- */

/* All messages of a batch have one answer; a request alone ends without one. */
static void cancel_here(struct core_request *request)
{
    struct core_conn *conn = request->conn;
    bool is_alone = !request->parent;
    core_abandon(request);
    if (is_alone) {
        conn->ops->hang_up(conn);
    }
    core_tell_door(conn);
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

static void cancel_in_session(const struct dialect_request *asked, struct jsv_value id)
{
    struct core_cancellable *cancellable =
        (struct core_cancellable *)dialect_session_cancel(*asked->session, id, asked->scratch);
    if (cancellable) {
        cancellable->task.run = run_cancellation;
        loop_post(cancellable->loop, &cancellable->task);
    }
}

/* Those in turn have no such word. */
static void cancel_on_connection(const struct dialect_request *asked, struct jsv_value id)
{
    struct core_request *request = ((const struct core_request *)asked)->conn->requests.first;
    while (request) {
        bool waits = request->is_calling || request->is_listening || request->is_asking;
        bool is_it = waits && !request->in_turn &&
                     jsv_value_equal(request->asked.message.id, id, asked->scratch) == 1;
        if (is_it) {
            core_abandon(request);
            return;
        }
        request = request->next;
    }
}

void core_host_cancel(struct dialect_request *asked, struct jsv_value id)
{
    if (!asked->http) {
        cancel_on_connection(asked, id);
    } else if (*asked->session) {
        cancel_in_session(asked, id);
    }
}
