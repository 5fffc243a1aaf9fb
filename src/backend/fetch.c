#include "backend/fetch.h"

#include <errno.h>

#include "backend/curl.h"

static size_t take(char *data, size_t one, size_t size, void *context)
{
    (void)one; /* always 1 */
    return jsv_buf_append(context, data, size) < 0 ? 0 : size;
}

static CURLcode prepare(
    CURL *easy,
    const struct backend_fetch *request,
    struct curl_slist *headers,
    struct jsv_buf *out)
{
    long timeout_ms = (long)request->timeout_ms;
    CURLcode code = backend_curl_restrict(easy);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_URL, request->url);
    if (!code && request->body.data) {
        code = backend_curl_set_body(easy, request->body);
    }
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    return code ? code : backend_curl->easy_setopt(easy, CURLOPT_WRITEDATA, out);
}

static int outcome(CURL *easy, CURLcode code, const struct jsv_buf *out, unsigned *ret_status)
{
    long status = 0;
    switch ((int)code) {
    case CURLE_OK:
        (void)backend_curl->easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        *ret_status = (unsigned)status;
        return 0;
    case CURLE_OUT_OF_MEMORY:
        return -ENOMEM;
    case CURLE_WRITE_ERROR:
        return out->error == -ENOBUFS ? -EFBIG : -ENOMEM;
    case CURLE_OPERATION_TIMEDOUT:
        return -ETIMEDOUT;
    default:
        return -EHOSTUNREACH;
    }
}

static int exchange(const struct backend_fetch *request, struct jsv_buf *out, unsigned *ret_status)
{
    struct curl_slist *headers = NULL;
    CURL *easy = backend_curl->easy_init();
    int r = easy ? 0 : -ENOMEM;
    for (const char *const *line = request->headers; r == 0 && line && *line; line++) {
        r = backend_curl_add_header(&headers, *line);
    }
    if (r == 0) {
        CURLcode code = prepare(easy, request, headers, out);
        r = outcome(easy, code ? code : backend_curl->easy_perform(easy), out, ret_status);
    }
    if (easy) {
        backend_curl->easy_cleanup(easy);
    }
    backend_curl->slist_free_all(headers);
    return r;
}

int backend_fetch(const struct backend_fetch *request, struct jsv_buf *out, unsigned *ret_status)
{
    int r = backend_curl_load();
    if (r < 0) {
        return r;
    }
    if (backend_curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return -ENOMEM;
    }
    r = exchange(request, out, ret_status);
    backend_curl->global_cleanup();
    return r;
}
