#include "cli/call_peer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <jsv/json.h>

#include "app/confine.h"
#include "app/content.h"
#include "backend/fetch.h"
#include "cli/cli.h"
#include "cli/report.h"
#include "core/conn.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "core/worker.h"
#include "envelope/schemas.h"
#include "jsv/base/alloc.h"
#include "loop/loop.h"
#include "mcp/definitions.h"
#include "os/sys.h"
#include "rpc/frame.h"

/* Room for a path or a server's message, and advice. */
#define WHY_SIZE 512

/* Bytes shown of a message of the server. */
#define MESSAGE_SIZE_MAX 200

/* ---- a server in this process: the same pipeline and tools as mcpgate serve ---- */

static const int signal_numbers[] = {SIGINT, SIGTERM};

#define SIGNAL_COUNT (sizeof(signal_numbers) / sizeof(signal_numbers[0]))

struct local {
    struct core_conn conn; /* must be first: callbacks cast it */
    struct cli *cli;
    struct app_content content;
    struct core_settings settings;
    struct loop *loop;
    struct loop_signal *signals[SIGNAL_COUNT];
    struct core_worker *worker;
    struct rpc_frames frames;
    bool is_connected;
    struct jsv_buf *reply; /* for the answer; NULL: it has arrived */
    bool is_running;
    bool is_interrupted;
};

/* ---- the connection, client side ---- */

static void local_stop(struct local *local)
{
    if (local->is_running) {
        loop_stop(local->loop);
    }
}

static void on_answer(struct core_conn *conn, const struct core_answer *answer)
{
    struct local *local = (struct local *)conn;
    if (local->reply && answer->text.data) {
        jsv_buf_append_str(local->reply, answer->text);
        local->reply = NULL;
        local_stop(local);
    }
}

/* Notifications are dropped: only the result is printed. */
static void on_push(struct core_conn *conn, struct jsv_str message)
{
    (void)conn;
    (void)message;
}

static void ignore(struct core_conn *conn)
{
    (void)conn;
}

static void on_signal(void *owner, int number)
{
    struct local *local = owner;
    (void)number;
    local->is_interrupted = true;
    local_stop(local);
}

/* Feed bytes of a message, as from a client. @return 0 or -ENOMEM. */
static int feed(struct local *local, struct jsv_str request)
{
    struct rpc_frame frame;
    char *data;
    size_t room;
    while (request.size > 0) {
        if (rpc_frames_space(&local->frames, &data, &room) < 0) {
            return -ENOMEM;
        }
        size_t size = request.size < room ? request.size : room;
        memcpy(data, request.data, size);
        rpc_frames_filled(&local->frames, size);
        request = (struct jsv_str){request.data + size, request.size - size};
        while (rpc_frames_next(&local->frames, &frame)) {
            core_handle(&local->conn, &frame);
        }
    }
    return 0;
}

static int local_ask(void *self, struct jsv_str request, struct jsv_buf *reply)
{
    struct local *local = self;
    local->reply = reply;
    int r = feed(local, request);
    r = r < 0 ? r : feed(local, JSV_STR("\n"));
    if (r == 0 && local->reply) {
        local->is_running = true;
        r = loop_run(local->loop);
        local->is_running = false;
    }
    if (r == 0 && local->is_interrupted) {
        cli_report(local->cli, "interrupted");
        return -EINTR;
    }
    if (r < 0) {
        cli_report_errno(local->cli, "cannot run the tool", r);
    }
    return r;
}

/* ---- open and close ---- */

static int read_protocol(struct local *local, const struct app_config *config)
{
    char why[WHY_SIZE];
    int r = app_protocol_load(config->mcp_schema, &local->settings.definitions, why, sizeof(why));
    if (r < 0) {
        cli_report_about(local->cli, "MCP schema", why);
    }
    return r;
}

static int local_start(struct local *local, const struct app_config *config)
{
    app_confine_secrets(); /* as in a server */
    (void)app_confine_privileges(local->content.catalog);
    local->settings.tools = app_config_tools(config, 1);
    local->settings.sessions = core_sessions_new();
    if (!local->settings.sessions) {
        return -ENOMEM;
    }
    int r = envelope_schemas_new(os_allocator(), &local->settings.envelopes);
    r = r < 0 ? r : loop_new(&local->loop);
    for (size_t i = 0; r == 0 && i < SIGNAL_COUNT; i++) {
        r = loop_signal_new(local->loop, signal_numbers[i], on_signal, local, &local->signals[i]);
    }
    return r < 0 ? r
                 : core_worker_new(
                       local->loop, &local->settings, local->content.catalog, &local->worker);
}

static void local_close(void *self)
{
    struct local *local = self;
    if (local->is_connected) {
        core_conn_done(&local->conn);
        while (loop_round(local->loop)) {
            /* until everything is closed */
        }
    }
    rpc_frames_done(&local->frames);
    core_worker_free(local->worker);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        loop_signal_close(local->signals[i]);
    }
    loop_free(local->loop);
    core_sessions_free(local->settings.sessions);
    envelope_schemas_free(local->settings.envelopes);
    mcp_definitions_free(local->settings.definitions);
    app_content_done(&local->content);
    jsv_dealloc(os_allocator(), local, sizeof(*local));
}

int call_local_open(struct cli *cli, const struct app_config *config, struct call_peer *ret_peer)
{
    static const struct core_conn_ops ops = {
        .answer = on_answer,
        .push = on_push,
        .hang_up = ignore,
        .resume = ignore,
        .idle = ignore,
    };
    struct local *local = jsv_alloc(os_allocator(), sizeof(*local));
    if (!local) {
        cli_report_errno(cli, "cannot start", -ENOMEM);
        return -ENOMEM;
    }
    *local = (struct local){.cli = cli};
    rpc_frames_init(&local->frames, CORE_FRAME_SIZE_MAX);
    app_content_init(&local->content, config);
    int r = cli_content_read(cli, &local->content);
    r = r < 0 ? r : read_protocol(local, config);
    if (r == 0) {
        r = local_start(local, config);
        if (r < 0) {
            cli_report_errno(cli, "cannot start", r);
        }
    }
    if (r < 0) {
        local_close(local);
        return r;
    }
    core_conn_init(&local->conn, &ops, local->worker, CORE_TRANSPORT_STDIO);
    local->is_connected = true;
    *ret_peer = (struct call_peer){.self = local, .ask = local_ask, .close = local_close};
    return 0;
}

/* ---- a server elsewhere, over HTTP ---- */

/* Longer than any tool may take; the server has limits of its own. */
#define TIMEOUT_MS 600000

#define URL_SIZE   1024
#define TOKEN_SIZE 8192

struct remote {
    struct cli *cli;
    char url[URL_SIZE];
    char authorization[TOKEN_SIZE]; /* "Authorization: Bearer …"; empty: none */
};

/* ---- errors ---- */

/* The message in {"error":{"message":…}}; empty for any other body. */
static void find_message(struct jsv_str body, struct cli_message *out)
{
    struct jsv_reader *reader = jsv_reader_new(os_allocator(), NULL);
    struct jsv_document *document = jsv_document_new(os_allocator());
    if (reader && document && jsv_read(reader, document, body, 0, NULL) == 0) {
        struct jsv_value error = jsv_value_get(jsv_document_root(document), JSV_STR("error"));
        struct jsv_str text = jsv_value_text(jsv_value_get(error, JSV_STR("message")));
        cli_message_put(out, ": ");
        cli_message_put_clipped(out, text, MESSAGE_SIZE_MAX);
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static int refuse_status(struct remote *remote, unsigned status, struct jsv_str body)
{
    struct cli_message why = {0};
    cli_message_printf(&why, "HTTP %u", status);
    find_message(body, &why);
    const char *advice = status == 401   ? "; set MCPGATE_TOKEN to the server's token"
                         : status == 404 ? "; is this the address of an mcpgate server?"
                                         : "";
    cli_message_put(&why, advice);
    cli_report_about(remote->cli, remote->url, cli_message_text(&why));
    return -EPROTO;
}

static int refuse_error(struct remote *remote, int error)
{
    const char *why = error == -EHOSTUNREACH ? "no answer; is the server running?"
                      : error == -EFBIG      ? "the answer is too large"
                      : error == -ETIMEDOUT  ? "no answer within 10 minutes"
                      : error == -ELIBACC    ? "libcurl is not installed"
                                             : strerror(-error);
    cli_report_about(remote->cli, remote->url, why);
    return error;
}

/* ---- requests ---- */

static bool is_rpc_answer(struct jsv_str body)
{
    static const char beginning[] = "{\"jsonrpc\"";
    size_t size = sizeof(beginning) - 1;
    return body.size > size && memcmp(body.data, beginning, size) == 0;
}

static int remote_ask(void *self, struct jsv_str request, struct jsv_buf *reply)
{
    struct remote *remote = self;
    bool has_token = remote->authorization[0] != '\0';
    const char *headers[] = {
        "Content-Type: application/json",
        "Accept: application/json",
        "Expect:",
        has_token ? remote->authorization : NULL,
        NULL,
    };
    const struct backend_fetch fetch = {
        .url = remote->url,
        .headers = headers,
        .body = request,
        .timeout_ms = TIMEOUT_MS,
    };
    unsigned status = 0;
    int r = backend_fetch(&fetch, reply, &status);
    if (r < 0) {
        return refuse_error(remote, r);
    }
    return is_rpc_answer(jsv_buf_str(reply)) ? 0
                                             : refuse_status(remote, status, jsv_buf_str(reply));
}

static void remote_close(void *self)
{
    struct remote *remote = self;
    jsv_dealloc(os_allocator(), remote, sizeof(*remote));
}

/* ---- open ---- */

/* Accepts "http://host:port", also followed by "/" or "/mcp", and uses its /rpc. */
static bool set_url(struct remote *remote, const char *url)
{
    const char *scheme_end = strstr(url, "://");
    bool is_http = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
    if (!is_http || strpbrk(url, "?# \t\r\n")) {
        return false;
    }
    size_t origin = (size_t)(scheme_end + 3 - url) + strcspn(scheme_end + 3, "/");
    const char *path = url + origin;
    bool is_known = path[0] == '\0' || strcmp(path, "/") == 0 || strcmp(path, "/mcp") == 0;
    int size = is_known ? snprintf(remote->url, URL_SIZE, "%.*s/rpc", (int)origin, url)
                        : snprintf(remote->url, URL_SIZE, "%s", url);
    return size > 0 && size < URL_SIZE;
}

static bool set_token(struct remote *remote, const char *token)
{
    if (!token || token[0] == '\0') {
        return true;
    }
    int size = snprintf(remote->authorization, TOKEN_SIZE, "Authorization: Bearer %s", token);
    return size < TOKEN_SIZE && !strpbrk(token, "\r\n");
}

int call_remote_open(
    struct cli *cli, const char *url, const char *token, struct call_peer *ret_peer)
{
    struct remote *remote = jsv_alloc(os_allocator(), sizeof(*remote));
    if (!remote) {
        cli_report_errno(cli, url, -ENOMEM);
        return -ENOMEM;
    }
    *remote = (struct remote){.cli = cli};
    const char *wrong =
        !set_url(remote, url)       ? "--url: expected an address such as http://127.0.0.1:8787"
        : !set_token(remote, token) ? "MCPGATE_TOKEN: the token is too long or has line breaks"
                                    : NULL;
    if (wrong) {
        cli_report(cli, wrong);
        remote_close(remote);
        return -EINVAL;
    }
    *ret_peer = (struct call_peer){.self = remote, .ask = remote_ask, .close = remote_close};
    return 0;
}