#include "backend/transfer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "jsv/base/alloc.h"
#include "os/sys.h"

/* ---- the target ---- */

static bool ends_with_slash(const char *text)
{
    size_t size = strlen(text);
    return size > 0 && text[size - 1] == '/';
}

/* URL and path with one "/" between them; NULL when memory ran out. */
static char *join_url(const char *url, const char *path)
{
    size_t url_size = strlen(url) - ends_with_slash(url);
    size_t path_size = strlen(path);
    bool slash = path[0] != '/';
    char *joined = jsv_alloc(os_allocator(), url_size + slash + path_size + 1);
    if (joined) {
        memcpy(joined, url, url_size);
        joined[url_size] = '/';
        memcpy(joined + url_size + slash, path, path_size + 1);
    }
    return joined;
}

/* @param ret_fits Whether the part exists, and is one of two texts unless those are NULL. */
static CURLUcode
check_part(CURLU *url, CURLUPart part, const char *either, const char *other, bool *ret_fits)
{
    char *text = NULL;
    CURLUcode code = backend_curl->url_get(url, part, &text, 0);
    *ret_fits =
        code == CURLUE_OK && (!either || strcmp(text, either) == 0 || strcmp(text, other) == 0);
    backend_curl->free(text);
    return code;
}

/* A query or a fragment is refused, because the path is appended. */
static int check_parts(CURLU *url)
{
    bool http;
    bool query;
    bool fragment;
    CURLUcode codes[] = {
        check_part(url, CURLUPART_SCHEME, "http", "https", &http),
        check_part(url, CURLUPART_QUERY, NULL, NULL, &query),
        check_part(url, CURLUPART_FRAGMENT, NULL, NULL, &fragment),
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
        if (codes[i] == CURLUE_OUT_OF_MEMORY) {
            return -ENOMEM;
        }
    }
    return http && !query && !fragment ? 0 : -EINVAL;
}

static int check_url(const char *text)
{
    CURLU *url = backend_curl->url();
    if (!url) {
        return -ENOMEM;
    }
    CURLUcode code = backend_curl->url_set(url, CURLUPART_URL, text, 0);
    int r = code == CURLUE_OK ? check_parts(url) : code == CURLUE_OUT_OF_MEMORY ? -ENOMEM : -EINVAL;
    backend_curl->url_cleanup(url);
    return r;
}

int backend_target_init(struct backend_target *target, const struct backend_options *options)
{
    *target = (struct backend_target){
        .reply_size_max = options->reply_size_max,
    };
    int r = check_url(options->url);
    if (r < 0) {
        return r;
    }
    target->url = join_url(options->url, options->path ? options->path : "/");
    if (!target->url) {
        return -ENOMEM;
    }
    static const char *const headers[] = {
        "Content-Type: application/json",
        "Accept: application/json",
        "Expect:", /* send the body at once, without waiting for "100 Continue" */
    };
    for (size_t i = 0; r == 0 && i < sizeof(headers) / sizeof(headers[0]); i++) {
        r = backend_curl_add_header(&target->headers, headers[i]);
    }
    return r;
}

void backend_target_done(struct backend_target *target)
{
    if (target->url) {
        jsv_dealloc(os_allocator(), target->url, strlen(target->url) + 1);
    }
    backend_curl->slist_free_all(target->headers);
    *target = (struct backend_target){0};
}

/* ---- the reply ---- */

/* Returning less than size ends the transfer. */
static size_t take_header(char *data, size_t one, size_t size, void *context)
{
    (void)data;
    (void)one;
    struct backend_transfer *transfer = context;
    transfer->headers_size += size;
    return transfer->headers_size <= BACKEND_HEADERS_SIZE_MAX ? size : 0;
}

static size_t take_body(char *data, size_t one, size_t size, void *context)
{
    (void)one;
    struct backend_transfer *transfer = context;
    struct jsv_buf *reply = &transfer->reply;
    size_t room = reply->size_max - reply->size;
    transfer->cut = size > room;
    if (jsv_buf_append(reply, data, transfer->cut ? room : size) < 0) {
        return 0;
    }
    return transfer->cut ? 0 : size;
}

/* ---- one exchange ---- */

/* One more header before the others, unless its value is missing. @return the first of all. */
static struct curl_slist *put_before(
    struct backend_trace_header *header,
    const char *name,
    struct jsv_str value,
    struct curl_slist *others)
{
    if (!value.data) {
        return others;
    }
    snprintf(header->line, sizeof(header->line), "%s: %.*s", name, (int)value.size, value.data);
    header->item = (struct curl_slist){.data = header->line, .next = others};
    return &header->item;
}

static CURLcode set_request(
    struct backend_transfer *transfer,
    const struct backend_target *target,
    const struct backend_message *message)
{
    CURL *easy = transfer->easy;
    struct curl_slist *headers = target->headers;
    headers = put_before(&transfer->trace[0], "tracestate", message->trace.state, headers);
    headers = put_before(&transfer->trace[1], "traceparent", message->trace.parent, headers);
    CURLcode code = backend_curl->easy_setopt(easy, CURLOPT_URL, target->url);
    code = code ? code
                : backend_curl->easy_setopt(easy, CURLOPT_USERAGENT, "mcpgate/" MCPGATE_VERSION);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    code = code ? code : backend_curl_set_body(easy, message->body);
    return code ? code
                : backend_curl->easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, message->body.data);
}

static CURLcode set_callbacks(struct backend_transfer *transfer, void *owner)
{
    CURL *easy = transfer->easy;
    CURLcode code = backend_curl->easy_setopt(easy, CURLOPT_PRIVATE, owner);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    return code ? code : backend_curl->easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
}

int backend_transfer_init(
    struct backend_transfer *transfer,
    const struct backend_target *target,
    const struct backend_message *message,
    void *owner)
{
    *transfer = (struct backend_transfer){.easy = backend_curl->easy_init()};
    jsv_buf_init(&transfer->reply, os_allocator(), target->reply_size_max);
    CURLcode code = transfer->easy ? CURLE_OK : CURLE_OUT_OF_MEMORY;
    code = code ? code : backend_curl_restrict(transfer->easy);
    code = code ? code : set_request(transfer, target, message);
    code = code ? code : set_callbacks(transfer, owner);
    return code == CURLE_OK ? 0 : -ENOMEM; /* no other error is possible here */
}

void backend_transfer_done(struct backend_transfer *transfer)
{
    backend_curl->easy_cleanup(transfer->easy);
    jsv_buf_done(&transfer->reply);
}

static int as_errno(CURLcode code)
{
    if (code == CURLE_OUT_OF_MEMORY) {
        return -ENOMEM;
    }
    if (code == CURLE_COULDNT_CONNECT) {
        return -ECONNREFUSED;
    }
    if (code == CURLE_COULDNT_RESOLVE_HOST) {
        return -EHOSTUNREACH;
    }
    return code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING ||
                   code == CURLE_PARTIAL_FILE
               ? -ECONNRESET
               : -EPROTO;
}

struct backend_reply backend_transfer_reply(const struct backend_transfer *transfer, CURLcode code)
{
    if (transfer->reply.error == -ENOMEM) {
        return (struct backend_reply){.error = -ENOMEM};
    }
    bool whole = code == CURLE_OK || (code == CURLE_WRITE_ERROR && transfer->cut);
    if (!whole) {
        return (struct backend_reply){.error = as_errno(code)};
    }
    long status = 0;
    (void)backend_curl->easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return (struct backend_reply){
        .status = (unsigned)status,
        .body = jsv_buf_str(&transfer->reply),
    };
}
