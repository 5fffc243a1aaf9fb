/*
 * What a loop counts. Each loop has counters of its own, on cache lines of its
 * own, which it alone changes; whoever wants to know adds them up while they
 * are being counted. A sum may miss the last messages and is never torn.
 *
 * Rows come into being when they are first counted and stay.
 */
#pragma once

#include <stdatomic.h>

#include <jsv/jsv.h>

/* Pairs of dialect and transport, and of dialect and stage; more than there are. */
#define LOG_KINDS_MAX  32
#define LOG_STAGES_MAX 64

/* Tools that are counted by name; the last row is for all others. */
#define LOG_TOOLS_MAX      65
#define LOG_TOOL_NAME_SIZE 64

/* Doors, and pairs of a door and a status of HTTP with which one refuses. */
#define LOG_TRANSPORTS_MAX 4
#define LOG_REFUSALS_MAX   32

/* Upper ends of the classes of durations, in microseconds; the last class has none. */
#define LOG_DURATIONS                                                                              \
    50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000,     \
        2500000, 5000000, 10000000
#define LOG_DURATION_CLASSES 18
extern const uint64_t log_durations[LOG_DURATION_CLASSES - 1];

typedef atomic_uint_fast64_t log_counter;

/* Names are constants of the program, compared by address within a loop. */
struct log_kind_row {
    const char *dialect;
    const char *transport;
    log_counter requests;
    log_counter failures;
};

struct log_stage_row {
    const char *dialect;
    const char *stage;
    log_counter failures;
};

struct log_tool_row {
    char name[LOG_TOOL_NAME_SIZE];
    log_counter requests;
    log_counter failures;
};

struct log_transport_row {
    const char *transport;
    log_counter opened;
    log_counter closed;
};

struct log_refusal_row {
    const char *transport;
    unsigned status; /* of HTTP; 0: the connection was closed without a word */
    log_counter count;
};

struct log_counters {
    _Alignas(64) atomic_size_t kind_count;
    atomic_size_t stage_count;
    atomic_size_t tool_count;
    atomic_size_t transport_count;
    atomic_size_t refusal_count;
    log_counter durations[LOG_DURATION_CLASSES];
    log_counter duration_sum_us;
    log_counter input_bytes;
    log_counter output_bytes;
    log_counter waiting; /* requests, now */
    log_counter programs_started;
    log_counter programs_ended;
    log_counter snapshot_ms; /* when the snapshot in use came */
    struct log_kind_row kinds[LOG_KINDS_MAX];
    struct log_stage_row stages[LOG_STAGES_MAX];
    struct log_tool_row tools[LOG_TOOLS_MAX];
    struct log_transport_row transports[LOG_TRANSPORTS_MAX];
    struct log_refusal_row refusals[LOG_REFUSALS_MAX];
};

/** A message that is over. */
struct log_outcome {
    const char *dialect;
    const char *transport;
    const char *stage;   /* where it stopped */
    struct jsv_str tool; /* data NULL: none was called */
    bool failed;
    uint64_t duration_us;
    size_t input_bytes;
    size_t output_bytes;
};

void log_count_outcome(struct log_counters *counters, const struct log_outcome *outcome);
/** @param change 1: a connection was opened, -1: closed. */
void log_count_connection(struct log_counters *counters, const char *transport, int change);
/** A door refused something before it was a message. @param status As in the row. */
void log_count_refusal(struct log_counters *counters, const char *transport, unsigned status);
/** @param change 1: a request waits, -1: it does not any more. */
void log_count_waiting(struct log_counters *counters, int change);
/** @param change 1: a program was started, -1: it has ended. */
void log_count_program(struct log_counters *counters, int change);
void log_count_snapshot(struct log_counters *counters, uint64_t now_ms);

/** Add the counters of one loop to a sum, which is the caller's alone. */
void log_counters_add(struct log_counters *sum, const struct log_counters *counters);

static inline uint64_t log_counter_get(const log_counter *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}
