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

/* It stays loaded: unloading a library that has started threads of its own is asking for trouble.
 */
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
