/*
 * The order matters, both at startup and at shutdown:
 *
 *     read content            a wrong directory fails before there is anything to undo
 *     loops, signals          from here on a signal asks to stop instead of killing
 *     endpoints               the socket file exists
 *     ready line, ready file  in this order
 *     serve
 *     remove ready file and socket file, print the shutdown line, free memory
 *
 * A process that is killed leaves its ready file and socket file behind; the
 * next one on the same paths replaces both.
 */
#include "app/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/config.h"
#include "app/confine.h"
#include "app/content.h"
#include "app/http_listener.h"
#include "app/lifecycle.h"
#include "app/watch.h"
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
 * One loop handles tens of thousands of messages a second. The other processors
 * are left to the log's thread, external tools and local clients: more loops
 * would compete with them, and each costs memory.
 */
#define PROCESSORS_PER_LOOP  2
#define LOOPS_BY_DEFAULT_MAX 8

/* Room for a path and a reason. */
#define DETAIL_SIZE 512

static const int signal_numbers[] = {SIGINT, SIGTERM, SIGHUP};

#define SIGNAL_COUNT (sizeof(signal_numbers) / sizeof(signal_numbers[0]))

struct server {
    struct app_streams *streams;
    const struct app_config *config;
    unsigned endpoints; /* enum app_endpoint */
    struct app_content content;
    struct core_settings settings;
    struct app_http_listener http;
    struct app_activation activation;
    struct net *net;
    struct loop_signal *signals[SIGNAL_COUNT];
    struct app_watch *watch;
    struct net_unix_address
        address; /* of the socket file we created; path is NULL if there is none */
    bool ready_written;
    bool is_confined; /* the process and its children cannot gain privileges */
};

/* ---- lines on standard error ---- */

/* "mcp:error reason=setup_failed detail=<subject>: <why>" @return error */
static int refuse(const char *subject, int error, const char *why)
{
    char detail[DETAIL_SIZE];
    snprintf(detail, sizeof(detail), "%s: %s", subject, why ? why : strerror(-error));
    log_text_error("setup_failed", jsv_str_from(detail));
    return error;
}

/* Fields of a line under construction, with room for the numbers among them. */
struct line {
    struct log_field fields[10];
    char numbers[4][24];
    size_t count;
    size_t number_count;
};

static void add_field(struct line *line, const char *name, const char *value)
{
    line->fields[line->count++] = (struct log_field){name, jsv_str_from(value ? value : "")};
}

static void add_number(struct line *line, const char *name, size_t number)
{
    char *digits = line->numbers[line->number_count++];
    snprintf(digits, sizeof(line->numbers[0]), "%zu", number);
    add_field(line, name, digits);
}

static void log_reload(const struct app_content *content)
{
    const struct catalog *catalog = content->catalog;
    struct line line = {.count = 0};
    char timestamp[LOG_TIMESTAMP_SIZE];
    log_timestamp(timestamp);
    add_number(&line, "schemas", catalog_schema_count(catalog));
    add_number(&line, "examples", catalog_example_count(catalog));
    add_number(&line, "tools", catalog_tool_count(catalog));
    add_number(&line, "skipped", content->skipped);
    add_field(&line, "timestamp", timestamp);
    log_text("reload", line.fields, line.count);
}

/* ---- content ---- */

static int read_content(struct server *server)
{
    char error[APP_CONTENT_ERROR_SIZE];
    app_content_init(&server->content, server->config);
    int r = app_content_read(&server->content, error);
    if (r < 0) {
        log_text_error("setup_failed", jsv_str_from(error));
        return r;
    }
    server->is_confined = app_confine_privileges(server->content.catalog);
    return 0;
}

/* Directories may be new, or different ones under the same name. */
static void refresh_watch(struct server *server)
{
    int r = server->watch ? app_watch_refresh(server->watch) : 0;
    if (r < 0) {
        log_text_warning("watch_incomplete", "detail", jsv_str_from(strerror(-r)));
    }
}

/* If reading fails, the content served so far stays. */
static void reload(struct server *server)
{
    refresh_watch(server);
    char error[APP_CONTENT_ERROR_SIZE];
    int r = app_content_read(&server->content, error);
    if (r < 0) {
        log_text_warning("reload_failed", "detail", jsv_str_from(error));
        return;
    }
    net_set_catalog(server->net, server->content.catalog);
    if (server->is_confined) {
        app_confine_check(server->content.catalog);
    }
    log_reload(&server->content);
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
    if (loops < 1 || server->endpoints == APP_ENDPOINT_STDIO) {
        return 1;
    }
    return loops < LOOPS_BY_DEFAULT_MAX ? loops : LOOPS_BY_DEFAULT_MAX;
}

/* "mcp:schema version=2025-11-25 sha256=…", for a schema that replaces a built-in one. */
static void log_schema(struct mcp_definitions *definitions)
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
        log_schema(server->settings.definitions);
    }
    return 0;
}

static int listen_http(struct server *server)
{
    char why[APP_HTTP_WHY_SIZE];
    if (!(server->endpoints & APP_ENDPOINT_HTTP)) {
        return 0;
    }
    int r = app_http_listener_open(&server->http, server->config, why);
    server->settings.is_private = server->http.settings.guard.token.size > 0;
    return r < 0 ? refuse("HTTP", r, why) : 0;
}

/* For diagnostics: the schemas that messages and arguments are checked against. */
static void describe(void *owner, struct jsv_writer *writer)
{
    struct server *server = owner;
    app_content_describe(&server->content, writer);
    jsv_write_key(writer, JSV_STR("mcpSchemas"));
    mcp_definitions_describe(server->settings.definitions, writer);
}

/* Counters and diagnostics exist even if no log files are written. */
static int start_log(struct server *server)
{
    const struct app_config *config = server->config;
    const struct log_options options = {
        .dir = config->log_dir,
        .file_size_max = config->log_max_bytes,
        .redact = config->redact,
        .token = server->endpoints & APP_ENDPOINT_HTTP
                     ? server->http.settings.guard.token
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

/* Enough descriptors for all connections; many systems start with a limit of 1,024. */
#define OPEN_FILES_MAX 4096

static int make_net(struct server *server)
{
    (void)os_raise_open_files_max(OPEN_FILES_MAX); /* on failure fewer clients can connect */
    server->settings.sessions = core_sessions_new();
    int made = envelope_schemas_new(os_allocator(), &server->settings.envelopes);
    if (!server->settings.sessions || made < 0) {
        return refuse("cannot start", -ENOMEM, NULL);
    }
    server->settings.tools = app_config_tools(server->config, choose_loops(server));
    const struct net_options options = {
        .loops = choose_loops(server),
        .http = &server->http.settings,
        .settings = &server->settings,
        .catalog = server->content.catalog,
    };
    int r = net_new(&options, &server->net);
    return r < 0 ? refuse("cannot start", r, NULL) : 0;
}

/* The first request to stop lets running calls finish, the second does not (net_stop). */
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
            return refuse("cannot watch for signals", r, NULL);
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

/* ---- endpoints ---- */

/* A socket passed by the service manager is the endpoint, unless others were configured. */
static int choose_endpoints(struct server *server)
{
    server->endpoints = server->config->endpoints;
    server->activation.fd = -1;
    if (server->config->endpoints_given && !(server->endpoints & APP_ENDPOINT_SOCKET)) {
        return 0;
    }
    int r = app_activation_find(&server->activation);
    if (r < 0) {
        return refuse("socket passed in LISTEN_FDS", r, NULL);
    }
    if (server->activation.fd >= 0 && !server->config->endpoints_given) {
        server->endpoints = APP_ENDPOINT_SOCKET;
    }
    return 0;
}

static int refuse_socket(const char *path, int error)
{
    char why[DETAIL_SIZE / 2];
    pid_t pid = error == -EADDRINUSE ? os_process_on_socket(path) : 0;
    switch (error) {
    case -EADDRINUSE:
        snprintf(why, sizeof(why), "another process listens on this socket");
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
            "another process holds its lock file (the same name with .lock); stop that process, or "
            "choose another path");
    case -ENOLCK:
        return refuse(
            path,
            error,
            "its lock file (the same name with .lock) belongs to another user, can be opened by "
            "others, or is not a regular file; remove it, or choose another path");
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
        return refuse("cannot accept connections", r, NULL);
    }
    return 0;
}

static int open_stdio(struct server *server)
{
    int r = net_open_stdio(server->net, server->streams->in_fd, server->streams->out_fd);
    if (r < 0) {
        return refuse("standard input and output", r, NULL);
    }
    server->streams->out_fd = -1;
    return 0;
}

static int open_endpoints(struct server *server)
{
    int r = 0;
    if (server->endpoints & APP_ENDPOINT_HTTP) {
        r = net_open_http(server->net, server->http.fd);
        r = r < 0 ? refuse("cannot accept connections", r, NULL) : 0;
    }
    if (r == 0 && server->endpoints & APP_ENDPOINT_SOCKET) {
        r = open_socket(server);
    }
    if (r == 0 && server->endpoints & APP_ENDPOINT_STDIO) {
        r = open_stdio(server);
    }
    return r;
}

/* ---- ready and shutdown ---- */

static const char *mode_name(const struct server *server)
{
    return server->endpoints & APP_ENDPOINT_SOCKET ? "socket"
           : server->endpoints & APP_ENDPOINT_HTTP ? "http"
                                                   : "stdio";
}

/* The path of the socket that we created or were passed. */
static const char *socket_path(const struct server *server)
{
    bool given = server->activation.fd >= 0;
    return given ? server->activation.path : server->config->socket_path;
}

/* Room for "http://", an address and "/mcp". */
#define URL_SIZE 320

/*
 * "mcp:ready mode=http url=… schemas_dir=… examples_dir=… mcp=… page=… schemas=8 tools=9
 * timestamp=…". SYN defines the line of stdio and sockets field by field, so only HTTP, which
 * SYN does not cover, adds addresses and counts.
 */
static void log_ready(const struct server *server, const char *timestamp)
{
    const struct catalog_options *roots = &server->content.options;
    const struct catalog *catalog = server->content.catalog;
    const char *address = server->config->http_addr;
    bool has_http = server->endpoints & APP_ENDPOINT_HTTP;
    struct line line = {.count = 0};
    char urls[3][URL_SIZE];
    add_field(&line, "mode", mode_name(server));
    if (server->endpoints & APP_ENDPOINT_SOCKET) {
        add_field(&line, "path", socket_path(server));
    }
    if (has_http) {
        snprintf(urls[0], URL_SIZE, "http://%.256s", address);
        add_field(&line, "url", urls[0]);
    }
    add_field(&line, "schemas_dir", roots->schemas_dir);
    add_field(&line, "examples_dir", roots->examples_dir);
    if (has_http) {
        snprintf(urls[1], URL_SIZE, "http://%.256s/mcp", address);
        snprintf(urls[2], URL_SIZE, "http://%.256s/", address);
        add_field(&line, "mcp", urls[1]);
        add_field(&line, "page", urls[2]);
        add_number(&line, "schemas", catalog_schema_count(catalog));
        add_number(&line, "tools", catalog_tool_count(catalog));
    }
    add_field(&line, "timestamp", timestamp);
    log_text("ready", line.fields, line.count);
}

/* For a person who starts the server in a terminal, which would otherwise stay silent. */
static void print_stdin_hint(int err_fd)
{
    static const char text[] =
        "Waiting for JSON-RPC messages on standard input, one per line; Ctrl-D ends.\n"
        "Usually an MCP client starts this program. Other things to try:\n"
        "  mcpgate --http 127.0.0.1:8787   serve over HTTP, with a page for people\n"
        "  mcpgate call TOOL NAME=VALUE    call a tool\n"
        "  mcpgate init                    create a directory with a schema and a tool\n"
        "  mcpgate --help                  all commands\n";
    (void)os_write_all(err_fd, text, sizeof(text) - 1);
}

static void warn_of_other_server(const char *ready_file)
{
    char detail[DETAIL_SIZE];
    pid_t pid = app_ready_other(ready_file);
    if (pid > 0) {
        snprintf(
            detail,
            sizeof(detail),
            "%.256s belongs to another running mcpgate (pid %ld) and is replaced; "
            "give each server a file of its own with --ready-file",
            ready_file,
            (long)pid);
        log_text_warning("ready_file", "detail", jsv_str_from(detail));
    }
}

static void become_ready(struct server *server)
{
    char timestamp[LOG_TIMESTAMP_SIZE];
    const char *path = server->config->ready_file;
    log_timestamp(timestamp);
    log_ready(server, timestamp);
    if (server->endpoints & APP_ENDPOINT_STDIO && os_isatty(server->streams->in_fd)) {
        print_stdin_hint(server->streams->err_fd);
    }
    if (path) {
        warn_of_other_server(path);
    }
    int r = path ? app_ready_write(path, timestamp) : 0;
    server->ready_written = path && r == 0;
    if (r < 0) {
        char detail[DETAIL_SIZE];
        snprintf(detail, sizeof(detail), "%s: %s", path, strerror(-r));
        log_text_warning("ready_file", "detail", jsv_str_from(detail));
    }
}

/* Remove the ready file and the socket file. */
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

static void log_shutdown(const struct server *server)
{
    char timestamp[LOG_TIMESTAMP_SIZE];
    log_timestamp(timestamp);
    const struct log_field fields[] = {
        {"mode", jsv_str_from(mode_name(server))},
        {"timestamp", jsv_str_from(timestamp)},
    };
    log_text("shutdown", fields, 2);
}

/* ---- setup, run, teardown ---- */

static int set_up(struct server *server)
{
    static int (*const steps[])(struct server *) = {
        choose_endpoints,
        read_content,
        load_protocol,
        listen_http,
        start_log,
        make_net,
        watch_signals,
        watch_files,
        open_endpoints,
    };
    int r = 0;
    for (size_t i = 0; r == 0 && i < sizeof(steps) / sizeof(steps[0]); i++) {
        r = steps[i](server);
    }
    return r;
}

static void log_answers_lost(int error)
{
    char detail[256];
    const char *why = error == -ETIMEDOUT ? "the client did not read for 30 seconds"
                      : error == -ENOBUFS ? "the client did not read"
                                          : strerror(-error);
    snprintf(detail, sizeof(detail), "answers on standard output were lost: %s", why);
    log_text_error("runtime_failed", jsv_str_from(detail));
}

/* Not an error: after the end of input, calls have 10 seconds to finish. */
static void log_calls_abandoned(void)
{
    const struct log_field fields[] = {
        {"reason", JSV_STR("answers_lost")},
        {"detail", JSV_STR("calls took longer than 10 seconds after the end of input")},
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
        return APP_EXIT_INVALID;
    }
    if (lost == -ETIME) {
        log_calls_abandoned();
    } else if (lost < 0) {
        log_answers_lost(lost);
        return APP_EXIT_INVALID;
    }
    log_shutdown(server);
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

enum app_exit app_serve(struct app_streams *streams, const struct app_config *config)
{
    app_confine_secrets();
    struct server server = {.streams = streams, .config = config};
    enum app_exit end = set_up(&server) < 0 ? APP_EXIT_TROUBLE : run(&server);
    tear_down(&server);
    return end;
}
