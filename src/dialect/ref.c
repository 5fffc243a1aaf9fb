/*
 * REF: a request envelope 1.x is always answered with a response envelope 1.0.0,
 * and so is anything else at POST /v1/invoke. The HTTP status is the one in the
 * response.
 *
 * Only the schema looks at `auth`; its content is never logged or echoed.
 */
#include "dialect/dialect.h"
#include "envelope/canonical.h"
#include "envelope/reference.h"
#include "log/text.h"
#include "os/sys.h"
#include "tools/result.h"

static bool ref_recognise(const struct dialect_req *req)
{
    return req->message.kind == RPC_FOREIGN && dialect_is_open(req) &&
           envelope_reference_is(req->message.root);
}

/* ---- answers ---- */

/* Write a response. The request and the times are added here. */
static void respond(struct dialect_req *req, const struct envelope_reference_response *outcome)
{
    char now[LOG_TIMESTAMP_SIZE];
    log_timestamp(now);
    struct envelope_reference_response response = *outcome;
    response.request = req->state;
    response.timestamp = jsv_str_from(now);
    response.duration_us = os_now_us() - req->began_us;
    req->http_status = response.http;
    req->retry_after_s = response.retry_after_s;
    envelope_reference_write(&response, req->reply);
}

static void respond_errors(
    struct dialect_req *req, unsigned http, struct jsv_str message, struct envelope_issues errors)
{
    const struct envelope_reference_response response = {
        .status = ENVELOPE_STATUS_ERROR,
        .http = http,
        .message = message,
        .errors = errors,
    };
    respond(req, &response);
}

/* A canonical error with one detail. */
static void respond_canonical(
    struct dialect_req *req, enum envelope_canonical which, const char *detail, struct jsv_str text)
{
    const struct envelope_canonical_error *error = envelope_canonical_get(which);
    const struct envelope_issue issue = {
        .code = error->name,
        .message = error->message,
        .details = {{.name = detail, .text = text}},
        .detail_count = 1,
    };
    respond_errors(req, error->http, error->message, (struct envelope_issues){&issue, 1});
}

static void ref_fail(struct dialect_req *req, struct jsv_str details)
{
    respond_canonical(req, ENVELOPE_CANONICAL_INTERNAL_ERROR, "reason", details);
}

static void ref_malformed(struct dialect_req *req, const struct rpc_fault *fault)
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
    respond_errors(req, req->http_status, error->message, (struct envelope_issues){&issue, 1});
}

/* ---- requests ---- */

static enum dialect_step answer_invalid(struct dialect_req *req, struct envelope_issues errors)
{
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_INVALID_ENVELOPE);
    respond_errors(req, error->http, error->message, errors);
    return DIALECT_DONE;
}

static enum dialect_step
call_tool(struct dialect_req *req, const struct envelope_reference_request *envelope)
{
    req->tool = catalog_tool_find(req->catalog, envelope->tool);
    req->arguments = envelope->payload;
    if (!req->tool) {
        respond_canonical(req, ENVELOPE_CANONICAL_TOOL_NOT_FOUND, "tool", envelope->tool);
        return DIALECT_DONE;
    }
    return DIALECT_CALL;
}

static enum dialect_step ref_open(struct dialect_req *req)
{
    struct envelope_reference_request *envelope = jsv_arena_alloc(req->scratch, sizeof(*envelope));
    struct envelope_issues issues;
    if (!envelope) {
        ref_fail(req, JSV_STR("out of memory"));
        return DIALECT_DONE;
    }
    int r = envelope_reference_check(
        req->envelopes, req->message.root, req->validator, req->scratch, envelope, &issues);
    if (r < 0) {
        ref_fail(req, JSV_STR("the envelope could not be checked"));
        return DIALECT_DONE;
    }
    req->state = envelope;
    return r == ENVELOPE_REFERENCE_VALID ? call_tool(req, envelope) : answer_invalid(req, issues);
}

/* ---- results ---- */

static void ref_refuse(struct dialect_req *req, const struct jsv_problems *problems)
{
    const struct envelope_canonical_error *error =
        envelope_canonical_get(ENVELOPE_CANONICAL_INVALID_TOOL_INPUT);
    struct envelope_issues issues;
    if (envelope_issues_from_problems(error->name, problems, req->scratch, &issues) < 0) {
        ref_fail(req, JSV_STR("out of memory"));
        return;
    }
    respond_errors(req, error->http, error->message, issues);
}

static void ref_render(struct dialect_req *req, struct jsv_str result, enum tool_verdict verdict)
{
    (void)verdict; /* it is part of the result */
    const struct envelope_reference_response response = {
        .status = ENVELOPE_STATUS_SUCCESS,
        .http = 200,
        .output = envelope_result_written(result),
    };
    respond(req, &response);
}

/* Most programs run for a few seconds at most. */
#define RETRY_AFTER_S 1

/*
 * A program failed. The response has what it wrote before, and its own errors if it reported any.
 * A program that was not started, because too many others run, may be called again.
 */
static void ref_render_failure(struct dialect_req *req)
{
    const struct tool_call *call = req->call;
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
    respond(req, &response);
}

const struct dialect dialect_ref = {
    .name = "ref",
    .serial = true,
    .recognise = ref_recognise,
    .malformed = ref_malformed,
    .open = ref_open,
    .refuse = ref_refuse,
    .render = ref_render,
    .render_failure = ref_render_failure,
    .fail = ref_fail,
};
