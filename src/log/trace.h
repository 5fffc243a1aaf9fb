/*
 * W3C Trace Context: the caller's trace ids of a request, for the log and for
 * the programs and backends the request is passed on to.
 */
#pragma once

#include <jsv/jsv.h>

/* Bytes of a traceparent that is passed on; today's have 55, later ones may have more. */
#define LOG_TRACE_PARENT_MAX 128

/* Bytes of a tracestate: as many as the standard asks to pass on. */
#define LOG_TRACE_STATE_MAX 512

/** As it was sent: both valid, or with data NULL. */
struct log_trace_context {
    struct jsv_str parent;
    struct jsv_str state;
};

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

/**
 * The parts of two texts that can be passed on, in a header or an environment:
 * nothing without a valid traceparent; a tracestate if it is short printable
 * ASCII.
 */
struct log_trace_context log_trace_context_of(struct jsv_str parent, struct jsv_str state);
