/*
 * The message pipeline. Every message passes these stages in order, whichever
 * transport it came from.
 *
 *     frame    reject oversized messages unread
 *     json     check syntax, UTF-8, depth, duplicates   -32700
 *     rpc      check the shape of a message             -32600
 *     order    run one at a time where the dialect guarantees ordered answers
 *     dialect  identify the message, decide what to do  -32601, -32602, or an answer
 *     input    check the arguments against the tool's input schema
 *     tool     run the tool, which may wait
 *     output   check what an external program wrote against its output schema
 *     render   write the answer in the dialect's format
 *     answer   log the message, send the answer
 *
 * A stage returns NEXT, DONE (an answer was written, or none is due) or WAIT.
 * After DONE comes the answer stage. A waiting request continues at a stage of
 * the caller's choice through core_resume_at(); only this file writes
 * request->stage.
 */
#include "core/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"
#include "core/client.h"
#include "core/limits.h"
#include "core/request_log.h"
#include "core/worker_state.h"
#include "dialect/session.h"
#include "log/text.h"
#include "tools/result.h"

enum step {
    NEXT,
    DONE,
    WAIT,
};

typedef enum step stage_run(struct core_request *request);

/* ---- internal errors ---- */

/* Answer with an internal error, in the format of the dialect if it is known. */
static enum step fail(struct core_request *request, struct jsv_str details)
{
    struct dialect_req *req = &request->req;
    const struct dialect *dialect = req->dialect ? req->dialect : &dialect_syn;
    jsv_buf_reset(&request->reply);
    dialect->fail(req, details);
    return DONE;
}

static struct jsv_str failure_text(int error)
{
    return error == -ENOBUFS  ? JSV_STR("the answer is larger than 4 MiB (4194304 bytes)")
           : error == -ENOMEM ? JSV_STR("out of memory")
           : error == -EPROTO ? JSV_STR("the tool's result does not match its output schema")
                              : JSV_STR("the tool failed");
}

/* ---- frame ---- */

/* Over lines the refusal is wrapped in a message. Over HTTP the status shows what it is. */
static void refuse_frame(struct core_request *request)
{
    static const struct jsv_problem too_large = {.message = JSV_STR("payload_too_large")};
    static const struct jsv_problems problems = {.items = &too_large, .count = 1};
    if (request->req.http) {
        struct jsv_writer writer = jsv_writer_on(&request->reply);
        tool_write_invalid(&writer, &problems);
    } else {
        struct jsv_writer writer = rpc_write_result(&request->reply, &request->req.message);
        tool_write_invalid(&writer, &problems);
        rpc_write_result_end(&writer);
    }
}

static enum step check_frame(struct core_request *request)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("payload_too_large"),
        .suggestion = JSV_STR("Send at most 1048576 bytes"),
        .cause = JSV_STR(""),
    };
    struct dialect_req *req = &request->req;
    if (!request->frame.oversize) {
        return NEXT;
    }
    req->http_status = 413;
    if (req->http && req->http->endpoint == RPC_ENDPOINT_INVOKE) {
        req->dialect->malformed(req, &fault); /* its clients expect an envelope */
    } else {
        refuse_frame(request);
    }
    return DONE;
}

/* ---- json ---- */

/* Where an error is, as text in request->result: "/params/a, byte 57". */
static struct jsv_str place_of(struct core_request *request, const struct jsv_error *error)
{
    char offset[32];
    const char *separator = error->pointer.size > 0 ? ", " : "";
    int size = snprintf(offset, sizeof(offset), "%sbyte %zu", separator, error->offset);
    jsv_buf_append_str(&request->result, error->pointer);
    jsv_buf_append(&request->result, offset, (size_t)size);
    return jsv_buf_str(&request->result);
}

static enum step refuse_text(struct core_request *request, const struct jsv_error *error)
{
    const struct rpc_fault fault = {
        .details = error->message,
        .suggestion = JSV_STR("Send one JSON text in UTF-8, without duplicate members"),
        .cause = place_of(request, error),
    };
    dialect_refuse_message(&request->req, RPC_ERROR_PARSE, &fault);
    return DONE;
}

/* Decide whether the answer omits "id". The headers are only read when the message has none. */
static void decide_omit_id(struct dialect_req *req)
{
    bool has_id = jsv_value_type(req->message.id) != JSV_TYPE_NONE;
    req->message.omits_id = !has_id && dialect_omits_id(req->http, *req->session);
}

static enum step read_json(struct core_request *request)
{
    struct jsv_error error;
    if (request->req.http && request->req.http->is_query) {
        request->root = request->req.empty_object;
        return NEXT;
    }
    int r = jsv_read(request->worker->reader, request->document, request->frame.text, 0, &error);
    if (r < 0) {
        decide_omit_id(&request->req);
        return r == -EBADMSG ? refuse_text(request, &error)
                             : fail(request, JSV_STR("out of memory"));
    }
    request->root = jsv_document_root(request->document);
    return NEXT;
}

/* ---- rpc ---- */

void core_refuse_shape(struct core_request *request)
{
    dialect_refuse_message(&request->req, RPC_ERROR_INVALID_REQUEST, &request->fault);
}

static enum step check_shape(struct core_request *request)
{
    struct dialect_req *req = &request->req;
    if (req->dialect) {
        req->message.root = request->root; /* an endpoint of the dialect takes anything */
        return NEXT;
    }
    bool is_message = rpc_message_read(request->root, &req->message, &request->fault);
    decide_omit_id(req);
    if (!is_message) {
        core_refuse_shape(request);
        return DONE;
    }
    enum rpc_kind kind = req->message.kind;
    bool is_nested = request->parent && (kind == RPC_BATCH || kind == RPC_FOREIGN);
    req->dialect = is_nested ? NULL : dialect_recognise(req);
    if (!req->dialect) {
        core_refuse_shape(request);
        return DONE;
    }
    request->serial = req->dialect->serial && !request->parent;
    return NEXT;
}

/* ---- order ---- */

static enum step wait_for_order(struct core_request *request)
{
    const struct core_conn *conn = request->conn;
    bool is_free = !conn->order_holder && !conn->order_reserved;
    if (request->serial && !request->holds_order && !is_free) {
        core_request_begin_queueing(request);
        return WAIT;
    }
    core_request_end_queueing(request);
    request->holds_order = request->serial;
    return NEXT;
}

/* ---- dialect ---- */

static enum step ask_dialect(struct core_request *request)
{
    switch (request->req.dialect->open(&request->req)) {
    case DIALECT_CALL:
        return NEXT;
    case DIALECT_LISTEN:
        request->is_listening = true;
        core_request_free_scratch(request);
        return WAIT;
    case DIALECT_BATCH:
        return core_batch_split(request) ? DONE : WAIT;
    case DIALECT_DONE:
        break;
    }
    return DONE;
}

/* ---- input ---- */

static enum step check_input(struct core_request *request)
{
    struct dialect_req *req = &request->req;
    struct jsv_problems problems;
    int r = core_check_input(req, &problems);
    if (r < 0) {
        return fail(request, JSV_STR("the tool's arguments could not be checked"));
    }
    if (r == 0) {
        request->mismatch = core_mismatch_of(req, &problems.items[0]);
        req->dialect->refuse(req, &problems);
        return DONE;
    }
    return NEXT;
}

/* ---- tool ---- */

static void tool_finished(struct tool_call *call)
{
    struct core_request *request = call->owner;
    request->is_calling = false;
    core_request_add_queued(request, call->queued_us);
    core_resume_at(request, CORE_STAGE_OUTPUT);
}

static enum step run_tool(struct core_request *request)
{
    struct dialect_req *req = &request->req;
    request->call = (struct tool_call){
        .catalog = req->catalog,
        .tool = req->tool,
        .arguments = req->arguments,
        .tools = request->worker->tools,
        .loop = request->worker->loop,
        .connection = request->conn,
        .reader = request->worker->output_reader, /* examples may be larger than messages */
        .validator = request->worker->validator,
        .envelopes = req->envelopes,
        .scratch = &request->scratch,
        .out = &request->result,
        .finished = tool_finished,
        .owner = request,
        .client = &core_client,
        .inputs = req->inputs,
        .state_in = req->state_in,
        .has_output_max = req->has_output_max,
        .output_max = req->output_max,
    };
    int r = tool_run(&request->call);
    if (r == TOOL_WAIT) {
        request->is_calling = true;
        return WAIT;
    }
    if (r == TOOL_ASK) {
        return core_ask(request) ? WAIT : DONE;
    }
    request->call.error = r < 0 ? r : 0;
    return NEXT;
}

/* ---- output ---- */

/*
 * Built-in tools are checked in tests (tests/support/pipeline_fixture.h), not here. A failed
 * program need not match its output schema.
 */
static enum step check_output(struct core_request *request)
{
    struct tool_call *call = &request->call;
    bool is_program = call->tool->directory.size > 0;
    int r = call->error < 0 ? call->error : request->result.error;
    if (r == 0 && !call->failure.code.data) {
        if (call->result.kind == ENVELOPE_RESULT_NONE) {
            call->result = envelope_result_written(jsv_buf_str(&request->result));
        }
        r = is_program ? core_check_output(request) : 0;
    }
    return r < 0 ? fail(request, failure_text(r)) : NEXT;
}

/* ---- render ---- */

static enum step render_result(struct core_request *request)
{
    struct dialect_req *req = &request->req;
    const struct tool_call *call = &request->call;
    req->call = call;
    if (!call->failure.code.data) {
        req->dialect->render(req, jsv_buf_str(&request->result), call->verdict);
    } else if (req->dialect->render_failure) {
        req->dialect->render_failure(req);
    } else {
        return fail(request, call->failure.message);
    }
    return DONE;
}

/* ---- answer ---- */

#define OUT_OF_MEMORY                                                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"Internal error\"}}"

const struct core_answer core_out_of_memory = {
    .text = {OUT_OF_MEMORY, sizeof(OUT_OF_MEMORY) - 1},
    .http_status = 500,
};

/* Notifications get no answer, except that the MCP endpoint reports refused ones by status. */
static bool is_due(const struct core_request *request, const struct core_answer *answer)
{
    bool is_refused = (request->req.http && request->req.http->endpoint == RPC_ENDPOINT_MCP) &&
                      answer->http_status >= 400;
    const struct dialect *dialect = request->req.dialect;
    bool is_asked = request->req.message.kind != RPC_NOTIFICATION || (dialect && dialect->wants_id);
    return answer->text.size > 0 && (is_asked || is_refused);
}

static struct core_answer answer_of(struct core_request *request)
{
    if (request->reply.error < 0) {
        fail(request, failure_text(request->reply.error));
    }
    struct core_answer answer = {
        .text = jsv_buf_str(&request->reply),
        .http_status = request->req.http_status,
        .retry_after_s = request->req.retry_after_s,
        .session = request->begins_session ? (*request->req.session)->id : NULL,
    };
    if (request->reply.error < 0) {
        answer = core_out_of_memory;
    }
    return is_due(request, &answer) ? answer : (struct core_answer){.http_status = 202};
}

static enum step send_answer(struct core_request *request)
{
    if (wait_for_order(request) == WAIT) {
        return WAIT;
    }
    core_cancel_forget(request); /* its id points into the frame, which the transport reuses */
    struct core_answer answer = answer_of(request);
    core_log_answered(request, &answer);
    if (request->parent) {
        core_batch_add(request->parent, &answer);
    } else if (!request->conn->is_gone) {
        request->conn->ops->answer(request->conn, &answer);
    }
    return DONE;
}

/* ---- running the stages ---- */

static const struct {
    stage_run *run;
    const char *name; /* in the log */
} stages[] = {
    [CORE_STAGE_FRAME] = {check_frame, "frame"},
    [CORE_STAGE_JSON] = {read_json, "json"},
    [CORE_STAGE_RPC] = {check_shape, "rpc"},
    [CORE_STAGE_ORDER] = {wait_for_order, "dialect"},
    [CORE_STAGE_DIALECT] = {ask_dialect, "dialect"},
    [CORE_STAGE_INPUT] = {check_input, "input"},
    [CORE_STAGE_TOOL] = {run_tool, "tool"},
    [CORE_STAGE_OUTPUT] = {check_output, "output"},
    [CORE_STAGE_RENDER] = {render_result, "envelope"},
    [CORE_STAGE_ANSWER] = {send_answer, ""},
};

const char *core_stage_name(enum core_stage stage)
{
    return stages[stage].name;
}

/* @return whether the request is finished; else it waits. */
static bool run_stages(struct core_request *request)
{
    for (;;) {
        enum step step = stages[request->stage].run(request);
        if (step == WAIT) {
            return false;
        }
        if (request->stage == CORE_STAGE_ANSWER) {
            return true;
        }
        if (step == DONE) {
            request->stopped = request->stage;
        }
        request->stage = step == DONE ? CORE_STAGE_ANSWER : request->stage + 1;
    }
}

void core_run(struct core_request *request)
{
    if (run_stages(request)) {
        core_end(request);
    } else {
        core_park(request);
    }
}

void core_run_at(struct core_request *request, enum core_stage stage)
{
    if (stage == CORE_STAGE_ANSWER) {
        request->stopped = request->stage;
    }
    request->stage = stage;
    core_run(request);
}

/* What is checked until the request waits again or is finished shares one step budget. */
void core_resume_at(struct core_request *request, enum core_stage stage)
{
    struct core_conn *conn = request->conn;
    jsv_validator_set_budget(request->worker->validator, CORE_STEPS_MAX);
    core_run_at(request, stage);
    core_reserve_order(conn);
    core_notify_transport(conn);
}
