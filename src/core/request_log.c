/*
 * Everything is read from a request that has its answer. The error is read from
 * the answer itself, so that no dialect has to report it twice; only answers
 * that may be errors are read.
 */
#include "core/request_log.h"

#include <errno.h>

#include "core/announce.h"
#include "core/log_writer.h"
#include "core/outcome.h"
#include "core/pipeline.h"
#include "core/worker_state.h"
#include "dialect/session.h"
#include "jsv/base/alloc.h"
#include "log/log.h"
#include "os/sys.h"

struct core_request_log {
    struct log_local *local;
    struct core_log_writer *writer; /* NULL: the log has no lines */
};

static struct core_request_log *log_of_request(const struct core_request *request)
{
    return request->worker->request_log;
}

/* ---- names ---- */

const char *core_transport_name(enum core_transport transport)
{
    switch (transport) {
    case CORE_TRANSPORT_STDIO:
        return "stdio";
    case CORE_TRANSPORT_SOCKET:
        return "socket";
    case CORE_TRANSPORT_HTTP:
        break;
    }
    return "http";
}

static const char *dialect_name(const struct core_request *request)
{
    return request->req.dialect ? request->req.dialect->name : "none";
}

/*
 * Where the message stopped. After a failed tool, or a failed check of its output, the dialect
 * still renders an answer; the log names the tool or the check.
 */
static enum core_stage stage_of(const struct core_request *request)
{
    const struct tool_call *call = &request->call;
    struct jsv_str code = call->failure.code;
    if (request->stopped <= CORE_STAGE_TOOL) {
        return request->stopped;
    }
    if (code.data && jsv_str_equal(code, envelope_failure_code(ENVELOPE_FAILURE_OUTPUT_INVALID))) {
        return CORE_STAGE_OUTPUT;
    }
    bool has_failed = call->error < 0 || code.data || call->verdict == TOOL_VERDICT_FAILED;
    return has_failed ? CORE_STAGE_TOOL : request->stopped;
}

/* ---- mismatches ---- */

/* The client's name, from its message, from initialize or from HTTP. */
static struct jsv_str
client_of(const struct core_request *request, const struct core_subject *subject)
{
    const struct rpc_http *http = request->req.http;
    const struct dialect_session *session = *request->req.session;
    struct jsv_value info =
        jsv_value_get(subject->meta, JSV_STR("io.modelcontextprotocol/clientInfo"));
    struct jsv_str name = jsv_value_text(jsv_value_get(info, JSV_STR("name")));
    if (!name.data && session && session->client[0] != '\0') {
        name = jsv_str_from(session->client);
    }
    if (!name.data && http &&
        http->header(http, JSV_STR("User-Agent"), &name) != RPC_HEADER_FOUND) {
        name = (struct jsv_str){NULL, 0};
    }
    return name;
}

#define FILL(local, field, text) log_problem_fill((local), (field), sizeof(field), (text))

static void note_mismatch(
    struct core_request_log *request_log,
    const struct core_request *request,
    const struct core_subject *subject,
    const struct log_outcome *outcome,
    const struct core_error *error)
{
    struct log_problem mismatch = {.count = 1};
    bool is_input = request->stopped == CORE_STAGE_INPUT && request->mismatch.pointer.data;
    mismatch.first_ms = mismatch.last_ms =
        log_wall_ms(request_log->local, request->req.began_us + outcome->duration_us);
    FILL(request_log->local, mismatch.dialect, jsv_str_from(outcome->dialect));
    FILL(request_log->local, mismatch.stage, jsv_str_from(outcome->stage));
    FILL(request_log->local, mismatch.status, jsv_str_from(error->status));
    FILL(request_log->local, mismatch.tool, subject->tool_id);
    FILL(request_log->local, mismatch.client, client_of(request, subject));
    FILL(
        request_log->local,
        mismatch.pointer,
        is_input ? request->mismatch.pointer : error->pointer);
    FILL(
        request_log->local,
        mismatch.schema_path,
        is_input ? request->mismatch.schema_path : error->schema_path);
    FILL(
        request_log->local,
        mismatch.message,
        error->problem.data ? error->problem : error->message);
    if (log_note_problem(request_log->local, &mismatch)) {
        core_news(request->worker);
    }
}

/* Keep the client's name for later messages. No other request uses the session yet. */
static void keep_client_name(const struct core_request *request)
{
    const struct mcp_method *method = request->req.method;
    struct dialect_session *session = *request->req.session;
    if (session && method && method->id == MCP_METHOD_INITIALIZE) {
        struct jsv_value info = jsv_value_get(request->req.message.params, JSV_STR("clientInfo"));
        FILL(
            log_of_request(request)->local,
            session->client,
            jsv_value_text(jsv_value_get(info, JSV_STR("name"))));
    }
}

/* ---- finished messages ---- */

static const struct core_error cancelled = {
    .status = "cancelled",
    .code = JSV_STR("CANCELLED"),
    .message = JSV_STR("The caller did not wait for the answer"),
};

static void write_details(
    const struct core_request *request,
    const struct log_outcome *outcome,
    const struct core_error *error)
{
    struct core_request_log *request_log = log_of_request(request);
    const struct core_subject subject = core_subject_of(request);
    if (outcome->failed && error != &cancelled) {
        note_mismatch(request_log, request, &subject, outcome, error);
    }
    if (request_log->writer) {
        core_log_writer_write(request_log->writer, request, &subject, outcome, error);
    }
}

static void
record(struct core_request *request, size_t output_bytes, const struct core_error *error)
{
    struct core_request_log *request_log = log_of_request(request);
    bool failed = error->code.data;
    request->worker->clock_us = os_now_us();
    const struct log_outcome outcome = {
        .dialect = dialect_name(request),
        .transport = core_transport_name(request->conn->transport),
        .stage = core_stage_name(stage_of(request)),
        .tool = request->req.tool ? request->req.tool->name : (struct jsv_str){NULL, 0},
        .failed = failed,
        .duration_us = request->worker->clock_us - request->req.began_us,
        .input_bytes = request->input_bytes,
        .output_bytes = output_bytes,
    };
    log_count_outcome(log_counters_of(request_log->local), &outcome);
    if (!failed) {
        keep_client_name(request);
    }
    if (failed || request_log->writer) {
        write_details(request, &outcome, error);
    }
}

void core_log_answered(struct core_request *request, const struct core_answer *answer)
{
    bool is_batch = request->req.message.kind == RPC_BATCH &&
                    (request->reply.size == 0 || request->reply.data[0] == '[');
    if (!log_of_request(request) || is_batch) {
        return; /* its messages are logged one by one */
    }
    struct core_error error;
    core_error_find(request, &error);
    record(request, answer->text.size, &error);
}

/* A request that listens can only end this way, so this is not an error. */
void core_log_abandoned(struct core_request *request)
{
    static const struct core_error none = {.status = "ok"};
    if (log_of_request(request) && request->req.message.kind != RPC_BATCH) {
        request->stopped = request->stage;
        record(request, 0, request->is_listening ? &none : &cancelled);
    }
}

void core_log_make_ids(const struct core_request *request, char *ret_ids)
{
    const struct core_request_log *request_log = log_of_request(request);
    if (request_log && request_log->writer) {
        const struct core_subject subject = core_subject_of(request);
        core_log_writer_make_ids(request_log->writer, &subject, ret_ids);
    }
}

void core_log_count_conn(const struct core_conn *conn, int change)
{
    struct core_request_log *request_log = conn->worker->request_log;
    if (request_log) {
        const char *transport = core_transport_name(conn->transport);
        log_count_connection(log_counters_of(request_log->local), transport, change);
    }
}

void core_refused(
    struct core_worker *worker,
    enum core_transport transport,
    unsigned http_status,
    const char *why)
{
    struct core_request_log *request_log = worker->request_log;
    if (!request_log) {
        return;
    }
    log_count_refusal(
        log_counters_of(request_log->local), core_transport_name(transport), http_status);
    if (request_log->writer) {
        core_log_writer_refusal(
            request_log->writer, core_transport_name(transport), http_status, why);
    }
}

void core_log_count_waiting(struct core_request_log *request_log, int change)
{
    if (request_log) {
        log_count_waiting(log_counters_of(request_log->local), change);
    }
}

void core_log_count_snapshot(struct core_request_log *request_log)
{
    if (request_log) {
        log_count_snapshot(log_counters_of(request_log->local), os_now_ms());
    }
}

struct log_counters *core_request_log_counters(const struct core_request_log *request_log)
{
    return request_log ? log_counters_of(request_log->local) : NULL;
}

struct log *core_request_log_target(const struct core_request_log *request_log)
{
    return request_log ? log_of(request_log->local) : NULL;
}

int core_request_log_new(struct log *log, struct core_request_log **ret_request_log)
{
    if (!log) {
        *ret_request_log = NULL;
        return 0;
    }
    struct core_request_log *request_log = jsv_alloc(os_allocator(), sizeof(*request_log));
    if (!request_log) {
        return -ENOMEM;
    }
    *request_log = (struct core_request_log){.local = NULL};
    int r = log_local_new(log, &request_log->local);
    if (r == 0 && log_has_lines(request_log->local)) {
        r = core_log_writer_new(request_log->local, &request_log->writer);
    }
    if (r < 0) {
        core_request_log_free(request_log);
        return r;
    }
    *ret_request_log = request_log;
    return 0;
}

void core_request_log_free(struct core_request_log *request_log)
{
    if (request_log) {
        core_log_writer_free(request_log->writer);
        jsv_dealloc(os_allocator(), request_log, sizeof(*request_log));
    }
}
