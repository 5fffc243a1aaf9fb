#include "backend/fetch.h"

#include <errno.h>

#include "backend/curl.h"

static size_t take(char *data, size_t one, size_t size, void *context)
{
    (void)one; /* always 1, by libcurl's word */
    return jsv_buf_append(context, data, size) < 0 ? 0 : size;
}

static CURLcode prepare(CURL *easy, const char *url, uint64_t timeout_ms, struct jsv_buf *out)
{
    CURLcode code = backend_curl->easy_setopt(easy, CURLOPT_URL, url);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_PROXY, "");
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    return code ? code : backend_curl->easy_setopt(easy, CURLOPT_WRITEDATA, out);
}

static int outcome(CURL *easy, CURLcode code, const struct jsv_buf *out)
{
    long status = 0;
    switch ((int)code) {
    case CURLE_OK:
        (void)backend_curl->easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        return status == 200 ? 0 : -EBADMSG;
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

int backend_fetch(const char *url, uint64_t timeout_ms, struct jsv_buf *out)
{
    int r = backend_curl_load();
    if (r < 0) {
        return r;
    }
    if (backend_curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return -ENOMEM;
    }
    r = -ENOMEM;
    CURL *easy = backend_curl->easy_init();
    if (easy) {
        CURLcode code = prepare(easy, url, timeout_ms, out);
        r = outcome(easy, code ? code : backend_curl->easy_perform(easy), out);
        backend_curl->easy_cleanup(easy);
    }
    backend_curl->global_cleanup();
    return r;
}
