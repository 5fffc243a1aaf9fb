/*
 * W3C Trace Context: what a caller's tracing calls this request.
 */
#pragma once

#include <jsv/jsv.h>

struct log_trace {
    struct jsv_str trace_id; /* 32 hexadecimal digits, in lower case */
    struct jsv_str span_id;  /* 16: the caller's span */
};

/**
 * Read a traceparent: "00-<trace id>-<span id>-<flags>". A later version may have more behind it.
 * @param ret_trace Borrows from text.
 * @return whether it is valid.
 */
bool log_trace_read(struct jsv_str text, struct log_trace *ret_trace);
