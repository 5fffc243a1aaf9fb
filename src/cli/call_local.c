/*
 * A server for one client that is not connected by anything: messages go
 * through the same pipeline, with the same tools, as those of `mcpgate serve`.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "app/config.h"
#include "cli/call_peer.h"
#include "cli/confine.h"
#include "cli/content.h"
#include "cli/protocol.h"
#include "cli/report.h"
#include "cli/tool_settings.h"
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

static const int signal_numbers[] = {SIGINT, SIGTERM};

#define SIGNAL_COUNT (sizeof(signal_numbers) / sizeof(signal_numbers[0]))

/* Room for a path and a reason. */
#define WHY_SIZE 512

struct local {
    struct core_conn conn; /* first: a connection is a local */
    struct app_cli *cli;
    struct app_content content;
    struct core_settings settings;
    struct loop *loop;
    struct loop_signal *signals[SIGNAL_COUNT];
    struct core_worker *worker;
    struct rpc_frames frames;
    bool is_connected;
    struct jsv_buf *reply; /* of the message being asked; NULL: answered */
    bool is_running;
    bool is_interrupted;
};

/* ---- the client's side of the connection ---- */

static void stop(struct local *local)
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
        stop(local);
    }
}

/* Progress and the like: a person waits for the result. */
static void on_push(struct core_conn *conn, struct jsv_str message)
{
    (void)conn;
    (void)message;
}

static void on_nothing(struct core_conn *conn)
{
    (void)conn;
}

static void on_signal(void *owner, int number)
{
    struct local *local = owner;
    (void)number;
    local->is_interrupted = true;
    stop(local);
}

/* Hand a message in as a line, as it would come from a client. @return 0 or -ENOMEM. */
static int hand_in(struct local *local, struct jsv_str request)
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
    int r = hand_in(local, request);
    r = r < 0 ? r : hand_in(local, JSV_STR("\n"));
    if (r == 0 && local->reply) {
        local->is_running = true;
        r = loop_run(local->loop);
        local->is_running = false;
    }
    if (r == 0 && local->is_interrupted) {
        app_report(local->cli, "interrupted");
        return -EINTR;
    }
    if (r < 0) {
        app_report_errno(local->cli, "cannot run the tool", r);
    }
    return r;
}

/* ---- beginning and end ---- */

static int read_content(struct local *local, const struct app_config *config)
{
    const char *dir;
    app_content_init(&local->content, config);
    int r = app_content_read(&local->content, &dir);
    if (r < 0) {
        char why[APP_CONTENT_WHY_SIZE];
        app_content_explain(&local->content, r, dir, why);
        app_report(local->cli, why);
    }
    return r;
}

static int read_protocol(struct local *local, const struct app_config *config)
{
    char why[WHY_SIZE];
    int r = app_protocol_load(config->mcp_schema, &local->settings.definitions, why, sizeof(why));
    if (r < 0) {
        app_report_about(local->cli, "MCP schema", why);
    }
    return r;
}

static int start(struct local *local, const struct app_config *config)
{
    app_confine_secrets(); /* the tool gets no more than it would from a server */
    (void)app_confine_privileges(local->content.catalog);
    local->settings.tools = app_tool_settings(config, 1);
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
            /* loop_round() does the work */
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

int call_local_open(
    struct app_cli *cli, const struct app_config *config, struct call_peer *ret_peer)
{
    static const struct core_conn_ops ops = {
        .answer = on_answer,
        .push = on_push,
        .hang_up = on_nothing,
        .resume = on_nothing,
        .idle = on_nothing,
    };
    struct local *local = jsv_alloc(os_allocator(), sizeof(*local));
    if (!local) {
        app_report_errno(cli, "cannot start", -ENOMEM);
        return -ENOMEM;
    }
    *local = (struct local){.cli = cli};
    rpc_frames_init(&local->frames, CORE_FRAME_SIZE_MAX);
    int r = read_content(local, config);
    r = r < 0 ? r : read_protocol(local, config);
    if (r == 0) {
        r = start(local, config);
        if (r < 0) {
            app_report_errno(cli, "cannot start", r);
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
