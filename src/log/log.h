/*
 * Keeping account of messages: a line for each, counters, and the latest that
 * did not fit. One log per process; each loop has a share in it, which nobody
 * else writes to.
 */
#pragma once

#include "log/counters.h"
#include "log/event.h"
#include "log/mismatch.h"
#include "log/sink.h"

struct log;
struct log_share;

struct log_options {
    const char *dir; /* NULL: no lines; must outlive the log */
    uint64_t file_size_max;
    const char *redact;   /* names of members whose values are secret, separated by commas */
    struct jsv_str token; /* the server's own; must outlive the log */
    bool deterministic;   /* ids are made of what was asked; else they are random */
    /* Writes more members into the diagnostics; any thread. NULL: there are none. */
    void (*describe)(void *owner, struct jsv_writer *writer);
    void *owner;
};

/** @return 0 or -errno. */
int log_new(const struct log_options *options, struct log **ret_log);
/** Writes what there is, and frees with all shares. Accepts NULL. */
void log_free(struct log *log);

/** A share for a loop; lives as long as the log. @return 0 or -errno. */
int log_share_new(struct log *log, struct log_share **ret_share);
struct log *log_of(const struct log_share *share);
/** Whether there are lines. */
bool log_has_lines(const struct log_share *share);
bool log_is_deterministic(const struct log_share *share);
struct log_counters *log_counters_of(struct log_share *share);
/** Milliseconds since 1970 at a time of os_now_us(); looks at the real clock now and then. */
int64_t log_wall_ms(struct log_share *share, uint64_t now_us);

/** Write a line, where there are lines. Never waits. */
void log_write(struct log_share *share, const struct log_event *event);
/** The same for lines with blanks, where there are lines: see log_page_ask(). */
void log_share_set_namer(struct log_share *share, struct log_namer *namer);
bool log_ask(
    struct log_share *share, const struct log_event *event, const struct log_question *question);
/** Put a text into a field of a mismatch, cut to its size. One that holds the server's token is
 * replaced whole. */
void log_mismatch_fill(
    const struct log_share *share, char *field, size_t size, struct jsv_str text);
/** Note a message that did not fit. @return whether it is news: there is none like it. */
bool log_note_mismatch(struct log_share *share, const struct log_mismatch *mismatch);

/** Append all counters as Prometheus takes them. Any thread. @return 0 or -errno. */
int log_metrics_write(struct log *log, struct jsv_buf *out);
/** How many of those were news. Any thread. */
uint64_t log_news(const struct log *log);
/** Append {"mismatches":[…],…}, the latest first. Any thread. @return 0 or -errno. */
int log_diagnostics_write(struct log *log, struct jsv_buf *out);
