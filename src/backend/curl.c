#include "backend/curl.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

/* The name of its interface, which has not changed for two decades. */
#define LIBRARY "libcurl.so.4"

static struct backend_curl functions;
const struct backend_curl *backend_curl;

static const struct {
    const char *name;
    size_t offset;
} table[] = {
#define CURL_FUNCTION(name) {"curl_" #name, offsetof(struct backend_curl, name)},
#include "backend/curl.def"
#undef CURL_FUNCTION
};

/* It stays loaded, because a library that has started threads cannot be unloaded safely. */
static void load(void)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        void *function = dlsym(library, table[i].name);
        if (!function) {
            return;
        }
        *(void **)((char *)&functions + table[i].offset) = function;
    }
    backend_curl = &functions;
}

int backend_curl_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return backend_curl ? 0 : -ELIBACC;
}

int backend_curl_add_header(struct curl_slist **headers, const char *line)
{
    struct curl_slist *longer = backend_curl->slist_append(*headers, line);
    if (!longer) {
        return -ENOMEM;
    }
    *headers = longer;
    return 0;
}

CURLcode backend_curl_restrict(CURL *easy)
{
    static const struct {
        CURLoption option;
        long value;
    } options[] = {
        {CURLOPT_NOSIGNAL, 1},   /* signals do not work with threads */
        {CURLOPT_QUICK_EXIT, 1}, /* a name server that hangs must not hang us */
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_NETRC, CURL_NETRC_IGNORED},
        /* An old connection that turns out to be closed would be retried: there is no retry. */
        {CURLOPT_FRESH_CONNECT, 1},
        {CURLOPT_FORBID_REUSE, 1},
        {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1},
    };
    CURLcode code = backend_curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_PROXY, "");
    for (size_t i = 0; !code && i < sizeof(options) / sizeof(options[0]); i++) {
        code = backend_curl->easy_setopt(easy, options[i].option, options[i].value);
    }
    return code;
}

CURLcode backend_curl_set_body(CURL *easy, struct jsv_str body)
{
    curl_off_t size = (curl_off_t)body.size;
    CURLcode code = backend_curl->easy_setopt(easy, CURLOPT_POST, 1L);
    code = code ? code : backend_curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, size);
    return code ? code : backend_curl->easy_setopt(easy, CURLOPT_POSTFIELDS, body.data);
}
