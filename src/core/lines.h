/*
 * What a loop writes to the structured log: one line per message.
 */
#pragma once

struct core_fault;
struct core_lines;
struct core_subject;
struct core_request;
struct log_outcome;
struct log_local;

/** On the loop that will use it. @param share Of a log that has lines. @return 0 or -errno. */
int core_lines_new(struct log_local *share, struct core_lines **ret_lines);
/** Accepts NULL. */
void core_lines_free(struct core_lines *lines);

/**
 * A door refused something before it was a message. Of many in a second only some are written.
 * @param http_status 0: there was no answer.
 */
void core_lines_write_refusal(
    struct core_lines *lines, const char *transport, unsigned http_status, const char *why);

/** The ids that the line of a message will have. @param ret_ids LOG_IDS of LOG_ID_SIZE. */
void core_lines_name(struct core_lines *lines, const struct core_subject *subject, char *ret_ids);

/** A message is over. */
void core_lines_write(
    struct core_lines *lines,
    const struct core_request *request,
    const struct core_subject *subject,
    const struct log_outcome *outcome,
    const struct core_fault *fault);
