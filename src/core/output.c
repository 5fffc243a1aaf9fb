#include "core/output.h"

#include <errno.h>

#include "core/request.h"
#include "core/worker_state.h"
#include "envelope/issue.h"
#include "log/text.h"

static int
blame_program(struct core_request *request, const struct jsv_schema *schema, struct jsv_value value)
{
    struct jsv_problems problems;
    int r = jsv_validate_report(request->worker->output_validator, schema, value, &problems);
    if (r != 0) {
        return r;
    }
    r = envelope_failure_problem(
        ENVELOPE_FAILURE_OUTPUT_INVALID, &problems, &request->scratch, &request->call.failure);
    if (r < 0) {
        return r;
    }
    request->call.verdict = TOOL_VERDICT_FAILED;
    log_text_warning("invalid_output", "tool", request->asked.tool->name);
    return 1;
}

static int check(struct core_request *request, const struct jsv_schema *schema)
{
    struct core_worker *worker = request->worker;
    struct jsv_error error;
    int r =
        jsv_read(worker->output_reader, worker->output, jsv_buf_str(&request->result), 0, &error);
    if (r < 0) {
        return r == -EBADMSG ? 0 : r;
    }
    struct jsv_value value = jsv_document_root(worker->output);
    r = jsv_validate(worker->output_validator, schema, value);
    bool is_program = request->asked.tool->directory.size > 0;
    return r == 0 && is_program ? blame_program(request, schema, value) : r;
}

/* Schemas of a snapshot before this one may go at any time, and others take their place. */
static const struct jsv_schema *
lasting(const struct core_request *request, const struct jsv_schema *schema)
{
    return request->asked.catalog == request->worker->catalog ? schema : NULL;
}

int core_output_check(struct core_request *request)
{
    struct core_proven *proven = &request->worker->proven_results;
    const struct jsv_schema *schema;
    struct jsv_str reason;
    int r = catalog_tool_output(request->asked.catalog, request->asked.tool, &schema, &reason);
    if (r < 0) {
        return r == -ENOENT ? 1 : r;
    }
    const struct core_proven_key key = {.schema = lasting(request, schema)};
    struct jsv_str text = jsv_buf_str(&request->result);
    if (core_proven_has(proven, &key, text)) {
        return 1;
    }
    r = check(request, schema);
    if (r > 0 && !request->call.failure.code.data) {
        core_proven_add(proven, &key, text);
    }
    return r;
}

int core_output_check_message(struct core_request *request, struct jsv_str message)
{
    struct core_worker *worker = request->worker;
    struct jsv_error error;
    int r = jsv_read(worker->output_reader, worker->output, message, 0, &error);
    if (r < 0) {
        return r == -ENOMEM ? r : 0;
    }
    struct dialect_request aside = request->asked;
    aside.scratch = &worker->aside;
    aside.validator = worker->output_validator;
    return aside.dialect->is_sound(&aside, jsv_document_root(worker->output));
}
