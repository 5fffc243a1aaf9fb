#define _GNU_SOURCE
#include "support/pipeline_fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "dialect/session.h"
#include "documents/published.h"
#include "envelope/schemas.h"
#include "loop/loop.h"
#include "mcp/check.h"
#include "tools/builtin.h"

static const struct {
    const char *name;
    const char *text;
} files[] = {
    {"schemas/part.schema.json",
     "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},"
     "\"kind\":{\"enum\":[\"bolt\",\"nut\"]}},\"required\":[\"n\"]}"},
    {"schemas/widget.schema.json",
     "{\"$id\":\"https://schemas.test/widget.schema.json\",\"version\":\"2.1.0\","
     "\"type\":\"object\",\"properties\":{\"label\":{\"type\":\"string\"},"
     "\"part\":{\"$ref\":\"part.schema.json\"},"
     "\"schema\":{\"const\":\"widget\"}},\"required\":[\"label\"]}"},
    {"examples/Part_One.json", "{\"schema\":\"part\",\"n\":1}"},
    {"examples/deep/Widget.bad.json", "{\"schema\":\"widget\",\"label\":5}"},
};

/* ---- tools whose output is checked ---- */

static void (*finish_call)(struct tool_call *call);

static void fail_with(const char *what, struct jsv_str text, const struct jsv_problem *problem)
{
    fail_msg(
        "%s: %.*s\n%.*s: %.*s",
        what,
        (int)text.size,
        text.data,
        (int)problem->path.size,
        problem->path.data,
        (int)problem->message.size,
        problem->message.data);
}

/* A failed program need not match its output schema. Memory may run out on purpose. */
static void check_output(const struct tool_call *call)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    const struct jsv_schema *schema;
    struct jsv_str reason;
    struct jsv_problems problems;
    bool is_written = call->out->error == 0 && !call->failure.code.data;
    if (is_written && catalog_tool_output(call->catalog, call->tool, &schema, &reason) == 0) {
        struct jsv_str text = jsv_buf_str(call->out);
        assert_int_equal(jsv_read(reader, document, text, 0, NULL), 0);
        if (jsv_validate_report(validator, schema, jsv_document_root(document), &problems) != 1) {
            fail_with("not the output of the tool", text, &problems.items[0]);
        }
    }
    jsv_document_free(document);
    jsv_validator_free(validator);
    jsv_reader_free(reader);
}

static void finish_checked(struct tool_call *call)
{
    if (call->error == 0) {
        check_output(call);
    }
    finish_call(call);
}

static int run_checked(struct tool_call *call)
{
    const struct tool_set *set = call->tools->settings.set;
    finish_call = call->finished;
    call->finished = finish_checked;
    call->tools->settings.set = NULL;
    int r = tool_run(call);
    call->tools->settings.set = set;
    if (r == TOOL_DONE) {
        check_output(call);
    }
    return r;
}

static void cancel_checked(struct tool_call *call)
{
    const struct tool_set *set = call->tools->settings.set;
    call->tools->settings.set = NULL;
    tool_cancel(call);
    call->tools->settings.set = set;
}

static const struct tool_set checked_tools = {.run = run_checked, .cancel = cancel_checked};

/* ---- messages of MCP ---- */

struct pipeline_sent {
    struct pipeline_sent *next;
    struct jsv_reader *reader;
    struct jsv_document *message;
    struct jsv_buf text;
    const struct mcp_method *method;
    bool is_modern;
};

static void free_sent(struct pipeline_sent *sent)
{
    jsv_document_free(sent->message);
    jsv_reader_free(sent->reader);
    jsv_buf_done(&sent->text);
    free(sent);
}

static bool is_modern(struct jsv_value message)
{
    static const char path[] = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
    struct jsv_value version;
    return jsv_pointer_get(message, jsv_str_from(path), &version) == 0;
}

static enum mcp_version version_of(const struct pipeline_fixture *pipeline, bool is_modern_request)
{
    const struct dialect_session *session = pipeline->conn.session;
    return is_modern_request ? MCP_VERSION_NEWEST
           : session         ? session->version
                             : MCP_VERSION_NEWEST_LEGACY;
}

static const struct mcp_method *method_of(void *context, struct jsv_value id)
{
    (void)id;
    return context;
}

/* @return whether a message is as MCP defines it. @param method Of the request it answers. */
static bool check_message(
    struct pipeline_fixture *pipeline,
    struct jsv_value message,
    const struct pipeline_sent *sent,
    enum mcp_sender sender,
    struct mcp_verdict *ret_verdict)
{
    const struct mcp_pairing pairing = {
        .answered = method_of,
        .context = (void *)(uintptr_t)sent->method,
    };
    struct jsv_arena scratch;
    jsv_arena_init(&scratch, NULL, SIZE_MAX);
    const struct mcp_check check = {
        .definitions = pipeline->settings.definitions,
        .version = version_of(pipeline, sent->is_modern),
        .sender = sender,
        .pairing = sent->method ? &pairing : NULL,
        .validator = pipeline->validator,
        .scratch = &scratch,
    };
    assert_int_equal(mcp_check(&check, message, ret_verdict), 0);
    jsv_arena_done(&scratch);
    return ret_verdict->layer == MCP_LAYER_NONE;
}

/* Remember a valid request, so that its answer can be checked. */
static void note_request(struct pipeline_fixture *pipeline, struct jsv_value message)
{
    struct jsv_str name = jsv_value_text(jsv_value_get(message, JSV_STR("method")));
    struct pipeline_sent sent = {.is_modern = is_modern(message)};
    struct mcp_verdict verdict;
    if (!name.data || !mcp_method_find(name) ||
        jsv_value_type(jsv_value_get(message, JSV_STR("id"))) == JSV_TYPE_NONE ||
        !check_message(pipeline, message, &sent, MCP_SENDER_CLIENT, &verdict)) {
        return;
    }
    struct pipeline_sent *kept = malloc(sizeof(*kept));
    *kept = (struct pipeline_sent){
        .next = pipeline->sent,
        .reader = jsv_reader_new(NULL, NULL),
        .message = jsv_document_new(NULL),
        .method = verdict.method,
        .is_modern = sent.is_modern,
    };
    jsv_buf_init(&kept->text, NULL, SIZE_MAX);
    jsv_buf_append_str(&kept->text, jsv_value_span(message));
    assert_int_equal(jsv_read(kept->reader, kept->message, jsv_buf_str(&kept->text), 0, NULL), 0);
    pipeline->sent = kept;
}

static void note_requests(struct pipeline_fixture *pipeline, struct jsv_str text)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    if (jsv_read(reader, document, text, 0, NULL) == 0) {
        struct jsv_value root = jsv_document_root(document);
        struct jsv_iter iter = jsv_value_iter(root);
        bool is_batch = jsv_value_type(root) == JSV_TYPE_ARRAY;
        while (is_batch && jsv_iter_next(&iter)) {
            note_request(pipeline, iter.value);
        }
        if (!is_batch) {
            note_request(pipeline, root);
        }
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static const struct pipeline_sent *
find_sent(const struct pipeline_fixture *pipeline, struct jsv_value id)
{
    const struct pipeline_sent *sent = pipeline->sent;
    while (sent) {
        struct jsv_value root = jsv_document_root(sent->message);
        if (jsv_str_equal(jsv_value_span(jsv_value_get(root, JSV_STR("id"))), jsv_value_span(id))) {
            break;
        }
        sent = sent->next;
    }
    return sent;
}

static void check_protocol(struct pipeline_fixture *pipeline, struct jsv_value answer)
{
    const struct pipeline_sent *sent = find_sent(pipeline, jsv_value_get(answer, JSV_STR("id")));
    struct mcp_verdict verdict;
    if (sent && !check_message(pipeline, answer, sent, MCP_SENDER_SERVER, &verdict)) {
        fail_with(sent->method->message, jsv_value_span(answer), &verdict.problems.items[0]);
    }
}

/* Notifications and requests of the server. Modern clients may have no session. */
static void check_push(struct pipeline_fixture *pipeline, struct jsv_value message)
{
    struct pipeline_sent sent = {.is_modern = false};
    struct mcp_verdict verdict;
    if (!check_message(pipeline, message, &sent, MCP_SENDER_SERVER, &verdict)) {
        sent.is_modern = true;
        if (!check_message(pipeline, message, &sent, MCP_SENDER_SERVER, &verdict)) {
            fail_with("not a message of MCP", jsv_value_span(message), &verdict.problems.items[0]);
        }
    }
}

/* ---- the peer ---- */

static struct pipeline_fixture *pipeline_of(struct core_conn *conn)
{
    return (struct pipeline_fixture *)((char *)conn - offsetof(struct pipeline_fixture, conn));
}

static bool has(struct jsv_value object, struct jsv_str name)
{
    return jsv_value_type(jsv_value_get(object, name)) != JSV_TYPE_NONE;
}

/* An answer that is not JSON-RPC is an envelope, and matches its published schema. */
static void check_envelope(struct pipeline_fixture *pipeline, struct jsv_value answer)
{
    enum envelope_schema which = has(answer, JSV_STR("schema_version"))
                                     ? ENVELOPE_SCHEMA_ENVELOPE
                                     : ENVELOPE_SCHEMA_REFERENCE_RESPONSE;
    const struct jsv_schema *schema = envelope_schemas_get(pipeline->settings.envelopes, which);
    assert_int_equal(jsv_validate(pipeline->validator, schema, answer), 1);
}

static void check_shape(struct pipeline_fixture *pipeline, struct jsv_value answer)
{
    if (!has(answer, JSV_STR("jsonrpc"))) {
        check_envelope(pipeline, answer);
        return;
    }
    const struct rpc_http *http = pipeline->conn.http;
    bool may_omit_id = http && http->endpoint == RPC_ENDPOINT_MCP && has(answer, JSV_STR("error"));
    struct jsv_str version = jsv_value_text(jsv_value_get(answer, JSV_STR("jsonrpc")));
    assert_true(jsv_str_equal(version, JSV_STR("2.0")));
    assert_true(has(answer, JSV_STR("id")) || may_omit_id);
    assert_true(has(answer, JSV_STR("result")) != has(answer, JSV_STR("error")));
    check_protocol(pipeline, answer);
}

/* Whether an endpoint answers with JSON-RPC messages or envelopes. */
static bool answers_messages(const struct rpc_http *http)
{
    const struct dialect *dialect = dialect_of_endpoint(http);
    return !documents_serve(http) && (!dialect || dialect == &dialect_ref);
}

static void check_text(struct pipeline_fixture *pipeline, struct jsv_str text, bool is_push)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    assert_null(memchr(text.data, '\n', text.size));
    assert_int_equal(jsv_read(reader, document, text, 0, NULL), 0);
    struct jsv_value root = jsv_document_root(document);
    if (is_push) {
        check_push(pipeline, root);
    } else if (jsv_value_type(root) == JSV_TYPE_ARRAY) {
        struct jsv_iter iter = jsv_value_iter(root);
        while (jsv_iter_next(&iter)) {
            check_shape(pipeline, iter.value);
        }
    } else if (answers_messages(pipeline->conn.http)) {
        check_shape(pipeline, root);
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static void keep_message(struct pipeline_fixture *pipeline, struct jsv_str text)
{
    assert_true(pipeline->answer_count < PIPELINE_ANSWERS_MAX);
    struct jsv_buf *buf = &pipeline->answers[pipeline->answer_count++];
    jsv_buf_init(buf, NULL, SIZE_MAX);
    jsv_buf_append_str(buf, text);
    jsv_buf_append_byte(buf, '\0');
}

static void take_answer(struct core_conn *conn, const struct core_answer *answer)
{
    struct pipeline_fixture *pipeline = pipeline_of(conn);
    pipeline->last_status = answer->http_status;
    pipeline->last_retry_after_s = answer->retry_after_s;
    if (!answer->text.data) {
        pipeline->silent_count++;
        return;
    }
    check_text(pipeline, answer->text, false);
    keep_message(pipeline, answer->text);
}

static void note_resume(struct core_conn *conn)
{
    pipeline_of(conn)->resume_count++;
}

static void note_idle(struct core_conn *conn)
{
    pipeline_of(conn)->idle_count++;
}

static void take_push(struct core_conn *conn, struct jsv_str message)
{
    check_text(pipeline_of(conn), message, true);
    keep_message(pipeline_of(conn), message);
}

static bool can_push(struct core_conn *conn)
{
    return !pipeline_of(conn)->is_unreachable;
}

static const struct core_conn_ops peer = {
    .push = take_push,
    .can_push = can_push,
    .hang_up = note_idle,
    .answer = take_answer,
    .resume = note_resume,
    .idle = note_idle,
};

/* ---- lifetime ---- */

static void write_files(struct pipeline_fixture *pipeline)
{
    static const char *const directories[] = {"schemas", "examples", "examples/deep"};
    char path[256];
    snprintf(pipeline->directory, sizeof(pipeline->directory), "/tmp/mcpgate-test-XXXXXX");
    assert_non_null(mkdtemp(pipeline->directory));
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", pipeline->directory, directories[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", pipeline->directory, files[i].name);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(files[i].text, file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat;
    (void)type;
    (void)walk;
    return remove(path);
}

static void
no_warning(void *context, enum catalog_warning kind, struct jsv_str file, struct jsv_str why)
{
    (void)kind;
    (void)context;
    fail_msg("%.*s: %.*s", (int)file.size, file.data, (int)why.size, why.data);
}

static void load_catalog(struct pipeline_fixture *pipeline)
{
    char schemas[128];
    char examples[128];
    snprintf(schemas, sizeof(schemas), "%s/schemas", pipeline->directory);
    snprintf(examples, sizeof(examples), "%s/examples", pipeline->directory);
    struct catalog_options options = {.schemas_dir = schemas, .examples_dir = examples};
    options.tools = tools_descriptors(&options.tool_count);
    const char *wrong;
    assert_int_equal(catalog_load(&options, NULL, no_warning, NULL, &pipeline->catalog, &wrong), 0);
}

int pipeline_setup(void **state)
{
    struct pipeline_fixture *pipeline = calloc(1, sizeof(*pipeline));
    struct mcp_fault fault;
    *state = pipeline;
    pipeline->validator = jsv_validator_new(NULL, NULL);
    write_files(pipeline);
    load_catalog(pipeline);
    pipeline->settings.tools =
        (struct tool_settings){.batch_max = CORE_BATCH_MAX, .set = &checked_tools};
    assert_int_equal(mcp_definitions_new(NULL, &pipeline->settings.definitions, &fault), 0);
    assert_int_equal(envelope_schemas_new(NULL, &pipeline->settings.envelopes), 0);
    pipeline->settings.sessions = core_sessions_new();
    assert_non_null(pipeline->settings.sessions);
    assert_int_equal(loop_new(&pipeline->loop), 0);
    assert_int_equal(
        core_worker_new(pipeline->loop, &pipeline->settings, pipeline->catalog, &pipeline->worker),
        0);
    rpc_frames_init(&pipeline->frames, CORE_FRAME_SIZE_MAX);
    core_conn_init(&pipeline->conn, &peer, pipeline->worker, CORE_TRANSPORT_SOCKET);
    return 0;
}

int pipeline_teardown(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    core_conn_done(&pipeline->conn);
    rpc_frames_done(&pipeline->frames);
    pipeline_forget(pipeline);
    core_worker_free(pipeline->worker);
    loop_free(pipeline->loop);
    core_sessions_free(pipeline->settings.sessions);
    envelope_schemas_free(pipeline->settings.envelopes);
    mcp_definitions_free(pipeline->settings.definitions);
    catalog_release(pipeline->catalog);
    nftw(pipeline->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    while (pipeline->sent) {
        struct pipeline_sent *sent = pipeline->sent;
        pipeline->sent = sent->next;
        free_sent(sent);
    }
    jsv_validator_free(pipeline->validator);
    free(pipeline);
    return 0;
}

/* ---- messages in and out ---- */

void pipeline_handle(struct pipeline_fixture *pipeline, const struct rpc_frame *frame)
{
    if (!frame->oversize) {
        note_requests(pipeline, frame->text);
    }
    core_handle(&pipeline->conn, frame);
}

void pipeline_give(struct pipeline_fixture *pipeline, struct jsv_str bytes)
{
    while (bytes.size > 0) {
        char *data;
        size_t room;
        struct rpc_frame frame;
        assert_int_equal(rpc_frames_space(&pipeline->frames, &data, &room), 0);
        size_t part = bytes.size < room ? bytes.size : room;
        memcpy(data, bytes.data, part);
        rpc_frames_filled(&pipeline->frames, part);
        while (rpc_frames_next(&pipeline->frames, &frame)) {
            pipeline_handle(pipeline, &frame);
        }
        bytes.data += part;
        bytes.size -= part;
    }
}

const char *pipeline_ask(struct pipeline_fixture *pipeline, const char *line)
{
    size_t before = pipeline->answer_count;
    pipeline_give(pipeline, jsv_str_from(line));
    pipeline_give(pipeline, JSV_STR("\n"));
    return pipeline->answer_count > before ? pipeline->answers[before].data : "";
}

static enum rpc_header
no_header(const struct rpc_http *http, struct jsv_str name, struct jsv_str *ret_value)
{
    (void)http;
    (void)name;
    (void)ret_value;
    return RPC_HEADER_ABSENT;
}

const char *pipeline_post(
    struct pipeline_fixture *pipeline,
    enum rpc_endpoint endpoint,
    const char *parameter,
    const char *body)
{
    const struct rpc_http http = {
        .endpoint = endpoint,
        .parameter = jsv_str_from(parameter),
        .is_query = !body,
        .header = no_header,
    };
    const struct rpc_frame frame = {.text = jsv_str_from(body ? body : "")};
    size_t before = pipeline->answer_count;
    pipeline->conn.http = &http;
    pipeline_handle(pipeline, &frame);
    pipeline->conn.http = NULL;
    return pipeline->answer_count > before ? pipeline->answers[before].data : "";
}

void pipeline_forget(struct pipeline_fixture *pipeline)
{
    while (pipeline->answer_count > 0) {
        jsv_buf_done(&pipeline->answers[--pipeline->answer_count]);
    }
}

struct deadline {
    struct pipeline_fixture *pipeline;
    size_t answer_count;
    unsigned ticks;
    struct loop_timer *timer;
};

static void look(void *owner)
{
    struct deadline *deadline = owner;
    if (deadline->pipeline->answer_count >= deadline->answer_count || ++deadline->ticks == 2000) {
        loop_stop(deadline->pipeline->loop);
        return;
    }
    loop_timer_start(deadline->timer, 5);
}

void pipeline_wait(struct pipeline_fixture *pipeline, size_t answer_count)
{
    struct deadline deadline = {.pipeline = pipeline, .answer_count = answer_count};
    assert_int_equal(loop_timer_new(pipeline->loop, look, &deadline, &deadline.timer), 0);
    loop_timer_start(deadline.timer, 1);
    assert_int_equal(loop_run(pipeline->loop), 0);
    loop_timer_close(deadline.timer);
}

void pipeline_reconnect(struct pipeline_fixture *pipeline)
{
    core_conn_done(&pipeline->conn);
    core_conn_init(&pipeline->conn, &peer, pipeline->worker, CORE_TRANSPORT_SOCKET);
}

void pipeline_use_tools(struct pipeline_fixture *pipeline, const struct tool_set *set)
{
    core_conn_done(&pipeline->conn);
    core_worker_free(pipeline->worker);
    pipeline->settings.tools.set = set;
    assert_int_equal(
        core_worker_new(pipeline->loop, &pipeline->settings, pipeline->catalog, &pipeline->worker),
        0);
    core_conn_init(&pipeline->conn, &peer, pipeline->worker, CORE_TRANSPORT_SOCKET);
}
