/*
 * The log of messages: a line for each, counters, and the latest invalid
 * messages. There is one log per process. Each loop has a struct log_local of
 * it, which no other thread writes to.
 */
#pragma once

#include "log/counters.h"
#include "log/event.h"
#include "log/sink.h"

struct log;
struct log_local;

struct log_options {
    const char *dir; /* NULL: no lines; must outlive the log */
    uint64_t file_size_max;
    const char *redact;   /* names of members whose values are secret, separated by commas */
    struct jsv_str token; /* the server's own; must outlive the log */
    bool deterministic;   /* ids depend on the request alone; else they are random */
    /* Writes more members into the diagnostics; any thread. NULL: there are none. */
    void (*describe)(void *owner, struct jsv_writer *writer);
    void *owner;
};

/** @return 0 or -errno. */
int log_new(const struct log_options *options, struct log **ret_log);
/** Write all lines, then free the log with its locals. Accepts NULL. */
void log_free(struct log *log);

/* ---- for a loop ---- */

/** A loop's part of the log; lives as long as the log. @return 0 or -errno. */
int log_local_new(struct log *log, struct log_local **ret_local);
struct log *log_of(const struct log_local *local);
/** Whether there are lines. */
bool log_has_lines(const struct log_local *local);
bool log_is_deterministic(const struct log_local *local);
struct log_counters *log_counters_of(struct log_local *local);
/** Milliseconds since 1970 at a time of os_now_us(); reads the real clock once a second. */
int64_t log_wall_ms(struct log_local *local, uint64_t now_us);

/** Write a line, if there are lines. Never blocks. */
void log_write(struct log_local *local, const struct log_event *event);
/** As log_buffer_set_id_generator() and log_buffer_write_blank(); only if there are lines. */
void log_set_id_generator(struct log_local *local, struct log_id_generator *generator);
bool log_write_blank(
    struct log_local *local, const struct log_event *event, const struct log_id_source *source);

/* Bytes of each text of a problem, which is cut; and problems kept per loop. */
#define LOG_PROBLEM_TEXT_SIZE 160
#define LOG_PROBLEMS_MAX      64

/**
 * An invalid message, for operators: which tool, which client, where in the
 * message and in the schema, how often. Texts have a terminator and are empty
 * where unknown.
 */
struct log_problem {
    char dialect[16];
    char stage[16];
    char status[64];
    char tool[LOG_PROBLEM_TEXT_SIZE];
    char client[LOG_PROBLEM_TEXT_SIZE];
    char pointer[LOG_PROBLEM_TEXT_SIZE];
    char schema_path[LOG_PROBLEM_TEXT_SIZE];
    char message[LOG_PROBLEM_TEXT_SIZE];
    int64_t first_ms; /* since 1970 */
    int64_t last_ms;
    uint64_t count;
};

/** Copy a text into a field of a problem, cut to its size. A text that holds the server's token is
 * redacted. */
void log_problem_fill(const struct log_local *local, char *field, size_t size, struct jsv_str text);
/**
 * Note a problem with a count of 1. An equal one is counted, not listed again; when there is no
 * place, the oldest is dropped.
 * @return whether it is new.
 */
bool log_note_problem(struct log_local *local, const struct log_problem *problem);

/* ---- for any thread ---- */

/** Append all counters in the text format of Prometheus. @return 0 or -errno. */
int log_metrics_write(struct log *log, struct jsv_buf *out);
/** How many new problems were noted so far. */
uint64_t log_new_problems(const struct log *log);
/** Append {"mismatches":[…],…}, the latest first. @return 0 or -errno. */
int log_diagnostics_write(struct log *log, struct jsv_buf *out);
