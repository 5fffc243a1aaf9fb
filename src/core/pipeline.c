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

#include "catalog/catalog.h"
#include "core/batch.h"
#include "core/input.h"
#include "core/limits.h"
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

static enum step check_frame(struct core_request *request)
{
    static const struct jsv_problem too_large = {.message = {"payload_too_large", 17}};
    static const struct jsv_problems problems = {.items = &too_large, .count = 1};
    if (!request->frame.oversize) {
        return NEXT;
    }
    struct jsv_writer writer = rpc_write_result(&request->reply, &request->asked.message);
    tool_write_invalid(&writer, &problems);
    rpc_write_result_end(&writer);
    request->asked.http_status = 413;
    return DONE;
}

/* ---- json ---- */

/* "/params/a, byte 57": the text of the place an error is at, in the request's own memory. */
static struct jsv_str place_of(struct core_request *request, const struct jsv_error *error)
{
    char offset[32];
    int size = snprintf(offset, sizeof(offset), ", byte %zu", error->offset);
    jsv_buf_append_str(&request->result, error->pointer);
    jsv_buf_append(&request->result, offset, (size_t)size);
    return jsv_buf_str(&request->result);
}

static enum step refuse_text(struct core_request *request, const struct jsv_error *error)
{
    const struct rpc_fault fault = {
        .details = jsv_str_from(error->message),
        .suggestion = JSV_STR("Send one JSON text in UTF-8, without duplicate members"),
        .cause = place_of(request, error),
    };
    request->asked.http_status = rpc_error_status(RPC_ERROR_PARSE);
    rpc_write_fault(&request->reply, &request->asked.message, RPC_ERROR_PARSE, &fault);
    return DONE;
}

static enum step fail(struct core_request *request, struct jsv_str details);

static enum step read_json(struct core_request *request)
{
    struct jsv_error error;
    int r = jsv_read(request->worker->reader, request->document, request->frame.text, 0, &error);
    if (r == -EBADMSG) {
        return refuse_text(request, &error);
    }
    request->root = jsv_document_root(request->document);
    return r < 0 ? fail(request, JSV_STR("out of memory")) : NEXT;
}

/* ---- rpc ---- */

void core_refuse_shape(struct core_request *request)
{
    struct dialect_request *asked = &request->asked;
    asked->http_status = rpc_error_status(RPC_ERROR_INVALID_REQUEST);
    rpc_write_fault(&request->reply, &asked->message, RPC_ERROR_INVALID_REQUEST, &request->fault);
}

static enum step check_shape(struct core_request *request)
{
    struct dialect_request *asked = &request->asked;
    bool omits_id = asked->message.omits_id;
    bool is_message = rpc_message_read(request->root, &asked->message, &request->fault);
    asked->message.omits_id = omits_id;
    if (!is_message) {
        core_refuse_shape(request);
        return DONE;
    }
    bool is_nested = request->parent && asked->message.kind == RPC_BATCH;
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
    bool must_wait = request->in_turn && !request->has_turn && request->conn->in_turn;
    if (must_wait) {
        return WAIT;
    }
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
        .reader = request->worker->reader,
        .validator = request->worker->validator,
        .scratch = &request->scratch,
        .out = &request->result,
        .finished = tool_finished,
        .owner = request,
    };
    int r = tool_run(&request->call);
    if (r == TOOL_WAIT) {
        request->is_calling = true;
        return WAIT;
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

/* Whether our own result is what the tool promises. @return 1; 0 when it is not; -errno. */
static int fits_output_schema(struct core_request *request)
{
    struct core_worker *worker = request->worker;
    struct jsv_str text = jsv_buf_str(&request->result);
    const struct jsv_schema *schema;
    struct jsv_str reason;
    int r = catalog_tool_output(request->asked.catalog, request->asked.tool, &schema, &reason);
    if (r < 0) {
        return r == -ENOENT ? 1 : r;
    }
    struct jsv_error error;
    r = jsv_read(worker->output_reader, worker->output, text, 0, &error);
    if (r < 0) {
        return r == -EBADMSG ? 0 : r;
    }
    return jsv_validate(schema, jsv_document_root(worker->output), worker->validator);
}

static enum step check_output(struct core_request *request)
{
    int r = request->call.error;
    r = r < 0 ? r : request->result.error;
    if (r < 0) {
        return fail(request, failure_text(r));
    }
    r = fits_output_schema(request);
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
    asked->dialect->render(asked, jsv_buf_str(&request->result), request->call.verdict);
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

/* Whether our own answer is one the dialect knows; one that cannot be checked passes. */
static bool is_sound(struct core_request *request)
{
    struct core_worker *worker = request->worker;
    const struct dialect *dialect = request->asked.dialect;
    bool is_checked = dialect && dialect->is_sound && request->asked.is_valid &&
                      request->asked.message.kind == RPC_REQUEST;
    if (!is_checked) {
        return true;
    }
    struct jsv_error error;
    int r =
        jsv_read(worker->output_reader, worker->output, jsv_buf_str(&request->reply), 0, &error);
    if (r < 0) {
        return r == -ENOMEM;
    }
    return dialect->is_sound(&request->asked, jsv_document_root(worker->output));
}

/* Notifications get no answer; but HTTP has a status for those that are refused. */
static bool is_due(const struct core_request *request, const struct core_answer *answer)
{
    bool is_refused = (request->asked.http && request->asked.http->endpoint == RPC_ENDPOINT_MCP) &&
                      answer->http_status >= 400;
    bool is_asked = request->asked.message.kind != RPC_NOTIFICATION;
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
    struct core_answer answer = answer_of(request);
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
        request->stage = step == DONE ? CORE_STAGE_ANSWER : request->stage + 1;
    }
}
