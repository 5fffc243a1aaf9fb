/*
 * Reading a document the operator named by URL, once, while nothing is served
 * yet. Whoever calls waits.
 */
#pragma once

#include <jsv/jsv.h>

/**
 * Append what a GET of an http(s) URL returns.
 *
 * @param out Its ceiling is the limit.
 * @return 0; -EBADMSG when the status is not 200; -EFBIG; -ETIMEDOUT; -EHOSTUNREACH when there is
 *         no answer; -ENOMEM.
 */
int backend_fetch(const char *url, uint64_t timeout_ms, struct jsv_buf *out);
