/*
 * Writes the lines of the structured log, one per message, for one loop.
 */
#pragma once

struct core_error;
struct core_log_writer;
struct core_request;
struct core_subject;
struct log_outcome;
struct log_local;

/** On the loop that will use it. @param local Of a log that has lines. @return 0 or -errno. */
int core_log_writer_new(struct log_local *local, struct core_log_writer **ret_writer);
/** Accepts NULL. */
void core_log_writer_free(struct core_log_writer *writer);

/**
 * A transport refused something before it was a message. At most 10 lines a second are written.
 * @param http_status 0: nothing was sent.
 */
void core_log_writer_refusal(
    struct core_log_writer *writer, const char *transport, unsigned http_status, const char *why);

/** Make the ids that the line of a message will have. @param ret_ids LOG_IDS of LOG_ID_SIZE. */
void core_log_writer_make_ids(
    struct core_log_writer *writer, const struct core_subject *subject, char *ret_ids);

/** A message is finished. */
void core_log_writer_write(
    struct core_log_writer *writer,
    const struct core_request *request,
    const struct core_subject *subject,
    const struct log_outcome *outcome,
    const struct core_error *error);
