#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jsv/json.h>

#include "backend/fetch.h"
#include "cli/call_peer.h"
#include "cli/report.h"
#include "jsv/base/alloc.h"
#include "os/sys.h"

/* As long as any tool may take; the server has limits of its own. */
#define TIMEOUT_MS 600000

#define URL_SIZE   1024
#define TOKEN_SIZE 8192

/* Room for what a server says and what to do about it. */
#define WHY_SIZE 512

struct remote {
    struct app_cli *cli;
    char url[URL_SIZE];
    char authorization[TOKEN_SIZE]; /* "Authorization: Bearer …"; empty: none */
};

/* ---- what is wrong ---- */

/* The message of {"error":{"message":…}}; empty when the body is something else. */
static void find_message(struct jsv_str body, char *out, size_t size)
{
    struct jsv_reader *reader = jsv_reader_new(os_allocator(), NULL);
    struct jsv_document *document = jsv_document_new(os_allocator());
    out[0] = '\0';
    if (reader && document && jsv_read(reader, document, body, 0, NULL) == 0) {
        struct jsv_value error = jsv_value_get(jsv_document_root(document), JSV_STR("error"));
        struct jsv_str text = jsv_value_text(jsv_value_get(error, JSV_STR("message")));
        snprintf(out, size, ": %.*s", (int)(text.size < 200 ? text.size : 200), text.data);
    }
    jsv_document_free(document);
    jsv_reader_free(reader);
}

static int refuse_status(struct remote *remote, unsigned status, struct jsv_str body)
{
    char message[WHY_SIZE / 2];
    char why[WHY_SIZE];
    find_message(body, message, sizeof(message));
    const char *advice = status == 401   ? "; set MCPGATE_TOKEN to the server's token"
                         : status == 404 ? "; is this the address of an mcpgate server?"
                                         : "";
    snprintf(why, sizeof(why), "HTTP %u%s%s", status, message, advice);
    app_report_about(remote->cli, remote->url, why);
    return -EPROTO;
}

static int refuse_error(struct remote *remote, int error)
{
    const char *why = error == -EHOSTUNREACH ? "no answer; is the server running?"
                      : error == -EFBIG      ? "the answer is too large"
                      : error == -ETIMEDOUT  ? "no answer within 10 minutes"
                      : error == -ELIBACC    ? "libcurl is not installed"
                                             : strerror(-error);
    app_report_about(remote->cli, remote->url, why);
    return error;
}

/* ---- asking ---- */

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

/* ---- beginning ---- */

/* "http://host:port", also with "/" or "/mcp" behind it: where messages of any kind are taken. */
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
    struct app_cli *cli, const char *url, const char *token, struct call_peer *ret_peer)
{
    struct remote *remote = jsv_alloc(os_allocator(), sizeof(*remote));
    if (!remote) {
        app_report_errno(cli, url, -ENOMEM);
        return -ENOMEM;
    }
    *remote = (struct remote){.cli = cli};
    const char *wrong =
        !set_url(remote, url)       ? "--url: expected an address such as http://127.0.0.1:8787"
        : !set_token(remote, token) ? "MCPGATE_TOKEN: the token is too long or has line breaks"
                                    : NULL;
    if (wrong) {
        app_report(cli, wrong);
        remote_close(remote);
        return -EINVAL;
    }
    *ret_peer = (struct call_peer){.self = remote, .ask = remote_ask, .close = remote_close};
    return 0;
}
