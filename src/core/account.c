/*
 * Everything here is read off a request that has its answer: who it was from,
 * what it wanted, how far it came. How it went is read off the answer itself,
 * so no dialect has to say the same thing twice; and only answers that may be
 * refusals are read.
 */
#include "core/account.h"

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/fault.h"
#include "core/pipeline.h"
#include "core/worker_state.h"
#include "dialect/session.h"
#include "envelope/identifier.h"
#include "envelope/invoke.h"
#include "log/log.h"
#include "log/trace.h"
#include "os/sys.h"

/* Version of the lines' fields. */
#define LINE_VERSION "1.0"

/* Of what cannot be read so many bytes make its ids. */
#define UNREAD_SEED_MAX 4096

/* Room for the seed of the largest message, every character of it escaped. */
#define SEED_SIZE_MAX ((size_t)8 * 1024 * 1024)
#define SEED_KEPT_MAX ((size_t)256 * 1024)

#define RANDOM_IDS 64

struct ids {
    char request[OS_UUID_SIZE + 1];
    char trace[OS_UUID_SIZE + 1];
    char span[OS_UUID_SIZE + 1];
};

/*
 * Ids of what was asked lately: clients ask the same again and again, and
 * comparing is cheaper than sorting members and three digests. A place is
 * found by the hash of what was asked, which is compared in full.
 */
#define MEMORY_PLACES   256
#define MEMORY_KEY_SIZE 960

struct remembered {
    size_t key_size; /* 0: the place is free */
    char key[MEMORY_KEY_SIZE];
    struct ids ids;
};

#define MEMORY_SIZE (MEMORY_PLACES * sizeof(struct remembered))

struct core_account {
    struct log_share *share;
    struct remembered *memory; /* NULL: no ids are made of what was asked */
    struct jsv_buf seed;
    unsigned char random[RANDOM_IDS][OS_UUID_BYTES];
    size_t random_left;
};

static struct core_account *account_of(const struct core_request *request)
{
    return request->worker->account;
}

/* ---- words ---- */

static const char *transport_name(enum core_transport transport)
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

/* Whether the tool began and could not do its work. */
static bool has_tool_failed(const struct core_request *request)
{
    return request->stopped > CORE_STAGE_TOOL &&
           (request->call.error < 0 || request->call.failure.code.data ||
            request->call.verdict == TOOL_VERDICT_FAILED);
}

static const char *stage_of(const struct core_request *request)
{
    return stage_word(has_tool_failed(request) ? CORE_STAGE_TOOL : request->stopped);
}

/* ---- what was asked ---- */

/* The parts of a message that the log is after, whatever its dialect calls them. */
struct question {
    struct jsv_str route; /* data NULL: nobody knows it */
    struct jsv_str method;
    struct jsv_str tool_id;
    struct jsv_str prompt_id;
    struct jsv_value payload;
    struct jsv_value meta; /* where agent, task, step, attempt and trace stand */
    enum {
        SEED_PLAIN,
        SEED_DISCOVER,
        SEED_PROMPT,
        SEED_TOOL,
    } seed;
};

/* At an endpoint of its own the name is in the path. */
static struct jsv_str name_in_path(const struct dialect_request *asked)
{
    struct jsv_str none = {NULL, 0};
    return asked->http && asked->http->parameter.size > 0 ? asked->http->parameter : none;
}

static void ask_env(const struct dialect_request *asked, struct question *question)
{
    struct jsv_value params = asked->message.params;
    if (jsv_str_equal(question->method, JSV_STR("mcp.discover"))) {
        question->seed = SEED_DISCOVER;
        question->route = JSV_STR("discover");
    } else if (jsv_str_equal(question->method, JSV_STR("mcp.prompt.get"))) {
        struct jsv_str id = name_in_path(asked);
        question->seed = SEED_PROMPT;
        question->route = JSV_STR("prompt");
        question->prompt_id =
            id.data ? id : jsv_value_text(jsv_value_get(params, JSV_STR("promptId")));
    } else if (jsv_str_equal(question->method, JSV_STR("mcp.tool.invoke"))) {
        struct envelope_invoke invoke = {.tool_id = {NULL, 0}};
        struct jsv_problem problem;
        question->route = JSV_STR("tool");
        if (envelope_invoke_read(params, name_in_path(asked), &invoke, &problem)) {
            question->seed = SEED_TOOL;
            question->tool_id = invoke.tool_id;
            question->payload = invoke.arguments;
        }
    }
}

static bool is_called(const struct dialect *dialect, const char *name)
{
    return dialect && strcmp(dialect->name, name) == 0;
}

static void ask_ref(struct jsv_value root, struct question *question)
{
    question->method = question->tool_id = jsv_value_text(jsv_value_get(root, JSV_STR("tool")));
    question->payload = jsv_value_get(root, JSV_STR("payload"));
    question->meta = jsv_value_get(root, JSV_STR("context"));
}

static void ask_policy(struct jsv_value root, struct question *question)
{
    struct jsv_value tool = jsv_value_get(root, JSV_STR("tool"));
    question->method = question->tool_id = jsv_value_text(jsv_value_get(tool, JSV_STR("name")));
    question->payload = jsv_value_get(root, JSV_STR("params"));
    question->meta = jsv_value_get(question->payload, JSV_STR("_meta"));
}

static struct question question_of(const struct core_request *request)
{
    const struct dialect_request *asked = &request->asked;
    const struct dialect *dialect = asked->dialect;
    struct question question = {
        .route = {dialect ? dialect->name : NULL, dialect ? strlen(dialect->name) : 0},
        .method = asked->message.method,
        .payload = asked->message.params,
        .meta = jsv_value_get(asked->message.params, JSV_STR("_meta")),
    };
    if (is_called(dialect, "env")) {
        ask_env(asked, &question);
    } else if (is_called(dialect, "ref")) {
        ask_ref(asked->message.root, &question);
    } else if (is_called(dialect, "policy")) {
        ask_policy(asked->message.root, &question);
    } else if (asked->tool) {
        question.tool_id = asked->tool->name;
    }
    return question;
}

/* ---- ids ---- */

static int
write_seed(struct core_request *request, const struct question *question, struct jsv_buf *seed)
{
    struct jsv_value payload = question->payload;
    struct jsv_arena *scratch = &request->scratch;
    if (!question->route.data) {
        struct jsv_str text = request->frame.text;
        return jsv_buf_append(
            seed, text.data, text.size < UNREAD_SEED_MAX ? text.size : UNREAD_SEED_MAX);
    }
    switch (question->seed) {
    case SEED_DISCOVER:
        return envelope_seed_discover(seed);
    case SEED_PROMPT:
        return envelope_seed_prompt(question->prompt_id, seed);
    case SEED_TOOL:
        return envelope_seed_tool(question->tool_id, payload, scratch, seed);
    case SEED_PLAIN:
        break;
    }
    if (jsv_value_type(payload) == JSV_TYPE_NONE) {
        payload = request->asked.nothing;
    }
    return envelope_seed(question->route, question->method, payload, scratch, seed);
}

static int name_ids(struct os_uuid_namer *namer, struct jsv_str seed, struct ids *ids)
{
    int r = envelope_id_from_seed(namer, ENVELOPE_ID_REQUEST, seed, ids->request);
    if (r == 0) {
        r = envelope_id_from_seed(namer, ENVELOPE_ID_TRACE, seed, ids->trace);
    }
    if (r == 0) {
        r = envelope_id_from_seed(namer, ENVELOPE_ID_SPAN, seed, ids->span);
    }
    return r;
}

/* The kernel is asked for many at once. */
static void random_id(struct core_account *account, char ret_text[static OS_UUID_SIZE + 1])
{
    if (account->random_left == 0) {
        account->random_left =
            os_random(account->random, sizeof(account->random)) == 0 ? RANDOM_IDS : 1;
    }
    os_uuid_random(account->random[--account->random_left], ret_text);
}

/* Everything a seed is made of, as it was written, each part behind its size. @return its size; 0
 * when it is too long. */
static size_t write_key(const struct question *question, char ret_key[static MEMORY_KEY_SIZE])
{
    const struct jsv_str parts[] = {
        question->route,
        question->method,
        question->tool_id,
        question->prompt_id,
        jsv_value_span(question->payload),
    };
    size_t size = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i].size + sizeof(parts[i].size) > MEMORY_KEY_SIZE - size) {
            return 0;
        }
        memcpy(ret_key + size, &parts[i].size, sizeof(parts[i].size));
        size += sizeof(parts[i].size);
        if (parts[i].size > 0) {
            memcpy(ret_key + size, parts[i].data, parts[i].size);
        }
        size += parts[i].size;
    }
    return question->route.data ? size : 0;
}

static struct remembered *place_of(struct core_account *account, const char *key, size_t size)
{
    uint64_t hash = jsv_hash((struct jsv_str){key, size}, 0);
    return &account->memory[hash % MEMORY_PLACES];
}

static int name_by_question(
    struct core_account *account,
    struct core_request *request,
    const struct question *question,
    struct ids *ids)
{
    char key[MEMORY_KEY_SIZE];
    size_t size = write_key(question, key);
    struct remembered *place = size > 0 ? place_of(account, key, size) : NULL;
    if (place && place->key_size == size && memcmp(place->key, key, size) == 0) {
        *ids = place->ids;
        return 0;
    }
    int r = write_seed(request, question, &account->seed);
    r = r < 0 ? r : name_ids(request->asked.namer, jsv_buf_str(&account->seed), ids);
    if (r == 0 && place) {
        place->key_size = size;
        memcpy(place->key, key, size);
        place->ids = *ids;
    }
    return r;
}

static void make_ids(
    struct core_account *account,
    struct core_request *request,
    const struct question *question,
    struct ids *ids)
{
    int r = -ENOTSUP;
    jsv_buf_reset(&account->seed);
    if (account->memory) {
        r = name_by_question(account, request, question, ids);
    }
    if (r < 0) {
        random_id(account, ids->request);
        random_id(account, ids->trace);
        random_id(account, ids->span);
    }
    if (account->seed.capacity > SEED_KEPT_MAX) {
        jsv_buf_done(&account->seed);
    }
}

/* A caller who is being traced has names of its own. */
static void take_trace(
    const struct core_request *request, const struct question *question, struct log_event *event)
{
    const struct rpc_http *http = request->asked.http;
    struct jsv_str text = jsv_value_text(jsv_value_get(question->meta, JSV_STR("traceparent")));
    struct jsv_str own =
        jsv_value_text(jsv_value_get(request->asked.message.root, JSV_STR("trace_id")));
    struct log_trace trace;
    if (!text.data && http &&
        http->header(http, JSV_STR("traceparent"), &text) != RPC_HEADER_FOUND) {
        text = (struct jsv_str){NULL, 0};
    }
    if (log_trace_read(text, &trace)) {
        event->trace_id = trace.trace_id;
        event->span_id = trace.span_id;
    } else if (own.size > 0 && is_called(request->asked.dialect, "ref")) {
        event->trace_id = own;
    }
}

/* ---- the line ---- */

static struct jsv_value either(struct jsv_value object, struct jsv_str name, struct jsv_str other)
{
    struct jsv_value value = jsv_value_get(object, name);
    return jsv_value_type(value) != JSV_TYPE_NONE ? value : jsv_value_get(object, other);
}

static uint64_t attempt_of(struct jsv_value meta)
{
    int64_t attempt;
    int r = jsv_value_int64(jsv_value_get(meta, JSV_STR("attempt")), &attempt);
    return r == 0 && attempt > 0 ? (uint64_t)attempt : 1;
}

/* A message of a batch is as long as it is written there. */
static size_t input_size(const struct core_request *request)
{
    return request->parent ? jsv_value_span(request->root).size : request->frame.text.size;
}

static void write_line(
    struct core_account *account,
    struct core_request *request,
    const struct question *question,
    const struct log_outcome *outcome,
    const struct core_fault *fault)
{
    struct ids ids;
    make_ids(account, request, question, &ids);
    struct log_event event = {
        .wall_ms = log_wall_ms(account->share, request->asked.began_us + outcome->duration_us),
        .transport = jsv_str_from(outcome->transport),
        .route = question->route,
        .method = question->method,
        .trace_id = {ids.trace, OS_UUID_SIZE},
        .span_id = {ids.span, OS_UUID_SIZE},
        .request_id = {ids.request, OS_UUID_SIZE},
        .status = jsv_str_from(fault->status),
        .duration_us = outcome->duration_us,
        .attempt = 1,
        .input_bytes = outcome->input_bytes,
        .output_bytes = outcome->output_bytes,
        .deterministic = log_is_deterministic(account->share),
        .schema_version = JSV_STR(LINE_VERSION),
        .tool_id = question->tool_id,
        .prompt_id = question->prompt_id,
        .error_code = fault->code,
        .error_message = fault->message,
        .error_details = fault->details,
        .stage = jsv_str_from(outcome->stage),
    };
    if (jsv_value_type(question->meta) == JSV_TYPE_OBJECT) {
        event.agent_id = either(question->meta, JSV_STR("agentId"), JSV_STR("agent_id"));
        event.task_id = either(question->meta, JSV_STR("taskId"), JSV_STR("task_id"));
        event.step_id = either(question->meta, JSV_STR("stepId"), JSV_STR("step_id"));
        event.attempt = attempt_of(question->meta);
    }
    take_trace(request, question, &event);
    log_write(account->share, &event);
}

/* ---- what did not fit ---- */

/* As the client calls itself: in its message, when the session began, or over HTTP. */
static struct jsv_str client_of(const struct core_request *request, const struct question *question)
{
    const struct rpc_http *http = request->asked.http;
    const struct dialect_session *session = *request->asked.session;
    struct jsv_value info =
        jsv_value_get(question->meta, JSV_STR("io.modelcontextprotocol/clientInfo"));
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

#define FILL(field, text) log_mismatch_text((field), sizeof(field), (text))

static void note_mismatch(
    struct core_account *account,
    const struct core_request *request,
    const struct question *question,
    const struct log_outcome *outcome,
    const struct core_fault *fault)
{
    struct log_mismatch mismatch = {.count = 1};
    struct jsv_str schema_path =
        fault->schema_path.data ? fault->schema_path : request->mismatch_schema_path;
    mismatch.first_ms = mismatch.last_ms =
        log_wall_ms(account->share, request->asked.began_us + outcome->duration_us);
    FILL(mismatch.dialect, jsv_str_from(outcome->dialect));
    FILL(mismatch.stage, jsv_str_from(outcome->stage));
    FILL(mismatch.status, jsv_str_from(fault->status));
    FILL(mismatch.tool, question->tool_id);
    FILL(mismatch.client, client_of(request, question));
    FILL(mismatch.pointer, fault->pointer);
    FILL(mismatch.schema_path, schema_path);
    FILL(mismatch.message, fault->problem.data ? fault->problem : fault->message);
    log_note_mismatch(account->share, &mismatch);
}

/* Remember a client's name for later messages of its session; nobody else has the session yet. */
static void meet_client(const struct core_request *request, const struct question *question)
{
    struct dialect_session *session = *request->asked.session;
    if (session && jsv_str_equal(question->method, JSV_STR("initialize"))) {
        struct jsv_value info = jsv_value_get(question->payload, JSV_STR("clientInfo"));
        FILL(session->client, jsv_value_text(jsv_value_get(info, JSV_STR("name"))));
    }
}

/* ---- the whole of it ---- */

static void keep(struct core_request *request, size_t output_bytes, const struct core_fault *fault)
{
    struct core_account *account = account_of(request);
    const struct question question = question_of(request);
    bool failed = fault->code.data;
    const struct log_outcome outcome = {
        .dialect = dialect_name(request),
        .transport = transport_name(request->conn->transport),
        .stage = stage_of(request),
        .tool = request->asked.tool ? request->asked.tool->name : (struct jsv_str){NULL, 0},
        .failed = failed,
        .duration_us = os_now_us() - request->asked.began_us,
        .input_bytes = input_size(request),
        .output_bytes = output_bytes,
    };
    log_count_outcome(log_counters_of(account->share), &outcome);
    meet_client(request, &question);
    if (failed) {
        note_mismatch(account, request, &question, &outcome, fault);
    }
    if (log_has_lines(account->share)) {
        write_line(account, request, &question, &outcome, fault);
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

void core_account_abandoned(struct core_request *request)
{
    static const struct core_fault cancelled = {
        .status = "cancelled",
        .code = {"CANCELLED", 9},
        .message = {"The caller did not wait for the answer", 38},
    };
    if (account_of(request) && request->asked.message.kind != RPC_BATCH) {
        request->stopped = request->stage;
        keep(request, 0, &cancelled);
    }
}

void core_account_conn(const struct core_conn *conn, int change)
{
    struct core_account *account = conn->worker->account;
    if (account) {
        const char *transport = transport_name(conn->transport);
        log_count_connection(log_counters_of(account->share), transport, change);
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
    *account = (struct core_account){.random_left = 0};
    jsv_buf_init(&account->seed, os_allocator(), SEED_SIZE_MAX);
    int r = log_share_new(log, &account->share);
    if (r == 0 && log_has_lines(account->share) && log_is_deterministic(account->share)) {
        account->memory = jsv_alloc(os_allocator(), MEMORY_SIZE);
        r = account->memory ? 0 : -ENOMEM;
    }
    if (r == 0 && account->memory) {
        memset(account->memory, 0, MEMORY_SIZE);
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
        jsv_buf_done(&account->seed);
        jsv_dealloc(os_allocator(), account->memory, account->memory ? MEMORY_SIZE : 0);
        jsv_dealloc(os_allocator(), account, sizeof(*account));
    }
}
