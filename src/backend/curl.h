/*
 * libcurl, loaded when it is first needed. It brings some thirty libraries
 * with it, and loading them takes longer than all else a start does; most
 * servers have no backend and never need them.
 */
#pragma once

#include <curl/curl.h>

struct backend_curl {
#define CURL_FUNCTION(name) __typeof__(curl_##name) *name;
#include "backend/curl.def"
#undef CURL_FUNCTION
};

/** Its functions, once backend_curl_load() has succeeded. */
extern const struct backend_curl *backend_curl;

/** Load it, unless that was done. Any thread may. @return 0, or -ELIBACC when it is not there. */
int backend_curl_load(void);
