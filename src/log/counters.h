/*
 * The counters of a loop, and their sum in the text format of Prometheus.
 *
 * Each loop has counters of its own, which it alone changes; a reader adds
 * them up while they are being counted. A sum may miss the last messages and
 * is never torn. Rows are added when they are first counted and stay.
 */
#pragma once

#include <stdatomic.h>

#include <jsv/jsv.h>

/* Rows of a table. The last one, "other", is for everything that finds no row. */
#define LOG_ROWS_MAX 65

/* Bytes of a label that has to be copied, such as a tool's name; longer ones count as "other". */
#define LOG_LABEL_SIZE 64

/* Upper bounds of the histogram of durations, in microseconds; the last bucket has none. */
#define LOG_DURATIONS                                                                              \
    50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000,     \
        2500000, 5000000, 10000000
#define LOG_DURATION_BUCKETS 18

typedef atomic_uint_fast64_t log_counter;

struct log_row {
    const char *labels[2]; /* constants of the program, or the copy */
    char copy[LOG_LABEL_SIZE];
    log_counter counts[2];
};

struct log_table {
    atomic_size_t count;
    struct log_row rows[LOG_ROWS_MAX];
};

struct log_counters {
    char line_before[64]; /* on cache lines of its own: other loops count, too */
    log_counter durations[LOG_DURATION_BUCKETS];
    log_counter duration_sum_us;
    log_counter input_bytes;
    log_counter output_bytes;
    log_counter waiting; /* requests, now */
    log_counter programs_started;
    log_counter programs_ended;
    log_counter snapshot_ms;      /* when the snapshot in use was read */
    struct log_table kinds;       /* by dialect and transport: requests, failures */
    struct log_table stages;      /* by dialect and stage: failures */
    struct log_table tools;       /* by name: requests, failures */
    struct log_table connections; /* by transport: opened, closed */
    struct log_table refusals;    /* by transport and status of HTTP */
    char line_after[64];
};

/** A finished message. */
struct log_outcome {
    const char *dialect;
    const char *transport;
    const char *stage;   /* the one it stopped at */
    struct jsv_str tool; /* data NULL: none was called */
    bool failed;
    uint64_t duration_us;
    size_t input_bytes;
    size_t output_bytes;
};

void log_count_outcome(struct log_counters *counters, const struct log_outcome *outcome);
/** @param change 1: a connection was opened, -1: closed. */
void log_count_connection(struct log_counters *counters, const char *transport, int change);
/** A transport refused something before it became a message.
 * @param status Of HTTP; 0: the connection was closed without an answer. */
void log_count_refusal(struct log_counters *counters, const char *transport, unsigned status);
/** @param change 1: a request began to wait, -1: it ended. */
void log_count_waiting(struct log_counters *counters, int change);
/** @param change 1: a program was started, -1: it has ended. */
void log_count_program(struct log_counters *counters, int change);
void log_count_snapshot(struct log_counters *counters, uint64_t now_ms);

/** Add the counters of one loop to a sum of the caller's. The loop must outlive the sum. */
void log_counters_add(struct log_counters *sum, const struct log_counters *counters);

struct log_totals {
    const struct log_counters *counters; /* of all loops */
    size_t loops;
    uint64_t now_ms;
    uint64_t log_lost;
    uint64_t log_queued; /* bytes */
};

/** Append them in the text format of Prometheus, version 0.0.4. Errors stick to the buffer. */
void log_totals_write(const struct log_totals *totals, struct jsv_buf *out);
