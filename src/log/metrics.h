/*
 * Counters in the text format of Prometheus, version 0.0.4.
 */
#pragma once

#include "log/counters.h"

struct log_totals {
    const struct log_counters *counters; /* of all loops */
    size_t loops;
    uint64_t now_ms;
    uint64_t log_lost;
    uint64_t log_queued; /* bytes */
};

/** Append all of it. Errors stick to the buffer. */
void log_totals_write(const struct log_totals *totals, struct jsv_buf *out);
