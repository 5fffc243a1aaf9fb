/*
 * What is recorded of a message when it is finished: counters, a line of the
 * log, and for a message that does not match its schema, the mismatch.
 *
 * Without a log (NULL) every function here does nothing.
 */
#pragma once

#include "core/conn.h"

struct core_request_log;
struct log;
struct log_counters;

/** On the loop that will use it. @param log NULL: *ret_request_log is NULL. @return 0 or -errno. */
int core_request_log_new(struct log *log, struct core_request_log **ret_request_log);
/** Accepts NULL. */
void core_request_log_free(struct core_request_log *log);

/** The transport's name in the log and the metrics. */
const char *core_transport_name(enum core_transport transport);

/** A message is finished. @param answer Not sent yet; text.data NULL: nothing will be sent. */
void core_log_answered(struct core_request *request, const struct core_answer *answer);
/** A request ends without an answer: its client disconnected or cancelled it. */
void core_log_abandoned(struct core_request *request);
/** Make the ids of a message now. @param ret_ids LOG_IDS of LOG_ID_SIZE; not set without a log. */
void core_log_make_ids(const struct core_request *request, char *ret_ids);

/** @param change 1: opened, -1: closed. */
void core_log_count_conn(const struct core_conn *conn, int change);
/** @param change 1: a request begins to wait, -1: it no longer does. */
void core_log_count_waiting(struct core_request_log *log, int change);
/** The catalog was replaced. */
void core_log_count_snapshot(struct core_request_log *log);

/** The counters of this loop, or NULL. */
struct log_counters *core_request_log_counters(const struct core_request_log *log);
/** The log behind it, or NULL. */
struct log *core_request_log_target(const struct core_request_log *log);
