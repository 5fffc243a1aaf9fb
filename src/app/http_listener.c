#include "app/http_listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config.h"
#include "net/tcp.h"
#include "os/file.h"
#include "os/process.h"
#include "os/sys.h"

/* Far more than any list of names and a token need. */
#define ARENA_MAX ((size_t)1 << 20)

/* Limit for a token file: a token must fit a request head. */
#define TOKEN_MAX ((size_t)8 * 1024)

/* ---- lists ---- */

static size_t count_items(const char *list)
{
    size_t count = list ? 1 : 0;
    for (const char *at = list; at && *at != '\0'; at++) {
        count += *at == ',';
    }
    return count;
}

static struct jsv_str trimmed(const char *begin, const char *end)
{
    while (begin < end && *begin == ' ') {
        begin++;
    }
    while (end > begin && end[-1] == ' ') {
        end--;
    }
    return (struct jsv_str){begin, (size_t)(end - begin)};
}

/* Split a text at commas; empty items are left out. @return 0 or -ENOMEM. */
static int split_list(
    struct jsv_arena *arena, const char *list, const struct jsv_str **ret_items, size_t *ret_count)
{
    size_t count = count_items(list);
    struct jsv_str *items = jsv_arena_array(arena, count + 1, sizeof(*items));
    if (!items) {
        return -ENOMEM;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const char *end = list + strcspn(list, ",");
        items[kept] = trimmed(list, end);
        kept += items[kept].size > 0;
        list = end + (*end == ',');
    }
    *ret_items = items;
    *ret_count = kept;
    return 0;
}

/* ---- the token ---- */

static int copy_token(struct app_http_listener *listener, struct jsv_str text)
{
    while (text.size > 0 &&
           (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r')) {
        text.size--;
    }
    char *token = jsv_arena_alloc(&listener->arena, text.size + 1);
    if (!token) {
        return -ENOMEM;
    }
    memcpy(token, text.data ? text.data : "", text.size);
    listener->settings.guard.token = (struct jsv_str){token, text.size};
    return text.size == 0 ? -EINVAL : 0;
}

static int load_token_file(
    struct app_http_listener *listener, const char *path, char why[static APP_HTTP_WHY_SIZE])
{
    struct jsv_buf text;
    jsv_buf_init(&text, os_allocator(), TOKEN_MAX);
    int r = os_file_read_path(path, &text);
    if (r == 0) {
        r = copy_token(listener, jsv_buf_str(&text));
    }
    if (r < 0) {
        const char *what = r == -EINVAL ? "the file is empty" : strerror(-r);
        snprintf(why, APP_HTTP_WHY_SIZE, "MCPGATE_TOKEN_FILE: %.100s: %s", path, what);
    }
    jsv_buf_done(&text);
    return r;
}

static int load_token(
    struct app_http_listener *listener,
    const struct app_config *config,
    char why[static APP_HTTP_WHY_SIZE])
{
    if (config->token) {
        int r = copy_token(listener, jsv_str_from(config->token));
        if (r == -EINVAL) {
            snprintf(why, APP_HTTP_WHY_SIZE, "MCPGATE_TOKEN: the token is empty");
        }
        return r;
    }
    return config->token_file ? load_token_file(listener, config->token_file, why) : 0;
}

/* ---- settings and socket ---- */

static int load_lists(struct app_http_listener *listener, const struct app_config *config)
{
    struct net_http_settings *settings = &listener->settings;
    struct net_http_guard *guard = &settings->guard;
    int r = split_list(&listener->arena, config->allowed_hosts, &guard->hosts, &guard->host_count);
    if (r == 0) {
        r = split_list(
            &listener->arena, config->allowed_origins, &guard->origins, &guard->origin_count);
    }
    if (r == 0) {
        r = split_list(
            &listener->arena,
            config->auth_servers,
            &settings->authorization_servers,
            &settings->authorization_server_count);
    }
    return r;
}

/* "port 8787 is in use (pid 23094)" */
static void explain_in_use(const char *address, char why[static APP_HTTP_WHY_SIZE])
{
    unsigned port = (unsigned)strtoul(strrchr(address, ':') + 1, NULL, 10);
    pid_t pid = os_process_on_port(port);
    int size = snprintf(why, APP_HTTP_WHY_SIZE, "%.100s: port %u is in use", address, port);
    if (pid > 0) {
        snprintf(why + size, APP_HTTP_WHY_SIZE - (size_t)size, " (pid %ld)", (long)pid);
    }
}

static void explain_address(const char *address, int error, char why[static APP_HTTP_WHY_SIZE])
{
    if (error == -EADDRINUSE) {
        explain_in_use(address, why);
    } else {
        const char *text =
            error == -EADDRNOTAVAIL ? "this machine has no such address" : strerror(-error);
        snprintf(why, APP_HTTP_WHY_SIZE, "%.100s: %s", address, text);
    }
}

static int listen_on(
    struct app_http_listener *listener,
    const struct app_config *config,
    char why[static APP_HTTP_WHY_SIZE])
{
    bool is_loopback;
    int fd = net_tcp_listen(config->http_addr, &is_loopback);
    if (fd < 0) {
        explain_address(config->http_addr, fd, why);
        return fd;
    }
    if (!is_loopback && listener->settings.guard.token.size == 0 && !config->insecure) {
        os_close(fd);
        snprintf(
            why,
            APP_HTTP_WHY_SIZE,
            "%.100s can be reached from other machines: set MCPGATE_TOKEN, or add --insecure",
            config->http_addr);
        return -EPERM;
    }
    listener->fd = fd;
    return 0;
}

int app_http_listener_open(
    struct app_http_listener *listener, const struct app_config *config, char *reterr_why)
{
    jsv_arena_init(&listener->arena, os_allocator(), ARENA_MAX);
    listener->fd = -1;
    snprintf(reterr_why, APP_HTTP_WHY_SIZE, "out of memory");
    int r = load_lists(listener, config);
    if (r == 0) {
        r = load_token(listener, config, reterr_why);
    }
    return r < 0 ? r : listen_on(listener, config, reterr_why);
}

void app_http_listener_done(struct app_http_listener *listener)
{
    jsv_arena_done(&listener->arena);
}
