/*
 * POLICY: an mcp.request.v0.1 object is always answered with an mcp.envelope.v0.1
 * object. The tool's output is the envelope's result; errors are in its errors.
 * params._meta says whether the client wants a provenance record; tools do not
 * see that member.
 */
#include <errno.h>
#include <string.h>

#include "dialect/dialect.h"
#include "dialect/write.h"
#include "envelope/provenance.h"
#include "envelope/schemas.h"
#include "log/text.h"
#include "os/sys.h"

static bool policy_recognise(const struct dialect_req *req)
{
    return req->message.kind == RPC_FOREIGN && dialect_is_open(req) &&
           envelope_is_request(req->message.root);
}

/* ---- answers ---- */

static struct jsv_value request_id(const struct dialect_req *req)
{
    return jsv_value_get(req->message.root, JSV_STR("request_id"));
}

/* An envelope without a result, for a request that did not reach a tool. */
static enum dialect_step
answer_errors(struct dialect_req *req, unsigned status, struct envelope_issues errors)
{
    const struct envelope_answer answer = {.errors = errors, .request_id = request_id(req)};
    req->http_status = status;
    envelope_write(&answer, req->reply);
    return DIALECT_DONE;
}

static enum dialect_step answer_failure(
    struct dialect_req *req, unsigned status, enum envelope_failure failure, struct jsv_str text)
{
    const struct envelope_issue issue = envelope_failure_text(failure, text);
    return answer_errors(req, status, (struct envelope_issues){&issue, 1});
}

static void policy_fail(struct dialect_req *req, struct jsv_str details)
{
    answer_failure(req, 500, ENVELOPE_FAILURE_INTERNAL, details);
}

static enum dialect_step answer_problems(
    struct dialect_req *req,
    unsigned status,
    enum envelope_failure failure,
    const struct jsv_problems *problems)
{
    struct envelope_issues issues;
    struct jsv_str code = envelope_failure_code(failure);
    if (envelope_issues_from_problems(code, problems, req->scratch, &issues) < 0) {
        policy_fail(req, JSV_STR("out of memory"));
        return DIALECT_DONE;
    }
    return answer_errors(req, status, issues);
}

/* ---- requests ---- */

static enum dialect_step take_arguments(struct dialect_req *req)
{
    static const struct jsv_problem not_object = {
        .message = JSV_STR("expected object"),
        .keyword = JSV_STR("type"),
    };
    static const struct jsv_problems problems = {.items = &not_object, .count = 1};
    struct jsv_value params = jsv_value_get(req->message.root, JSV_STR("params"));
    if (jsv_value_type(params) != JSV_TYPE_OBJECT) {
        return answer_problems(req, 422, ENVELOPE_FAILURE_INPUT_INVALID, &problems);
    }
    if (dialect_take_arguments(req, params) < 0) {
        policy_fail(req, JSV_STR("out of memory"));
        return DIALECT_DONE;
    }
    return DIALECT_CALL;
}

static enum dialect_step policy_open(struct dialect_req *req)
{
    struct jsv_value root = req->message.root;
    const struct jsv_schema *schema = envelope_schemas_get(req->envelopes, ENVELOPE_SCHEMA_REQUEST);
    struct jsv_problems problems;
    int r = jsv_validate_report(req->validator, schema, root, &problems);
    if (r < 0) {
        policy_fail(req, JSV_STR("the request could not be checked"));
        return DIALECT_DONE;
    }
    if (r == 0) {
        return answer_problems(req, 400, ENVELOPE_FAILURE_REQUEST_INVALID, &problems);
    }
    struct jsv_value tool = jsv_value_get(root, JSV_STR("tool"));
    struct jsv_str name = jsv_value_text(jsv_value_get(tool, JSV_STR("name")));
    req->tool = dialect_find_tool(req, name);
    if (!req->tool) {
        return answer_failure(req, 404, ENVELOPE_FAILURE_TOOL_NOT_FOUND, name);
    }
    struct envelope_options options = envelope_options_read(root);
    req->has_output_max = options.has_output_max;
    req->output_max = options.output_max;
    return take_arguments(req);
}

/* ---- results ---- */

/* The answer to a request whose tool is known, with a provenance record if it asks for one. */
static void answer_run(struct dialect_req *req, const struct envelope_answer *answer)
{
    unsigned char random[OS_UUID_BYTES];
    char now[LOG_TIMESTAMP_SIZE];
    struct envelope_run run = {
        .tool_name = req->tool->name,
        .tool_version = dialect_tool_version(req->tool),
        .request = req->message.root,
    };
    int r = 0;
    if (!envelope_options_read(run.request).deterministic) {
        r = os_random(random, sizeof(random));
        log_timestamp(now);
        run.random = random;
        run.time = jsv_str_from(now);
    }
    if (r == 0) {
        r = envelope_answer_write(&run, answer, req->scratch, req->reply);
    }
    if (r < 0 && req->reply->error == 0) {
        jsv_buf_reset(req->reply);
        policy_fail(req, JSV_STR("the envelope could not be written"));
    }
}

static void policy_refuse(struct dialect_req *req, const struct jsv_problems *problems)
{
    struct envelope_answer answer = {0};
    struct jsv_str code = envelope_failure_code(ENVELOPE_FAILURE_INPUT_INVALID);
    if (envelope_issues_from_problems(code, problems, req->scratch, &answer.errors) < 0) {
        policy_fail(req, JSV_STR("out of memory"));
        return;
    }
    req->http_status = 422;
    answer_run(req, &answer);
}

/* The result is larger than the request allows. A program would have been stopped before. */
static void refuse_output(struct dialect_req *req)
{
    struct envelope_issue issue;
    int64_t limit = (int64_t)req->output_max;
    if (envelope_failure_number(ENVELOPE_FAILURE_TOO_LARGE, limit, req->scratch, &issue) < 0) {
        policy_fail(req, JSV_STR("out of memory"));
        return;
    }
    const struct envelope_answer answer = {.errors = {&issue, 1}};
    answer_run(req, &answer);
}

static void policy_render(struct dialect_req *req, struct jsv_str result, enum tool_verdict verdict)
{
    (void)result; /* call->result has the bytes as the tool wrote them */
    (void)verdict;
    if (req->has_output_max && req->call->result.bytes.size > req->output_max) {
        refuse_output(req);
        return;
    }
    const struct envelope_answer answer = {
        .result = req->call->result,
        .keeps_lines = req->http != NULL,
    };
    answer_run(req, &answer);
}

/* With what the program wrote before it failed. The status is 200: the envelope has the errors. */
static void policy_render_failure(struct dialect_req *req)
{
    const struct envelope_answer answer = {
        .result = req->call->result,
        .errors = {&req->call->failure, 1},
        .keeps_lines = req->http != NULL,
    };
    answer_run(req, &answer);
}

const struct dialect dialect_policy = {
    .name = "policy",
    .serial = true,
    .recognise = policy_recognise,
    .open = policy_open,
    .refuse = policy_refuse,
    .render = policy_render,
    .render_failure = policy_render_failure,
    .fail = policy_fail,
};
