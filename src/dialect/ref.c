/*
 * REF: a request envelope 1.x in, a response envelope 1.0.0 out, whatever
 * happens. At its own endpoint anything else is answered with a response
 * envelope, too, and the HTTP status is always the one in the response.
 *
 * What is in `auth` is looked at by the schema alone.
 */
#include "dialect/dialect.h"
#include "envelope/canonical.h"
#include "envelope/reference.h"
#include "log/text.h"
#include "os/sys.h"
#include "tools/result.h"

static bool ref_recognise(const struct dialect_request *request)
{
    return request->message.kind == RPC_FOREIGN && dialect_is_open(request) &&
           envelope_reference_is(request->message.root);
}

/* ---- answers ---- */

/* Write a response; who asked, and the times, are filled in here. */
static void
respond(struct dialect_request *request, const struct envelope_reference_response *outcome)
{
    char now[LOG_TIMESTAMP_SIZE];
    log_timestamp(now);
    struct envelope_reference_response response = *outcome;
    response.request = request->state;
    response.timestamp = jsv_str_from(now);
    response.duration_us = os_now_us() - request->began_us;
    request->http_status = response.http;
    request->retry_after_s = response.retry_after_s;
    envelope_reference_write(&response, request->reply);
}

static void respond_errors(
    struct dialect_request *request,
    unsigned http,
    struct jsv_str message,
    struct envelope_issues errors)
{
    const struct envelope_reference_response response = {
        .status = ENVELOPE_STATUS_ERROR,
        .http = http,
        .message = message,
        .errors = errors,
    };
    respond(request, &response);
}

/* One canonical error, with a text that says more. */
static void respond_canonical(
    struct dialect_request *request,
    enum envelope_canonical which,
    const char *detail,
    struct jsv_str text)
{
    const struct envelope_canonical_error *error = envelope_canonical_get(which);
    const struct envelope_issue issue = {
        .code = error->name,
        .message = error->message,
        .details = {{.name = detail, .text = text}},
        .detail_count = 1,
    };
    respond_errors(request, error->http, error->message, (struct envelope_issues){&issue, 1});
}

static void ref_fail(struct dialect_request *request, struct jsv_str details)
{
    respond_canonical(request, ENVELOPE_CANONICAL_INTERNAL_ERROR, "reason", details);
}

static void ref_malformed(struct dialect_request *request, const struct rpc_fault *fault)
{
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_INVALID_ENVELOPE);
    const struct envelope_issue issue = {
        .code = error->name,
        .message = fault->details,
        .details =
            {{.name = "suggestion", .text = fault->suggestion},
             {.name = "cause", .text = fault->cause}},
        .detail_count = 2,
    };
    respond_errors(
        request, request->http_status, error->message, (struct envelope_issues){&issue, 1});
}

/* ---- in ---- */

static enum dialect_step
answer_invalid(struct dialect_request *request, struct envelope_issues errors)
{
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_INVALID_ENVELOPE);
    respond_errors(request, error->http, error->message, errors);
    return DIALECT_DONE;
}

static enum dialect_step
call_tool(struct dialect_request *request, const struct envelope_reference_request *envelope)
{
    request->tool = catalog_tool_find(request->catalog, envelope->tool);
    request->arguments = envelope->payload;
    if (!request->tool) {
        respond_canonical(request, ENVELOPE_CANONICAL_TOOL_NOT_FOUND, "tool", envelope->tool);
        return DIALECT_DONE;
    }
    return DIALECT_CALL;
}

static enum dialect_step ref_open(struct dialect_request *request)
{
    struct envelope_reference_request *envelope =
        jsv_arena_alloc(request->scratch, sizeof(*envelope));
    struct envelope_issues issues;
    if (!envelope) {
        ref_fail(request, JSV_STR("out of memory"));
        return DIALECT_DONE;
    }
    int r = envelope_reference_check(
        request->envelopes,
        request->message.root,
        request->validator,
        request->scratch,
        envelope,
        &issues);
    if (r < 0) {
        ref_fail(request, JSV_STR("the envelope could not be checked"));
        return DIALECT_DONE;
    }
    request->state = envelope;
    return r == ENVELOPE_REFERENCE_VALID ? call_tool(request, envelope)
                                         : answer_invalid(request, issues);
}

/* ---- out ---- */

static void ref_refuse(struct dialect_request *request, const struct jsv_problems *problems)
{
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_INVALID_TOOL_INPUT);
    struct envelope_issues issues;
    if (envelope_issues_from_problems(error->name, problems, request->scratch, &issues) < 0) {
        ref_fail(request, JSV_STR("out of memory"));
        return;
    }
    respond_errors(request, error->http, error->message, issues);
}

static void
ref_render(struct dialect_request *request, struct jsv_str result, enum tool_verdict verdict)
{
    (void)verdict; /* the result says so itself */
    const struct envelope_reference_response response = {
        .status = ENVELOPE_STATUS_SUCCESS,
        .http = 200,
        .output = envelope_result_written(result),
    };
    respond(request, &response);
}

/* Programs run for some seconds at most, usually: a place is free soon. */
#define RETRY_AFTER_S 1

/*
 * The tool is a program that failed. What it had put out by then may still help, and errors that it
 * told itself win. One that was not started because of too many others may be called again.
 */
static void ref_render_failure(struct dialect_request *request)
{
    const struct tool_call *call = request->call;
    struct jsv_str busy = envelope_failure_code(ENVELOPE_FAILURE_BUSY);
    bool is_busy = jsv_str_equal(call->failure.code, busy);
    struct envelope_reference_response response = {
        .status = is_busy ? ENVELOPE_STATUS_RETRY : ENVELOPE_STATUS_ERROR,
        .http = is_busy ? 503 : envelope_canonical_get(ENVELOPE_CANONICAL_INTERNAL_ERROR)->http,
        .message = call->failure.message,
        .output = call->result,
        .errors = {&call->failure, 1},
        .retry_after_s = is_busy ? RETRY_AFTER_S : 0,
    };
    if (tool_tells_errors(call)) {
        response.own_errors = jsv_value_get(call->result.value, JSV_STR("errors"));
    }
    respond(request, &response);
}

const struct dialect dialect_ref = {
    .name = "ref",
    .in_turn = true,
    .recognise = ref_recognise,
    .malformed = ref_malformed,
    .open = ref_open,
    .refuse = ref_refuse,
    .render = ref_render,
    .render_failure = ref_render_failure,
    .fail = ref_fail,
};
