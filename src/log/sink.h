/*
 * Log lines on their way from the loops to the one thread that writes files.
 *
 * Each loop appends lines to a buffer of its own. The thread takes buffers as
 * they fill, or soon after the first line, and only it waits for the disk. A
 * full buffer drops lines, and so does the thread while the disk refuses them:
 * lost lines are counted and reported once on standard error (mcp:warning
 * reason=log_lost), and no answer is delayed.
 *
 * Making the ids of a message takes longer than the rest of its line. A line
 * may have blanks instead, with the source of its ids behind it; the thread
 * fills them in. When it falls behind, the buffer refuses such lines: then the
 * loop makes the ids itself, which slows it down to what the machine can do.
 */
#pragma once

#include "log/event.h"

struct log_buffer;
struct log_sink;

/**
 * Start writing. A directory that cannot be used is not an error here.
 * @param root The log directory; must outlive the sink.
 * @return 0 or -errno.
 */
int log_sink_new(const char *root, uint64_t file_size_max, struct log_sink **ret_sink);
/** Write all lines, then free the sink with its buffers. Accepts NULL. */
void log_sink_free(struct log_sink *sink);

/** The text that ids are derived from, in two pieces to save joining them. */
struct log_id_source {
    struct jsv_str head; /* not empty */
    struct jsv_str body;
};

/** Makes ids; used by one thread at a time. */
struct log_id_generator {
    /* Never fails: random ids are the fallback. */
    void (*generate)(
        struct log_id_generator *generator,
        struct jsv_str source,
        char ret_ids[static LOG_IDS][LOG_ID_SIZE]);
    void (*free)(struct log_id_generator *generator);
};

/** A buffer for a loop; lives as long as the sink. @return 0 or -errno. */
int log_buffer_new(struct log_sink *sink, struct log_buffer **ret_buffer);
/** Write a line. Never waits for the disk. */
void log_buffer_write(
    struct log_buffer *buffer, const struct log_event *event, const struct log_secrets *secrets);

/** Set the generator that fills in blanks, on the sink's thread, before the first of them. The
 * buffer frees it. */
void log_buffer_set_id_generator(struct log_buffer *buffer, struct log_id_generator *generator);
/**
 * Write a line, leaving ids blank that the event does not have.
 * @param source Of the ids; the generator gets it as one text.
 * @return false when the thread has fallen behind: then write the line with its ids.
 */
bool log_buffer_write_blank(
    struct log_buffer *buffer,
    const struct log_event *event,
    const struct log_secrets *secrets,
    const struct log_id_source *source);

/** Lines lost so far. */
uint64_t log_sink_lost(const struct log_sink *sink);
/** Bytes that wait to be written. */
uint64_t log_sink_queued(struct log_sink *sink);
