/*
 * The corridor: the one way every message takes, whatever door it came in by.
 *
 *     frame   too long?                         refused before a byte is read
 *     json    syntax, UTF-8, depth, duplicates  -32700
 *     rpc     the shape of a message            -32600
 *     turn    one after another, where the dialect wants that
 *     dialect whose message is it, what to do   -32601, -32602, or an answer
 *     input   arguments by the tool's schema    refused in the dialect's words
 *     tool    the work itself; may wait
 *     output  our own result by the tool's schema
 *     render  the answer in the dialect's words
 *
 * A stage says NEXT, DONE (there is an answer, or none is due) or WAIT. A
 * request that waits stays at its stage and comes back through core_resume().
 */
#include "core/pipeline.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"
#include "core/account.h"
#include "core/ask.h"
#include "core/batch.h"
#include "core/cancel.h"
#include "core/input.h"
#include "core/limits.h"
#include "core/output.h"
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

/* ---- frame ---- */

/* A request envelope is answered with a response envelope, also then. */
static void refuse_envelope(struct dialect_request *asked)
{
    static const struct rpc_fault fault = {
        .details = JSV_STR("payload_too_large"),
        .suggestion = JSV_STR("Send at most 1048576 bytes"),
        .cause = JSV_STR(""),
    };
    asked->dialect->malformed(asked, &fault);
}

/* In a line it is the result of a message; HTTP has a status to go with it. */
static void refuse_frame(struct core_request *request)
{
    static const struct jsv_problem too_large = {.message = JSV_STR("payload_too_large")};
    static const struct jsv_problems problems = {.items = &too_large, .count = 1};
    if (request->asked.http) {
        struct jsv_writer writer = jsv_writer_on(&request->reply);
        tool_write_invalid(&writer, &problems);
    } else {
        struct jsv_writer writer = rpc_write_result(&request->reply, &request->asked.message);
        tool_write_invalid(&writer, &problems);
        rpc_write_result_end(&writer);
    }
}

static enum step check_frame(struct core_request *request)
{
    const struct rpc_http *http = request->asked.http;
    if (!request->frame.oversize) {
        return NEXT;
    }
    request->asked.http_status = 413;
    if (http && http->endpoint == RPC_ENDPOINT_INVOKE) {
        refuse_envelope(&request->asked);
    } else {
        refuse_frame(request);
    }
    return DONE;
}

/* ---- json ---- */

/* "/params/a, byte 57": the text of the place an error is at, in the request's own memory. */
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
    dialect_refuse_message(&request->asked, RPC_ERROR_PARSE, &fault);
    return DONE;
}

static enum step fail(struct core_request *request, struct jsv_str details);

/* Whether the answer has to do without an id; headers tell how, and only then they are asked. */
static void settle_id(struct dialect_request *asked)
{
    bool has_id = jsv_value_type(asked->message.id) != JSV_TYPE_NONE;
    asked->message.omits_id = !has_id && dialect_omits_id(asked->http, *asked->session);
}

static enum step read_json(struct core_request *request)
{
    struct jsv_error error;
    if (request->asked.http && request->asked.http->is_query) {
        request->root = request->asked.nothing;
        return NEXT;
    }
    int r = jsv_read(request->worker->reader, request->document, request->frame.text, 0, &error);
    if (r < 0) {
        settle_id(&request->asked);
        return r == -EBADMSG ? refuse_text(request, &error)
                             : fail(request, JSV_STR("out of memory"));
    }
    request->root = jsv_document_root(request->document);
    return NEXT;
}

/* ---- rpc ---- */

void core_refuse_shape(struct core_request *request)
{
    dialect_refuse_message(&request->asked, RPC_ERROR_INVALID_REQUEST, &request->fault);
}

static enum step check_shape(struct core_request *request)
{
    struct dialect_request *asked = &request->asked;
    if (asked->dialect) {
        asked->message.root = request->root; /* at an endpoint of its own anything is for it */
        return NEXT;
    }
    bool is_message = rpc_message_read(request->root, &asked->message, &request->fault);
    settle_id(asked);
    if (!is_message) {
        core_refuse_shape(request);
        return DONE;
    }
    enum rpc_kind kind = asked->message.kind;
    bool is_nested = request->parent && (kind == RPC_BATCH || kind == RPC_FOREIGN);
    asked->dialect = is_nested ? NULL : dialect_recognise(asked);
    if (!asked->dialect) {
        core_refuse_shape(request);
        return DONE;
    }
    request->in_turn = asked->dialect->in_turn && !request->parent;
    return NEXT;
}

/* ---- turn ---- */

static enum step take_turn(struct core_request *request)
{
    const struct core_conn *conn = request->conn;
    bool is_free = !conn->in_turn && !conn->turn_is_promised;
    if (request->in_turn && !request->has_turn && !is_free) {
        core_request_begin_queueing(request);
        return WAIT;
    }
    core_request_end_queueing(request);
    request->has_turn = request->in_turn;
    return NEXT;
}

/* ---- dialect ---- */

static enum step ask_dialect(struct core_request *request)
{
    switch (request->asked.dialect->open(&request->asked)) {
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
    struct dialect_request *asked = &request->asked;
    struct jsv_problems problems;
    int r = core_input_check(asked, &problems);
    if (r < 0) {
        return fail(request, JSV_STR("the tool's arguments could not be checked"));
    }
    if (r == 0) {
        request->mismatch = core_mismatch_of(asked, &problems.items[0]);
        asked->dialect->refuse(asked, &problems);
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
    core_resume(request);
}

static enum step run_tool(struct core_request *request)
{
    struct dialect_request *asked = &request->asked;
    request->call = (struct tool_call){
        .catalog = asked->catalog,
        .tool = asked->tool,
        .arguments = asked->arguments,
        .tools = request->worker->tools,
        .loop = request->worker->loop,
        .connection = request->conn,
        .reader = request->worker->output_reader, /* examples may be larger than messages */
        .validator = request->worker->validator,
        .envelopes = asked->envelopes,
        .scratch = &request->scratch,
        .out = &request->result,
        .finished = tool_finished,
        .owner = request,
        .client = &core_client,
        .inputs = asked->inputs,
        .memory = asked->memory,
        .has_output_max = asked->has_output_max,
        .output_max = asked->output_max,
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

/* Longer answers than this are refused, and say so. */
static struct jsv_str failure_text(int error)
{
    return error == -ENOBUFS  ? JSV_STR("the answer is larger than 4 MiB (4194304 bytes)")
           : error == -ENOMEM ? JSV_STR("out of memory")
                              : JSV_STR("the tool failed");
}

static enum step check_output(struct core_request *request)
{
    int r = request->call.error;
    r = r < 0 ? r : request->result.error;
    if (r < 0) {
        return fail(request, failure_text(r));
    }
    if (request->call.failure.code.data) {
        return NEXT; /* who failed has promised nothing */
    }
    if (request->call.result.kind == ENVELOPE_RESULT_NONE) {
        request->call.result = envelope_result_written(jsv_buf_str(&request->result));
    }
    r = core_output_check(request);
    if (r < 0) {
        return fail(request, failure_text(r));
    }
    if (r == 0) {
        log_text_warning("invalid_output", "tool", request->asked.tool->name);
        return fail(request, JSV_STR("the tool's result does not fit its output schema"));
    }
    return NEXT;
}

/* ---- render ---- */

static enum step render_result(struct core_request *request)
{
    struct dialect_request *asked = &request->asked;
    const struct tool_call *call = &request->call;
    asked->call = call;
    if (!call->failure.code.data) {
        asked->dialect->render(asked, jsv_buf_str(&request->result), call->verdict);
    } else if (asked->dialect->render_failure) {
        asked->dialect->render_failure(asked);
    } else {
        return fail(request, call->failure.message);
    }
    return DONE;
}

/* ---- answer ---- */

/* Our own fault, in the words of the dialect, if there is one yet. */
static enum step fail(struct core_request *request, struct jsv_str details)
{
    struct dialect_request *asked = &request->asked;
    const struct dialect *dialect = asked->dialect ? asked->dialect : &dialect_syn;
    jsv_buf_reset(&request->reply);
    dialect->fail(asked, details);
    return DONE;
}

#define LAST_WORDS                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"Internal error\"}}"

const struct core_answer core_last_words = {
    .text = {LAST_WORDS, sizeof(LAST_WORDS) - 1},
    .http_status = 500,
};

/*
 * Around its result an answer has nothing but its request's id, which is as defined. So when that
 * is all there is around one, and the result is one that has been checked, the answer is, too.
 * One that cannot be checked passes.
 */
static bool is_sound(struct core_request *request)
{
    const struct dialect_request *asked = &request->asked;
    struct core_proven *proven = &request->worker->proven_answers;
    bool is_checked = asked->dialect && asked->dialect->is_sound && asked->is_valid &&
                      asked->message.kind == RPC_REQUEST;
    if (!is_checked) {
        return true;
    }
    struct jsv_str result = rpc_result_of(jsv_buf_str(&request->reply), &asked->message);
    const struct core_proven_key key = {
        .schema = asked->method,
        .variant = asked->variant,
        .id_type = jsv_value_type(asked->message.id),
    };
    if (core_proven_has(proven, &key, result)) {
        return true;
    }
    int sound = core_output_check_message(request, jsv_buf_str(&request->reply));
    if (sound > 0) {
        core_proven_add(proven, &key, result);
    }
    return sound != 0;
}

/* Notifications get no answer; but HTTP has a status for those that are refused. */
static bool is_due(const struct core_request *request, const struct core_answer *answer)
{
    bool is_refused = (request->asked.http && request->asked.http->endpoint == RPC_ENDPOINT_MCP) &&
                      answer->http_status >= 400;
    const struct dialect *dialect = request->asked.dialect;
    bool is_asked =
        request->asked.message.kind != RPC_NOTIFICATION || (dialect && dialect->wants_id);
    return answer->text.size > 0 && (is_asked || is_refused);
}

static struct core_answer answer_of(struct core_request *request)
{
    if (request->reply.error < 0) {
        fail(request, failure_text(request->reply.error));
    } else if (!is_sound(request)) {
        log_text_warning("invalid_answer", "method", request->asked.message.method);
        fail(request, JSV_STR("the answer does not fit the protocol"));
    }
    struct core_answer answer = {
        .text = jsv_buf_str(&request->reply),
        .http_status = request->asked.http_status,
        .retry_after_s = request->asked.retry_after_s,
        .session = request->begins_session ? (*request->asked.session)->id : NULL,
    };
    if (request->reply.error < 0) {
        answer = core_last_words;
    }
    return is_due(request, &answer) ? answer : (struct core_answer){.http_status = 202};
}

static enum step send_answer(struct core_request *request)
{
    if (take_turn(request) == WAIT) {
        return WAIT;
    }
    core_cancel_forget(request); /* its id stands in the message, which the door takes back */
    struct core_answer answer = answer_of(request);
    core_account_request(request, &answer);
    if (request->parent) {
        core_batch_add(request->parent, &answer);
    } else if (!request->conn->is_gone) {
        request->conn->ops->answer(request->conn, &answer);
    }
    return DONE;
}

/* ---- the walk ---- */

static stage_run *const stages[] = {
    [CORE_STAGE_FRAME] = check_frame,
    [CORE_STAGE_JSON] = read_json,
    [CORE_STAGE_RPC] = check_shape,
    [CORE_STAGE_TURN] = take_turn,
    [CORE_STAGE_DIALECT] = ask_dialect,
    [CORE_STAGE_INPUT] = check_input,
    [CORE_STAGE_TOOL] = run_tool,
    [CORE_STAGE_OUTPUT] = check_output,
    [CORE_STAGE_RENDER] = render_result,
    [CORE_STAGE_ANSWER] = send_answer,
};

bool core_walk(struct core_request *request)
{
    for (;;) {
        enum step step = stages[request->stage](request);
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
