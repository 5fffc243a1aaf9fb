/*
 * One HTTP exchange that the caller waits for: a document that the operator
 * named by URL, read before anything is served; a call to a running server.
 */
#pragma once

#include <jsv/jsv.h>

struct backend_fetch {
    const char *url;            /* http or https */
    const char *const *headers; /* "Name: value", ended by NULL; NULL: none */
    struct jsv_str body;        /* to POST; data NULL: GET */
    uint64_t timeout_ms;
};

/**
 * Send a request and append the body of the answer, whatever its status.
 *
 * @param out Its ceiling is the limit.
 * @return 0; -EFBIG; -ETIMEDOUT; -EHOSTUNREACH when there is no answer; -ELIBACC; -ENOMEM.
 */
int backend_fetch(const struct backend_fetch *request, struct jsv_buf *out, unsigned *ret_status);
