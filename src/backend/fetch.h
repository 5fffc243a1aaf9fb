/*
 * A blocking HTTP exchange: for documents that the operator names by URL, which
 * are read before the server starts, and for calls to a running server.
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
 * Send a request and append the body of the response, of any status.
 *
 * @param out Its ceiling is the limit.
 * @return 0; -EFBIG; -ETIMEDOUT; -EHOSTUNREACH when there is no response; -ELIBACC; -ENOMEM.
 */
int backend_fetch(const struct backend_fetch *request, struct jsv_buf *out, unsigned *ret_status);
