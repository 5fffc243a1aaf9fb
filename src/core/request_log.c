/*
 * Everything is read from a request that has its answer. The error is read from
 * the answer itself, so that no dialect has to report it twice; only answers
 * that may be errors are read.
 *
 * The ids of a line are left blank, and what they are made from is handed to the
 * log's thread, which fills them in. The loop makes them itself when that thread
 * is busy, when ids are random, and when there is no memory for handing them over.
 */
#include "core/request_log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/announce.h"
#include "core/id_generator.h"
#include "core/outcome.h"
#include "core/pipeline.h"
#include "core/worker_state.h"
#include "dialect/session.h"
#include "jsv/base/alloc.h"
#include "jsv/base/utf8.h"
#include "log/log.h"
#include "os/sys.h"

/* The version of the fields of a line. */
#define LINE_VERSION "1.0"

/* For the largest message and the parts beside it; and what is kept for the next one. */
#define PACKED_SIZE_MAX ((size_t)8 * 1024 * 1024)
#define PACKED_KEPT_MAX ((size_t)256 * 1024)

/*
 * Refused connections need no token, so any peer can cause these lines. So many a second (some 5
 * KB) do not push others out of the files that are kept; the rest is only counted.
 */
#define REFUSALS_MAX 10
#define SECOND_US    1000000

struct core_request_log {
    struct log_local *local;
    struct log_id_generator *ids; /* NULL: the log has no lines, only counters */
    struct jsv_buf packed;        /* what the ids of a line are made from */
    bool is_deterministic;
    uint64_t refusals_since_us;
    unsigned refusals; /* written since then */
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

/* ---- ids ---- */

/* @param ids LOG_IDS of LOG_ID_SIZE characters. */
static void take_ids(struct log_event *event, const char *ids)
{
    for (size_t i = 0; i < LOG_IDS; i++) {
        if (!event->ids[i].data) {
            event->ids[i] = (struct jsv_str){ids + i * LOG_ID_SIZE, LOG_ID_SIZE};
        }
    }
}

static void
write_named(struct core_request_log *log, const struct log_event *event, struct jsv_str packed)
{
    char ids[LOG_IDS][LOG_ID_SIZE];
    struct log_event named = *event;
    log->ids->generate(log->ids, packed, ids);
    take_ids(&named, ids[0]);
    log_write(log->local, &named);
}

/* What ids are made from, as one text; empty when there is no memory. */
static struct jsv_str join(struct core_request_log *log, const struct log_id_source *source)
{
    int r = jsv_buf_append_str(&log->packed, source->body); /* the head is there */
    return r < 0 ? JSV_STR("") : jsv_buf_str(&log->packed);
}

static void trim_packed(struct core_request_log *log)
{
    if (log->packed.capacity > PACKED_KEPT_MAX) {
        jsv_buf_done(&log->packed);
    }
}

static void deliver(
    struct core_request_log *log,
    struct log_event *event,
    const struct core_subject *subject,
    struct jsv_str unread)
{
    struct log_id_source source;
    jsv_buf_reset(&log->packed);
    if (!log->is_deterministic || core_subject_pack(subject, unread, &log->packed, &source) < 0) {
        write_named(log, event, JSV_STR(""));
    } else if (!log_write_blank(log->local, event, &source)) {
        write_named(log, event, join(log, &source));
    }
    trim_packed(log);
}

/* A message that belongs to a trace has the ids of that trace. */
static void take_trace(
    const struct core_request *request, const struct core_subject *subject, struct log_event *event)
{
    struct log_trace_context context = core_trace_of(request, subject->meta);
    struct jsv_str own =
        jsv_value_text(jsv_value_get(request->req.message.root, JSV_STR("trace_id")));
    struct log_trace trace;
    if (log_trace_read(context.parent, &trace)) {
        event->ids[LOG_ID_TRACE] = trace.trace_id;
        event->ids[LOG_ID_SPAN] = trace.span_id;
    } else if (own.size > 0 && request->req.dialect == &dialect_ref) {
        event->ids[LOG_ID_TRACE] = own;
    }
}

/* ---- the line ---- */

static struct jsv_value either(struct jsv_value object, struct jsv_str name, struct jsv_str other)
{
    struct jsv_value value = jsv_value_get(object, name);
    return jsv_value_type(value) != JSV_TYPE_NONE ? value : jsv_value_get(object, other);
}

/* Request envelopes have "agent". */
static struct jsv_value agent_of(struct jsv_value meta)
{
    struct jsv_value value = either(meta, JSV_STR("agentId"), JSV_STR("agent_id"));
    return jsv_value_type(value) != JSV_TYPE_NONE ? value : jsv_value_get(meta, JSV_STR("agent"));
}

static uint64_t attempt_of(struct jsv_value meta)
{
    int64_t attempt;
    int r = jsv_value_int64(jsv_value_get(meta, JSV_STR("attempt")), &attempt);
    return r == 0 && attempt > 0 ? (uint64_t)attempt : 1;
}

static void write_line(
    struct core_request_log *log,
    const struct core_request *request,
    const struct core_subject *subject,
    const struct log_outcome *outcome,
    const struct core_error *error)
{
    struct log_event event = {
        .wall_ms = log_wall_ms(log->local, request->req.began_us + outcome->duration_us),
        .transport = jsv_str_from(outcome->transport),
        .route = subject->route,
        .method = subject->method,
        .status = jsv_str_from(error->status),
        .duration_us = outcome->duration_us,
        .queued_us = request->queued_us,
        .attempt = 1,
        .input_bytes = outcome->input_bytes,
        .output_bytes = outcome->output_bytes,
        .deterministic = log->is_deterministic,
        .schema_version = JSV_STR(LINE_VERSION),
        .tool_id = subject->tool_id,
        .prompt_id = subject->prompt_id,
        .error_code = error->code,
        .error_message = error->message,
        .error_details = error->details,
        .stage = jsv_str_from(outcome->stage),
    };
    if (jsv_value_type(subject->meta) == JSV_TYPE_OBJECT) {
        event.agent_id = agent_of(subject->meta);
        event.task_id = either(subject->meta, JSV_STR("taskId"), JSV_STR("task_id"));
        event.step_id = either(subject->meta, JSV_STR("stepId"), JSV_STR("step_id"));
        event.attempt = attempt_of(subject->meta);
    }
    take_trace(request, subject, &event);
    if (core_request_ids(request)) {
        take_ids(&event, core_request_ids(request));
        log_write(log->local, &event);
        return;
    }
    deliver(log, &event, subject, request->frame.text);
}

/* ---- refusals ---- */

static bool may_write_refusal(struct core_request_log *log, uint64_t now_us)
{
    if (now_us - log->refusals_since_us >= SECOND_US) {
        log->refusals_since_us = now_us;
        log->refusals = 0;
    }
    return log->refusals++ < REFUSALS_MAX;
}

static void write_refusal(
    struct core_request_log *log, const char *transport, unsigned http_status, const char *why)
{
    static const struct core_subject unread = {.seed = CORE_SEED_UNREAD};
    uint64_t now_us = os_now_us();
    if (!may_write_refusal(log, now_us)) {
        return;
    }
    char code[CORE_ERROR_NAME_SIZE] = "REFUSED";
    char status[CORE_ERROR_NAME_SIZE] = "refused";
    if (http_status > 0) {
        snprintf(code, sizeof(code), "HTTP_%u", http_status);
        snprintf(status, sizeof(status), "http_%u", http_status);
    }
    struct log_event event = {
        .wall_ms = log_wall_ms(log->local, now_us),
        .transport = jsv_str_from(transport),
        .status = jsv_str_from(status),
        .attempt = 1,
        .deterministic = log->is_deterministic,
        .schema_version = JSV_STR(LINE_VERSION),
        .error_code = jsv_str_from(code),
        .error_message = jsv_str_from(why),
        .stage = JSV_STR("frame"),
    };
    deliver(log, &event, &unread, jsv_str_from(why));
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
    /* A header may have any bytes beyond ASCII; the name becomes part of a JSON document. */
    return jsv_utf8_valid_prefix(name) == name.size ? name : (struct jsv_str){NULL, 0};
}

#define FILL(local, field, text) log_problem_fill((local), (field), sizeof(field), (text))

static void note_mismatch(
    struct core_request_log *log,
    const struct core_request *request,
    const struct core_subject *subject,
    const struct log_outcome *outcome,
    const struct core_error *error)
{
    struct log_problem mismatch = {.count = 1};
    bool is_input = request->stopped == CORE_STAGE_INPUT && request->mismatch.pointer.data;
    mismatch.first_ms = mismatch.last_ms =
        log_wall_ms(log->local, request->req.began_us + outcome->duration_us);
    FILL(log->local, mismatch.dialect, jsv_str_from(outcome->dialect));
    FILL(log->local, mismatch.stage, jsv_str_from(outcome->stage));
    FILL(log->local, mismatch.status, jsv_str_from(error->status));
    FILL(log->local, mismatch.tool, subject->tool_id);
    FILL(log->local, mismatch.client, client_of(request, subject));
    FILL(log->local, mismatch.pointer, is_input ? request->mismatch.pointer : error->pointer);
    FILL(
        log->local,
        mismatch.schema_path,
        is_input ? request->mismatch.schema_path : error->schema_path);
    FILL(log->local, mismatch.message, error->problem.data ? error->problem : error->message);
    if (log_note_problem(log->local, &mismatch)) {
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
    struct core_request_log *log = log_of_request(request);
    const struct core_subject subject = core_subject_of(request);
    if (outcome->failed && error != &cancelled) {
        note_mismatch(log, request, &subject, outcome, error);
    }
    if (log->ids) {
        write_line(log, request, &subject, outcome, error);
    }
}

static void
record(struct core_request *request, size_t output_bytes, const struct core_error *error)
{
    struct core_request_log *log = log_of_request(request);
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
    log_count_outcome(log_counters_of(log->local), &outcome);
    if (!failed) {
        keep_client_name(request);
    }
    if (failed || log->ids) {
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
    struct core_request_log *log = log_of_request(request);
    if (!log || !log->ids) {
        return;
    }
    const struct core_subject subject = core_subject_of(request);
    struct log_id_source source;
    char ids[LOG_IDS][LOG_ID_SIZE];
    jsv_buf_reset(&log->packed);
    bool is_packed = log->is_deterministic &&
                     core_subject_pack(&subject, JSV_STR(""), &log->packed, &source) == 0;
    log->ids->generate(log->ids, is_packed ? join(log, &source) : JSV_STR(""), ids);
    memcpy(ret_ids, ids, sizeof(ids));
    trim_packed(log);
}

/* ---- counters ---- */

void core_log_count_conn(const struct core_conn *conn, int change)
{
    struct core_request_log *log = conn->worker->request_log;
    if (log) {
        const char *transport = core_transport_name(conn->transport);
        log_count_connection(log_counters_of(log->local), transport, change);
    }
}

void core_refused(
    struct core_worker *worker,
    enum core_transport transport,
    unsigned http_status,
    const char *why)
{
    struct core_request_log *log = worker->request_log;
    if (!log) {
        return;
    }
    log_count_refusal(log_counters_of(log->local), core_transport_name(transport), http_status);
    if (log->ids) {
        write_refusal(log, core_transport_name(transport), http_status, why);
    }
}

void core_log_count_waiting(struct core_request_log *log, int change)
{
    if (log) {
        log_count_waiting(log_counters_of(log->local), change);
    }
}

void core_log_count_snapshot(struct core_request_log *log)
{
    if (log) {
        log_count_snapshot(log_counters_of(log->local), os_now_ms());
    }
}

struct log_counters *core_request_log_counters(const struct core_request_log *log)
{
    return log ? log_counters_of(log->local) : NULL;
}

struct log *core_request_log_target(const struct core_request_log *log)
{
    return log ? log_of(log->local) : NULL;
}

/* ---- lifetime ---- */

/* One generator for the loop, and one for the log's thread, which outlives it. */
static int make_generators(struct core_request_log *log)
{
    struct log_id_generator *other = NULL;
    int r = core_id_generator_new(&log->ids);
    if (r == 0 && log->is_deterministic) {
        r = core_id_generator_new(&other);
    }
    if (other) {
        log_set_id_generator(log->local, other);
    }
    return r;
}

int core_request_log_new(struct log *log, struct core_request_log **ret_request_log)
{
    *ret_request_log = NULL;
    if (!log) {
        return 0;
    }
    struct core_request_log *made = jsv_alloc(os_allocator(), sizeof(*made));
    if (!made) {
        return -ENOMEM;
    }
    *made = (struct core_request_log){.local = NULL};
    jsv_buf_init(&made->packed, os_allocator(), PACKED_SIZE_MAX);
    int r = log_local_new(log, &made->local);
    if (r == 0 && log_has_lines(made->local)) {
        made->is_deterministic = log_is_deterministic(made->local);
        r = make_generators(made);
    }
    if (r < 0) {
        core_request_log_free(made);
        return r;
    }
    *ret_request_log = made;
    return 0;
}

void core_request_log_free(struct core_request_log *log)
{
    if (!log) {
        return;
    }
    if (log->ids) {
        log->ids->free(log->ids);
    }
    jsv_buf_done(&log->packed);
    jsv_dealloc(os_allocator(), log, sizeof(*log));
}
