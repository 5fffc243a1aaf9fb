/*
 * What is kept of a message when it is over: a line of the log, counters, and
 * for one that did not fit, what did not.
 */
#pragma once

#include "core/conn.h"

struct core_account;
struct log;
struct log_counters;

/** On the loop that will use it. @param log NULL: nothing is kept. @return 0 or -errno. */
int core_account_new(struct log *log, struct core_account **ret_account);
/** Accepts NULL. */
void core_account_free(struct core_account *account);

/** As the log and the metrics call it. */
const char *core_transport_name(enum core_transport transport);

/** A message is over. @param answer What is sent; text.data NULL: nothing is. Not yet sent. */
void core_account_request(struct core_request *request, const struct core_answer *answer);
/** A request was given up: its peer left, or did not want it any more. */
void core_account_abandoned(struct core_request *request);

/** Make the ids of a message now. @param ret_ids LOG_IDS of LOG_ID_SIZE; not set without a log. */
void core_account_name(const struct core_request *request, char *ret_ids);

/* Of these, too, nothing is kept when the account is NULL. */

/** @param change 1: opened, -1: closed. */
void core_account_conn(const struct core_conn *conn, int change);
/** @param change 1: a request begins to wait, -1: it does not any more. */
void core_account_waiting(struct core_account *account, int change);
/** There is another snapshot. */
void core_account_snapshot(struct core_account *account);

/** What is counted for this loop; NULL when nothing is. */
struct log_counters *core_account_counters(const struct core_account *account);
/** The log behind an account; NULL when there is none. */
struct log *core_account_log(const struct core_account *account);
