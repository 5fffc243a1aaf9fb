/*
 * Everything here is read off a request that has its answer: who it was from,
 * what it wanted, how far it came. How it went is read off the answer itself,
 * so no dialect has to say the same thing twice; and only answers that may be
 * refusals are read.
 */
#include "core/account.h"

#include <errno.h>

#include "core/announce.h"
#include "core/fault.h"
#include "core/lines.h"
#include "core/request.h"
#include "core/subject.h"
#include "core/worker_state.h"
#include "dialect/session.h"
#include "jsv/base/alloc.h"
#include "log/log.h"
#include "os/sys.h"

struct core_account {
    struct log_local *share;
    struct core_lines *lines; /* NULL: there are none */
};

static struct core_account *account_of(const struct core_request *request)
{
    return request->worker->account;
}

/* ---- words ---- */

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
    return request->asked.dialect ? request->asked.dialect->name : "none";
}

static const char *stage_word(enum core_stage stage)
{
    static const char *const words[] = {
#define CORE_STAGE(name, word) [CORE_STAGE_##name] = (word),
#include "core/stages.def"
#undef CORE_STAGE
    };
    return words[stage];
}

/*
 * A tool that began and could not do its work is where its message stopped, and so is the check of
 * what it put out, though the dialect has found words for either.
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

/* ---- what did not fit ---- */

/* As the client calls itself: in its message, when the session began, or over HTTP. */
static struct jsv_str
client_of(const struct core_request *request, const struct core_subject *subject)
{
    const struct rpc_http *http = request->asked.http;
    const struct dialect_session *session = *request->asked.session;
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

#define FILL(share, field, text) log_problem_fill((share), (field), sizeof(field), (text))

static void note_mismatch(
    struct core_account *account,
    const struct core_request *request,
    const struct core_subject *subject,
    const struct log_outcome *outcome,
    const struct core_fault *fault)
{
    struct log_problem mismatch = {.count = 1};
    bool is_input = request->stopped == CORE_STAGE_INPUT && request->mismatch.pointer.data;
    mismatch.first_ms = mismatch.last_ms =
        log_wall_ms(account->share, request->asked.began_us + outcome->duration_us);
    FILL(account->share, mismatch.dialect, jsv_str_from(outcome->dialect));
    FILL(account->share, mismatch.stage, jsv_str_from(outcome->stage));
    FILL(account->share, mismatch.status, jsv_str_from(fault->status));
    FILL(account->share, mismatch.tool, subject->tool_id);
    FILL(account->share, mismatch.client, client_of(request, subject));
    FILL(account->share, mismatch.pointer, is_input ? request->mismatch.pointer : fault->pointer);
    FILL(
        account->share,
        mismatch.schema_path,
        is_input ? request->mismatch.schema_path : fault->schema_path);
    FILL(account->share, mismatch.message, fault->problem.data ? fault->problem : fault->message);
    if (log_note_problem(account->share, &mismatch)) {
        core_news(request->worker);
    }
}

/* Remember a client's name for later messages of its session; nobody else has the session yet. */
static void meet_client(const struct core_request *request)
{
    const struct mcp_method *method = request->asked.method;
    struct dialect_session *session = *request->asked.session;
    if (session && method && method->id == MCP_METHOD_INITIALIZE) {
        struct jsv_value info = jsv_value_get(request->asked.message.params, JSV_STR("clientInfo"));
        FILL(
            account_of(request)->share,
            session->client,
            jsv_value_text(jsv_value_get(info, JSV_STR("name"))));
    }
}

/* ---- the whole of it ---- */

/* What there was nothing wrong with but that it took too long for its caller. */
static const struct core_fault cancelled = {
    .status = "cancelled",
    .code = {"CANCELLED", 9},
    .message = {"The caller did not wait for the answer", 38},
};

/* More than numbers: what it was about. */
static void tell(
    const struct core_request *request,
    const struct log_outcome *outcome,
    const struct core_fault *fault)
{
    struct core_account *account = account_of(request);
    const struct core_subject subject = core_subject_of(request);
    if (outcome->failed && fault != &cancelled) {
        note_mismatch(account, request, &subject, outcome, fault);
    }
    if (account->lines) {
        core_lines_write(account->lines, request, &subject, outcome, fault);
    }
}

static void keep(struct core_request *request, size_t output_bytes, const struct core_fault *fault)
{
    struct core_account *account = account_of(request);
    bool failed = fault->code.data;
    request->worker->clock_us = os_now_us();
    const struct log_outcome outcome = {
        .dialect = dialect_name(request),
        .transport = core_transport_name(request->conn->transport),
        .stage = stage_word(stage_of(request)),
        .tool = request->asked.tool ? request->asked.tool->name : (struct jsv_str){NULL, 0},
        .failed = failed,
        .duration_us = request->worker->clock_us - request->asked.began_us,
        .input_bytes = request->input_bytes,
        .output_bytes = output_bytes,
    };
    log_count_outcome(log_counters_of(account->share), &outcome);
    if (!failed) {
        meet_client(request);
    }
    if (failed || account->lines) {
        tell(request, &outcome, fault);
    }
}

void core_account_request(struct core_request *request, const struct core_answer *answer)
{
    bool is_batch = request->asked.message.kind == RPC_BATCH &&
                    (request->reply.size == 0 || request->reply.data[0] == '[');
    if (!account_of(request) || is_batch) {
        return; /* its messages have been */
    }
    struct core_fault fault;
    core_fault_find(request, &fault);
    keep(request, answer->text.size, &fault);
}

/* Who listens has no other way to end it, and misses nothing. */
void core_account_abandoned(struct core_request *request)
{
    static const struct core_fault none = {.status = "ok"};
    if (account_of(request) && request->asked.message.kind != RPC_BATCH) {
        request->stopped = request->stage;
        keep(request, 0, request->is_listening ? &none : &cancelled);
    }
}

void core_account_name(const struct core_request *request, char *ret_ids)
{
    const struct core_account *account = account_of(request);
    if (account && account->lines) {
        const struct core_subject subject = core_subject_of(request);
        core_lines_name(account->lines, &subject, ret_ids);
    }
}

void core_account_conn(const struct core_conn *conn, int change)
{
    struct core_account *account = conn->worker->account;
    if (account) {
        const char *transport = core_transport_name(conn->transport);
        log_count_connection(log_counters_of(account->share), transport, change);
    }
}

void core_refused(
    struct core_worker *worker,
    enum core_transport transport,
    unsigned http_status,
    const char *why)
{
    struct core_account *account = worker->account;
    if (!account) {
        return;
    }
    log_count_refusal(log_counters_of(account->share), core_transport_name(transport), http_status);
    if (account->lines) {
        core_lines_write_refusal(account->lines, core_transport_name(transport), http_status, why);
    }
}

void core_account_waiting(struct core_account *account, int change)
{
    if (account) {
        log_count_waiting(log_counters_of(account->share), change);
    }
}

void core_account_snapshot(struct core_account *account)
{
    if (account) {
        log_count_snapshot(log_counters_of(account->share), os_now_ms());
    }
}

struct log_counters *core_account_counters(const struct core_account *account)
{
    return account ? log_counters_of(account->share) : NULL;
}

struct log *core_account_log(const struct core_account *account)
{
    return account ? log_of(account->share) : NULL;
}

int core_account_new(struct log *log, struct core_account **ret_account)
{
    if (!log) {
        *ret_account = NULL;
        return 0;
    }
    struct core_account *account = jsv_alloc(os_allocator(), sizeof(*account));
    if (!account) {
        return -ENOMEM;
    }
    *account = (struct core_account){.share = NULL};
    int r = log_local_new(log, &account->share);
    if (r == 0 && log_has_lines(account->share)) {
        r = core_lines_new(account->share, &account->lines);
    }
    if (r < 0) {
        core_account_free(account);
        return r;
    }
    *ret_account = account;
    return 0;
}

void core_account_free(struct core_account *account)
{
    if (account) {
        core_lines_free(account->lines);
        jsv_dealloc(os_allocator(), account, sizeof(*account));
    }
}
