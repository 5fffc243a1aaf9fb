/*
 * The order of things matters here, going up and coming down:
 *
 *     read what is served     a wrong root stops everything before there is anything to undo
 *     loops, signals          from here on a signal asks to stop instead of killing
 *     doors                   the socket's file exists
 *     ready line, ready file  in this order
 *     serve
 *     ready file and socket's file removed, shutdown line, memory
 *
 * A process that is killed leaves a ready file and a socket's file behind; the
 * next one on the same paths replaces both.
 */
#include "app/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/activation.h"
#include "app/config.h"
#include "app/http_listener.h"
#include "app/ready.h"
#include "app/watch.h"
#include "cli/announce.h"
#include "cli/confine.h"
#include "cli/content.h"
#include "cli/protocol.h"
#include "cli/tool_settings.h"
#include "core/sessions.h"
#include "envelope/schemas.h"
#include "log/log.h"
#include "log/text.h"
#include "loop/loop.h"
#include "mcp/definitions.h"
#include "net/net.h"
#include "net/unix.h"
#include "os/process.h"
#include "os/sys.h"

/*
 * A loop answers tens of thousands of messages a second. The other processors are for what comes
 * with them: the log's thread, external tools, clients on the same machine. One loop more than
 * that makes them wait for each other, and each costs memory.
 */
#define PROCESSORS_PER_LOOP  2
#define LOOPS_BY_DEFAULT_MAX 8

static const int signal_numbers[] = {SIGINT, SIGTERM, SIGHUP};

#define SIGNAL_COUNT (sizeof(signal_numbers) / sizeof(signal_numbers[0]))

struct server {
    struct app_cli *cli;
    const struct app_config *config;
    unsigned doors; /* enum app_door */
    struct app_content content;
    struct core_settings settings;
    struct app_http_listener http;
    struct app_activation activation;
    struct net *net;
    struct loop_signal *signals[SIGNAL_COUNT];
    struct app_watch *watch;
    struct net_unix_address address; /* of the socket we made; its path is NULL otherwise */
    bool ready_written;
    bool is_confined; /* neither it nor its programs can gain privileges */
};

/* ---- saying what failed ---- */

/* Room for a path and a reason. */
#define DETAIL_SIZE 512

/* "mcp:error reason=setup_failed detail=<subject>: <why>" @return error */
static int refuse(const char *subject, int error, const char *why)
{
    char detail[DETAIL_SIZE];
    snprintf(detail, sizeof(detail), "%s: %s", subject, why ? why : strerror(-error));
    log_text_error("setup_failed", jsv_str_from(detail));
    return error;
}

/* ---- what is served ---- */

static int read_content(struct server *server)
{
    const char *dir;
    app_content_init(&server->content, server->config);
    int r = app_content_read(&server->content, &dir);
    if (r < 0) {
        char why[APP_CONTENT_WHY_SIZE];
        app_content_explain(&server->content, r, dir, why);
        log_text_error("setup_failed", jsv_str_from(why));
        return r;
    }
    server->is_confined = app_confine_privileges(server->content.catalog);
    return 0;
}

/* Directories may be new, or others than before under the same name. */
static void refresh_watch(struct server *server)
{
    int r = server->watch ? app_watch_refresh(server->watch) : 0;
    if (r < 0) {
        log_text_warning("watch_incomplete", "detail", jsv_str_from(strerror(-r)));
    }
}

/* What cannot be read leaves everything as it was. */
static void reload(struct server *server)
{
    refresh_watch(server);
    const char *dir;
    int r = app_content_read(&server->content, &dir);
    if (r < 0) {
        char detail[APP_CONTENT_WHY_SIZE];
        app_content_explain(&server->content, r, dir, detail);
        log_text_warning("reload_failed", "detail", jsv_str_from(detail));
        return;
    }
    net_set_catalog(server->net, server->content.catalog);
    if (server->is_confined) {
        app_confine_check(server->content.catalog);
    }
    app_announce_reload(&server->content);
}

static void watch_changed(void *owner)
{
    reload(owner);
}

/* ---- loops and signals ---- */

static unsigned choose_loops(const struct server *server)
{
    if (server->config->threads > 0) {
        return server->config->threads;
    }
    unsigned loops = os_cpu_count() / PROCESSORS_PER_LOOP;
    if (loops < 1 || server->doors == APP_DOOR_STDIO) {
        return 1;
    }
    return loops < LOOPS_BY_DEFAULT_MAX ? loops : LOOPS_BY_DEFAULT_MAX;
}

/* "mcp:schema version=2025-11-25 sha256=…": what an operator put in place of ours. */
static void tell_schema(struct mcp_definitions *definitions)
{
    for (enum mcp_version version = 0; version < MCP_VERSION_COUNT; version++) {
        char digest[OS_DIGEST_HEX_SIZE + 1];
        if (mcp_definitions_is_operators(definitions, version) &&
            mcp_definitions_digest(definitions, version, digest) == 0) {
            const struct log_field fields[] = {
                {"version", jsv_str_from(mcp_version_name(version))},
                {"sha256", jsv_str_from(digest)},
            };
            log_text("schema", fields, sizeof(fields) / sizeof(fields[0]));
        }
    }
}

static int load_protocol(struct server *server)
{
    char why[DETAIL_SIZE / 2];
    const char *source = server->config->mcp_schema;
    int r = app_protocol_load(source, &server->settings.definitions, why, sizeof(why));
    if (r < 0) {
        const char *setting = server->config->given_as[APP_SETTING_MCP_SCHEMA];
        return refuse(setting ? setting : "MCP schema", r, why);
    }
    if (source) {
        tell_schema(server->settings.definitions);
    }
    return 0;
}

static int listen_http(struct server *server)
{
    char why[APP_HTTP_WHY_SIZE];
    if (!(server->doors & APP_DOOR_HTTP)) {
        return 0;
    }
    int r = app_http_listener_open(&server->http, server->config, why);
    server->settings.is_private = server->http.settings.guard.token.size > 0;
    return r < 0 ? refuse("HTTP", r, why) : 0;
}

/* For diagnostics: what messages and arguments are checked by. */
static void describe(void *owner, struct jsv_writer *writer)
{
    struct server *server = owner;
    app_content_describe(&server->content, writer);
    jsv_write_key(writer, JSV_STR("mcpSchemas"));
    mcp_definitions_describe(server->settings.definitions, writer);
}

/* Lines go where the operator wants them; counters and diagnostics exist without lines, too. */
static int start_log(struct server *server)
{
    const struct app_config *config = server->config;
    const struct log_options options = {
        .dir = config->log_dir,
        .file_size_max = config->log_max_bytes,
        .redact = config->redact,
        .token = server->doors & APP_DOOR_HTTP ? server->http.settings.guard.token
                                               : jsv_str_from(config->token ? config->token : ""),
        .deterministic = !config->random_ids,
        .describe = describe,
        .owner = server,
    };
    int r = log_new(&options, &server->settings.log);
    return r == -E2BIG ? refuse("--redact", r, "too many names")
           : r < 0     ? refuse("cannot start the log", r, NULL)
                       : 0;
}

/* Descriptors for all connections and what serves them; many systems allow 1,024 at first. */
#define OPEN_FILES_MAX 4096

static int make_net(struct server *server)
{
    (void)os_raise_open_files_max(OPEN_FILES_MAX); /* else there are fewer connections */
    server->settings.sessions = core_sessions_new();
    int made = envelope_schemas_new(os_allocator(), &server->settings.envelopes);
    if (!server->settings.sessions || made < 0) {
        return refuse("cannot start", -ENOMEM, NULL);
    }
    server->settings.tools = app_tool_settings(server->config, choose_loops(server));
    const struct net_options options = {
        .loops = choose_loops(server),
        .http = &server->http.settings,
        .settings = &server->settings,
        .catalog = server->content.catalog,
    };
    int r = net_new(&options, &server->net);
    return r < 0 ? refuse("cannot start", r, NULL) : 0;
}

/* The first signal that asks to stop lets work finish, the second does not (net_stop). */
static void signalled(void *owner, int number)
{
    struct server *server = owner;
    if (number == SIGHUP) {
        reload(server);
    } else {
        net_stop(server->net);
    }
}

static int watch_signals(struct server *server)
{
    struct loop *loop = net_loop(server->net);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        int r = loop_signal_new(loop, signal_numbers[i], signalled, server, &server->signals[i]);
        if (r < 0) {
            return refuse("cannot take signals", r, NULL);
        }
    }
    return 0;
}

static int watch_files(struct server *server)
{
    if (!server->config->watch) {
        return 0;
    }
    int r = app_watch_new(
        net_loop(server->net), &server->content.options, watch_changed, server, &server->watch);
    return r < 0 ? refuse("cannot watch directories", r, NULL) : 0;
}

/* ---- doors ---- */

/* A socket that was handed over is a listener, unless somebody chose others. */
static int choose_doors(struct server *server)
{
    server->doors = server->config->doors;
    server->activation.fd = -1;
    if (server->config->doors_given && !(server->doors & APP_DOOR_SOCKET)) {
        return 0;
    }
    int r = app_activation_find(&server->activation);
    if (r < 0) {
        return refuse("the socket handed over (LISTEN_FDS)", r, NULL);
    }
    if (server->activation.fd >= 0 && !server->config->doors_given) {
        server->doors = APP_DOOR_SOCKET;
    }
    return 0;
}

static int refuse_socket(const char *path, int error)
{
    char why[DETAIL_SIZE / 2];
    pid_t pid = error == -EADDRINUSE ? os_process_on_socket(path) : 0;
    switch (error) {
    case -EADDRINUSE:
        snprintf(why, sizeof(why), "another server listens on this socket");
        if (pid > 0) {
            snprintf(why, sizeof(why), "pid %ld listens on this socket", (long)pid);
        }
        return refuse(path, error, why);
    case -EEXIST:
        return refuse(path, error, "the file exists and is not a socket; choose another path");
    case -EBUSY:
        return refuse(
            path,
            error,
            "another process keeps its lock file (the same name with .lock) locked; end that "
            "process, or choose another path");
    case -ENOLCK:
        return refuse(
            path,
            error,
            "its lock file (the same name with .lock) is not ours: it belongs to another user, "
            "others can open it, or it is not a plain file; remove it, or choose another path");
    default:
        return refuse(path, error, NULL);
    }
}

static int open_socket(struct server *server)
{
    const char *path = server->config->socket_path;
    int fd = server->activation.fd;
    if (fd < 0) {
        fd = net_unix_listen(path, server->config->socket_mode, &server->address);
        if (fd < 0) {
            server->address.path = NULL;
            return refuse_socket(path, fd);
        }
    }
    int r = net_open_socket(server->net, fd);
    if (r < 0) {
        os_close(fd);
        return refuse("cannot take connections", r, NULL);
    }
    return 0;
}

static int open_stdio(struct server *server)
{
    int r = net_open_stdio(server->net, server->cli->in_fd, server->cli->out_fd);
    if (r < 0) {
        return refuse("standard input and output", r, NULL);
    }
    server->cli->out_fd = -1;
    return 0;
}

static int open_doors(struct server *server)
{
    int r = 0;
    if (server->doors & APP_DOOR_HTTP) {
        r = net_open_http(server->net, server->http.fd);
        r = r < 0 ? refuse("cannot take connections", r, NULL) : 0;
    }
    if (r == 0 && server->doors & APP_DOOR_SOCKET) {
        r = open_socket(server);
    }
    if (r == 0 && server->doors & APP_DOOR_STDIO) {
        r = open_stdio(server);
    }
    return r;
}

/* ---- being ready ---- */

static const char *mode_name(const struct server *server)
{
    return server->doors & APP_DOOR_SOCKET ? "socket"
           : server->doors & APP_DOOR_HTTP ? "http"
                                           : "stdio";
}

/* Where the socket is: what we made, or what we were given. */
static const char *socket_path(const struct server *server)
{
    bool given = server->activation.fd >= 0;
    return given ? server->activation.path : server->config->socket_path;
}

static void become_ready(struct server *server)
{
    char timestamp[LOG_TIMESTAMP_SIZE];
    const char *path = server->config->ready_file;
    log_timestamp(timestamp);
    const struct app_announcement announcement = {
        .mode = mode_name(server),
        .socket_path = server->doors & APP_DOOR_SOCKET ? socket_path(server) : NULL,
        .http_addr = server->doors & APP_DOOR_HTTP ? server->config->http_addr : NULL,
        .content = &server->content,
        .timestamp = timestamp,
    };
    app_announce_ready(&announcement);
    if (server->doors & APP_DOOR_STDIO && os_isatty(server->cli->in_fd)) {
        app_announce_stdin(server->cli);
    }
    if (path) {
        app_announce_other(path);
    }
    int r = path ? app_ready_write(path, timestamp) : 0;
    server->ready_written = path && r == 0;
    if (r < 0) {
        char detail[DETAIL_SIZE];
        snprintf(detail, sizeof(detail), "%s: %s", path, strerror(-r));
        log_text_warning("ready_file", "detail", jsv_str_from(detail));
    }
}

/* Take back every sign of being there. */
static void withdraw(struct server *server)
{
    if (server->ready_written) {
        app_ready_remove(server->config->ready_file);
        server->ready_written = false;
    }
    if (server->address.path) {
        net_unix_remove(&server->address);
        server->address.path = NULL;
    }
}

static void say_shutdown(const struct server *server)
{
    char timestamp[LOG_TIMESTAMP_SIZE];
    log_timestamp(timestamp);
    const struct log_field fields[] = {
        {"mode", jsv_str_from(mode_name(server))},
        {"timestamp", jsv_str_from(timestamp)},
    };
    log_text("shutdown", fields, 2);
}

/* ---- the whole of it ---- */

static int set_up(struct server *server)
{
    static int (*const steps[])(struct server *) = {
        choose_doors,
        read_content,
        load_protocol,
        listen_http,
        start_log,
        make_net,
        watch_signals,
        watch_files,
        open_doors,
    };
    int r = 0;
    for (size_t i = 0; r == 0 && i < sizeof(steps) / sizeof(steps[0]); i++) {
        r = steps[i](server);
    }
    return r;
}

static void say_answers_lost(int error)
{
    char detail[256];
    const char *why = error == -ETIMEDOUT ? "they were not read for 30 seconds"
                      : error == -ENOBUFS ? "the client did not read them"
                                          : strerror(-error);
    snprintf(detail, sizeof(detail), "answers to standard output are lost: %s", why);
    log_text_error("runtime_failed", jsv_str_from(detail));
}

/* Not a failure: the end of the input asks the server to stop, and calls have 10 seconds then. */
static void say_calls_given_up(void)
{
    const struct log_field fields[] = {
        {"reason", JSV_STR("answers_lost")},
        {"detail", JSV_STR("the calls took longer than 10 seconds after the end of input")},
    };
    log_text("warning", fields, 2);
}

static enum app_exit run(struct server *server)
{
    become_ready(server);
    int r = net_run(server->net);
    int lost = net_stdio_error(server->net);
    withdraw(server);
    if (r < 0) {
        log_text_error("runtime_failed", jsv_str_from(strerror(-r)));
        return APP_EXIT_FAILED;
    }
    if (lost == -ETIME) {
        say_calls_given_up();
    } else if (lost < 0) {
        say_answers_lost(lost);
        return APP_EXIT_FAILED;
    }
    say_shutdown(server);
    return APP_EXIT_OK;
}

static void tear_down(struct server *server)
{
    withdraw(server);
    app_watch_free(server->watch);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        loop_signal_close(server->signals[i]);
    }
    net_free(server->net);
    log_free(server->settings.log);
    app_http_listener_done(&server->http);
    core_sessions_free(server->settings.sessions);
    envelope_schemas_free(server->settings.envelopes);
    mcp_definitions_free(server->settings.definitions);
    app_content_done(&server->content);
}

enum app_exit app_serve(struct app_cli *cli, const struct app_config *config)
{
    app_confine_secrets();
    struct server server = {.cli = cli, .config = config};
    enum app_exit end = set_up(&server) < 0 ? APP_EXIT_TROUBLE : run(&server);
    tear_down(&server);
    return end;
}
