#define _GNU_SOURCE
#include "support/corridor.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog/catalog.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "dialect/dialect.h"
#include "envelope/schemas.h"
#include "loop/loop.h"
#include "mcp/definitions.h"

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

/* ---- the peer ---- */

static struct corridor *corridor_of(struct core_conn *conn)
{
    return (struct corridor *)((char *)conn - offsetof(struct corridor, conn));
}

static bool has(struct jsv_value object, struct jsv_str name)
{
    return jsv_value_type(jsv_value_get(object, name)) != JSV_TYPE_NONE;
}

/* An answer that is no JSON-RPC: an envelope of either kind, by the schema it is published with. */
static void check_envelope(struct corridor *corridor, struct jsv_value answer)
{
    enum envelope_schema which = has(answer, JSV_STR("schema_version"))
                                     ? ENVELOPE_SCHEMA_ENVELOPE
                                     : ENVELOPE_SCHEMA_REFERENCE_RESPONSE;
    const struct jsv_schema *schema = envelope_schemas_get(corridor->settings.envelopes, which);
    struct jsv_validator *validator = jsv_validator_new(NULL, NULL);
    assert_int_equal(jsv_validate(validator, schema, answer), 1);
    jsv_validator_free(validator);
}

static void check_shape(struct corridor *corridor, struct jsv_value answer)
{
    if (!has(answer, JSV_STR("jsonrpc"))) {
        check_envelope(corridor, answer);
        return;
    }
    const struct rpc_http *http = corridor->conn.http;
    bool may_omit_id = http && http->endpoint == RPC_ENDPOINT_MCP && has(answer, JSV_STR("error"));
    struct jsv_str version = jsv_value_text(jsv_value_get(answer, JSV_STR("jsonrpc")));
    assert_true(jsv_str_equal(version, JSV_STR("2.0")));
    assert_true(has(answer, JSV_STR("id")) || may_omit_id);
    assert_true(has(answer, JSV_STR("result")) != has(answer, JSV_STR("error")));
}

/* Whether an endpoint answers with messages: JSON-RPC or envelopes. Others have forms of their own.
 */
static bool answers_messages(const struct rpc_http *http)
{
    const struct dialect *dialect = dialect_of_endpoint(http);
    return !dialect || dialect == &dialect_ref;
}

static void check_answer(struct corridor *corridor, struct jsv_str text)
{
    struct jsv_reader *reader = jsv_reader_new(NULL, NULL);
    struct jsv_document *document = jsv_document_new(NULL);
    struct jsv_error error;
    assert_null(memchr(text.data, '\n', text.size));
    assert_int_equal(jsv_read(reader, document, text, 0, &error), 0);
    struct jsv_value root = jsv_document_root(document);
    if (jsv_value_type(root) == JSV_TYPE_ARRAY) {
        struct jsv_iter iter = jsv_value_iter(root);
        while (jsv_iter_next(&iter)) {
            check_shape(corridor, iter.value);
        }
    } else if (answers_messages(corridor->conn.http)) {
        check_shape(corridor, root);
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static void keep_message(struct corridor *corridor, struct jsv_str text)
{
    assert_true(corridor->answer_count < CORRIDOR_ANSWERS_MAX);
    struct jsv_buf *buf = &corridor->answers[corridor->answer_count++];
    jsv_buf_init(buf, NULL, SIZE_MAX);
    jsv_buf_append_str(buf, text);
    jsv_buf_append_byte(buf, '\0');
}

static void take_answer(struct core_conn *conn, const struct core_answer *answer)
{
    struct corridor *corridor = corridor_of(conn);
    corridor->last_status = answer->http_status;
    corridor->last_retry_after_s = answer->retry_after_s;
    if (!answer->text.data) {
        corridor->silent_count++;
        return;
    }
    check_answer(corridor, answer->text);
    keep_message(corridor, answer->text);
}

static void note_resume(struct core_conn *conn)
{
    corridor_of(conn)->resume_count++;
}

static void note_idle(struct core_conn *conn)
{
    corridor_of(conn)->idle_count++;
}

static void take_push(struct core_conn *conn, struct jsv_str message)
{
    keep_message(corridor_of(conn), message);
}

static bool can_push(struct core_conn *conn)
{
    return !corridor_of(conn)->is_deaf;
}

static const struct core_conn_ops peer = {
    .push = take_push,
    .can_push = can_push,
    .hang_up = note_idle,
    .answer = take_answer,
    .resume = note_resume,
    .idle = note_idle,
};

/* ---- making and unmaking ---- */

static void write_files(struct corridor *corridor)
{
    static const char *const directories[] = {"schemas", "examples", "examples/deep"};
    char path[256];
    snprintf(corridor->directory, sizeof(corridor->directory), "/tmp/mcpgate-test-XXXXXX");
    assert_non_null(mkdtemp(corridor->directory));
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", corridor->directory, directories[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", corridor->directory, files[i].name);
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

static void load_catalog(struct corridor *corridor)
{
    char schemas[128];
    char examples[128];
    snprintf(schemas, sizeof(schemas), "%s/schemas", corridor->directory);
    snprintf(examples, sizeof(examples), "%s/examples", corridor->directory);
    struct catalog_options options = {.schemas_dir = schemas, .examples_dir = examples};
    options.tools = tools_descriptors(&options.tool_count);
    const char *wrong;
    assert_int_equal(catalog_load(&options, NULL, no_warning, NULL, &corridor->catalog, &wrong), 0);
}

int corridor_setup(void **state)
{
    struct corridor *corridor = calloc(1, sizeof(*corridor));
    struct mcp_fault fault;
    *state = corridor;
    write_files(corridor);
    load_catalog(corridor);
    corridor->settings.tools = (struct tool_settings){.batch_max = CORE_BATCH_MAX};
    assert_int_equal(mcp_definitions_new(NULL, &corridor->settings.definitions, &fault), 0);
    assert_int_equal(envelope_schemas_new(NULL, &corridor->settings.envelopes), 0);
    corridor->settings.sessions = core_sessions_new();
    assert_non_null(corridor->settings.sessions);
    assert_int_equal(loop_new(&corridor->loop), 0);
    assert_int_equal(
        core_worker_new(corridor->loop, &corridor->settings, corridor->catalog, &corridor->worker),
        0);
    rpc_frames_init(&corridor->frames, CORE_FRAME_SIZE_MAX);
    core_conn_init(&corridor->conn, &peer, corridor->worker, CORE_TRANSPORT_SOCKET);
    return 0;
}

int corridor_teardown(void **state)
{
    struct corridor *corridor = *state;
    core_conn_done(&corridor->conn);
    rpc_frames_done(&corridor->frames);
    corridor_forget(corridor);
    core_worker_free(corridor->worker);
    loop_free(corridor->loop);
    core_sessions_free(corridor->settings.sessions);
    envelope_schemas_free(corridor->settings.envelopes);
    mcp_definitions_free(corridor->settings.definitions);
    catalog_release(corridor->catalog);
    nftw(corridor->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(corridor);
    return 0;
}

/* ---- talking ---- */

void corridor_give(struct corridor *corridor, struct jsv_str bytes)
{
    while (bytes.size > 0) {
        char *data;
        size_t room;
        struct rpc_frame frame;
        assert_int_equal(rpc_frames_space(&corridor->frames, &data, &room), 0);
        size_t part = bytes.size < room ? bytes.size : room;
        memcpy(data, bytes.data, part);
        rpc_frames_filled(&corridor->frames, part);
        while (rpc_frames_next(&corridor->frames, &frame)) {
            core_handle(&corridor->conn, &frame);
        }
        bytes.data += part;
        bytes.size -= part;
    }
}

const char *corridor_ask(struct corridor *corridor, const char *line)
{
    size_t before = corridor->answer_count;
    corridor_give(corridor, jsv_str_from(line));
    corridor_give(corridor, JSV_STR("\n"));
    return corridor->answer_count > before ? corridor->answers[before].data : "";
}

static enum rpc_header
no_header(const struct rpc_http *http, struct jsv_str name, struct jsv_str *ret_value)
{
    (void)http;
    (void)name;
    (void)ret_value;
    return RPC_HEADER_ABSENT;
}

const char *corridor_post(
    struct corridor *corridor, enum rpc_endpoint endpoint, const char *parameter, const char *body)
{
    const struct rpc_http http = {
        .endpoint = endpoint,
        .parameter = jsv_str_from(parameter),
        .is_query = !body,
        .header = no_header,
    };
    const struct rpc_frame frame = {.text = jsv_str_from(body ? body : "")};
    size_t before = corridor->answer_count;
    corridor->conn.http = &http;
    core_handle(&corridor->conn, &frame);
    corridor->conn.http = NULL;
    return corridor->answer_count > before ? corridor->answers[before].data : "";
}

void corridor_forget(struct corridor *corridor)
{
    while (corridor->answer_count > 0) {
        jsv_buf_done(&corridor->answers[--corridor->answer_count]);
    }
}

struct deadline {
    struct corridor *corridor;
    size_t answer_count;
    unsigned ticks;
    struct loop_timer *timer;
};

static void look(void *owner)
{
    struct deadline *deadline = owner;
    if (deadline->corridor->answer_count >= deadline->answer_count || ++deadline->ticks == 2000) {
        loop_stop(deadline->corridor->loop);
        return;
    }
    loop_timer_start(deadline->timer, 5);
}

void corridor_wait(struct corridor *corridor, size_t answer_count)
{
    struct deadline deadline = {.corridor = corridor, .answer_count = answer_count};
    assert_int_equal(loop_timer_new(corridor->loop, look, &deadline, &deadline.timer), 0);
    loop_timer_start(deadline.timer, 1);
    assert_int_equal(loop_run(corridor->loop), 0);
    loop_timer_close(deadline.timer);
}

void corridor_reconnect(struct corridor *corridor)
{
    core_conn_done(&corridor->conn);
    core_conn_init(&corridor->conn, &peer, corridor->worker, CORE_TRANSPORT_SOCKET);
}

void corridor_use_tools(struct corridor *corridor, const struct tool_set *set)
{
    core_conn_done(&corridor->conn);
    core_worker_free(corridor->worker);
    corridor->settings.tools.set = set;
    assert_int_equal(
        core_worker_new(corridor->loop, &corridor->settings, corridor->catalog, &corridor->worker),
        0);
    core_conn_init(&corridor->conn, &peer, corridor->worker, CORE_TRANSPORT_SOCKET);
}
