/*
 * libcurl, loaded when it is first needed: it depends on some thirty libraries,
 * and loading them takes longer than the rest of a start. Most servers have no
 * backend and never need them.
 */
#pragma once

#include <curl/curl.h>

#include <jsv/jsv.h>

struct backend_curl {
#define CURL_FUNCTION(name) __typeof__(curl_##name) *name;
#include "backend/curl.def"
#undef CURL_FUNCTION
};

/** Its functions, after backend_curl_load() has succeeded. */
extern const struct backend_curl *backend_curl;

/** Load it, if it is not loaded. On any thread. @return 0; -ELIBACC when it is not installed. */
int backend_curl_load(void);

/** Append a header line to a list. @return 0; -ENOMEM, and the list is as before. */
int backend_curl_add_header(struct curl_slist **headers, const char *line);
/** Set options that all exchanges share: HTTP only, no redirect, no proxy, no signals. */
CURLcode backend_curl_restrict(CURL *easy);
/** Set the body of a POST, which is borrowed. */
CURLcode backend_curl_set_body(CURL *easy, struct jsv_str body);
