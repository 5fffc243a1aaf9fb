/*
 * POLICY: an mcp.request.v0.1 object in, an mcp.envelope.v0.1 object out,
 * whatever happens. What a tool returns is the envelope's result; what goes
 * wrong is in its errors. The request says in params._meta whether it wants a
 * record of where the result comes from; tools do not get to see that member.
 */
#include <errno.h>
#include <string.h>

#include "dialect/dialect.h"
#include "documents/describe.h"
#include "envelope/provenance.h"
#include "envelope/schemas.h"
#include "log/text.h"
#include "os/sys.h"

static bool policy_recognise(const struct dialect_request *request)
{
    return request->message.kind == RPC_FOREIGN && dialect_is_open(request) &&
           envelope_is_request(request->message.root);
}

/* ---- answers ---- */

static struct jsv_value request_id(const struct dialect_request *request)
{
    return jsv_value_get(request->message.root, JSV_STR("request_id"));
}

/* An envelope without a result, for a request that has not come as far as a tool. */
static enum dialect_step
answer_errors(struct dialect_request *request, unsigned status, struct envelope_issues errors)
{
    const struct envelope_answer answer = {.errors = errors, .request_id = request_id(request)};
    request->http_status = status;
    envelope_write(&answer, request->reply);
    return DIALECT_DONE;
}

static enum dialect_step answer_failure(
    struct dialect_request *request,
    unsigned status,
    enum envelope_failure failure,
    struct jsv_str text)
{
    const struct envelope_issue issue = envelope_failure_text(failure, text);
    return answer_errors(request, status, (struct envelope_issues){&issue, 1});
}

static void policy_fail(struct dialect_request *request, struct jsv_str details)
{
    answer_failure(request, 500, ENVELOPE_FAILURE_INTERNAL, details);
}

static enum dialect_step answer_problems(
    struct dialect_request *request,
    unsigned status,
    enum envelope_failure failure,
    const struct jsv_problems *problems)
{
    struct envelope_issues issues;
    struct jsv_str code = envelope_failure_code(failure);
    if (envelope_issues_from_problems(code, problems, request->scratch, &issues) < 0) {
        policy_fail(request, JSV_STR("out of memory"));
        return DIALECT_DONE;
    }
    return answer_errors(request, status, issues);
}

/* ---- in ---- */

static enum dialect_step take_arguments(struct dialect_request *request)
{
    static const struct jsv_problem no_object = {
        .message = JSV_STR("expected object"),
        .keyword = JSV_STR("type"),
    };
    static const struct jsv_problems problems = {.items = &no_object, .count = 1};
    struct jsv_value params = jsv_value_get(request->message.root, JSV_STR("params"));
    if (jsv_value_type(params) != JSV_TYPE_OBJECT) {
        return answer_problems(request, 422, ENVELOPE_FAILURE_INPUT_INVALID, &problems);
    }
    if (dialect_take_arguments(request, params) < 0) {
        policy_fail(request, JSV_STR("out of memory"));
        return DIALECT_DONE;
    }
    return DIALECT_CALL;
}

static enum dialect_step policy_open(struct dialect_request *request)
{
    struct jsv_value root = request->message.root;
    const struct jsv_schema *schema =
        envelope_schemas_get(request->envelopes, ENVELOPE_SCHEMA_REQUEST);
    struct jsv_problems problems;
    int r = jsv_validate_report(request->validator, schema, root, &problems);
    if (r < 0) {
        policy_fail(request, JSV_STR("the request could not be checked"));
        return DIALECT_DONE;
    }
    if (r == 0) {
        return answer_problems(request, 400, ENVELOPE_FAILURE_REQUEST_INVALID, &problems);
    }
    struct jsv_value tool = jsv_value_get(root, JSV_STR("tool"));
    struct jsv_str name = jsv_value_text(jsv_value_get(tool, JSV_STR("name")));
    request->tool = dialect_find_tool(request, name);
    if (!request->tool) {
        return answer_failure(request, 404, ENVELOPE_FAILURE_TOOL_NOT_FOUND, name);
    }
    struct envelope_wish wish = envelope_wish_read(root);
    request->has_output_max = wish.has_output_max;
    request->output_max = wish.output_max;
    return take_arguments(request);
}

/* ---- out ---- */

/* The answer to a request whose tool is known, with a record if it wants one. */
static void answer_run(struct dialect_request *request, const struct envelope_answer *answer)
{
    unsigned char random[OS_UUID_BYTES];
    char now[LOG_TIMESTAMP_SIZE];
    struct envelope_run run = {
        .tool_name = request->tool->name,
        .tool_version = dialect_tool_version(request->tool),
        .request = request->message.root,
    };
    int r = 0;
    if (!envelope_wish_read(run.request).deterministic) {
        r = os_random(random, sizeof(random));
        log_timestamp(now);
        run.random = random;
        run.time = jsv_str_from(now);
    }
    if (r == 0) {
        r = envelope_answer_write(&run, answer, request->scratch, request->reply);
    }
    if (r < 0 && request->reply->error == 0) {
        jsv_buf_reset(request->reply);
        policy_fail(request, JSV_STR("the envelope could not be written"));
    }
}

static void policy_refuse(struct dialect_request *request, const struct jsv_problems *problems)
{
    struct envelope_answer answer = {0};
    struct jsv_str code = envelope_failure_code(ENVELOPE_FAILURE_INPUT_INVALID);
    if (envelope_issues_from_problems(code, problems, request->scratch, &answer.errors) < 0) {
        policy_fail(request, JSV_STR("out of memory"));
        return;
    }
    request->http_status = 422;
    answer_run(request, &answer);
}

/* More was put out than the request wants; a program was stopped before that. */
static void refuse_output(struct dialect_request *request)
{
    struct envelope_issue issue;
    int64_t limit = (int64_t)request->output_max;
    if (envelope_failure_number(ENVELOPE_FAILURE_TOO_LARGE, limit, request->scratch, &issue) < 0) {
        policy_fail(request, JSV_STR("out of memory"));
        return;
    }
    const struct envelope_answer answer = {.errors = {&issue, 1}};
    answer_run(request, &answer);
}

static void
policy_render(struct dialect_request *request, struct jsv_str result, enum tool_verdict verdict)
{
    (void)result; /* of a text it is only the spelling */
    (void)verdict;
    if (request->has_output_max && request->call->result.bytes.size > request->output_max) {
        refuse_output(request);
        return;
    }
    const struct envelope_answer answer = {
        .result = request->call->result,
        .keeps_lines = request->http != NULL,
    };
    answer_run(request, &answer);
}

/* With what it had put out by then; 200, for the request is answered. */
static void policy_render_failure(struct dialect_request *request)
{
    const struct envelope_answer answer = {
        .result = request->call->result,
        .errors = {&request->call->failure, 1},
        .keeps_lines = request->http != NULL,
    };
    answer_run(request, &answer);
}

const struct dialect dialect_policy = {
    .name = "policy",
    .in_turn = true,
    .recognise = policy_recognise,
    .open = policy_open,
    .refuse = policy_refuse,
    .render = policy_render,
    .render_failure = policy_render_failure,
    .fail = policy_fail,
};
