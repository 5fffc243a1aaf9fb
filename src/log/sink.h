/*
 * Where lines of the log go: from many loops to one thread that writes files.
 *
 * Each loop has a page. It writes a line there and goes on; the thread takes
 * pages as they fill, or soon after the first line, and waits for the disk so
 * that nobody else has to. A page that is full takes no more lines, and a disk
 * that takes none makes the thread drop them: what is lost is counted, said
 * once on standard error (mcp:warning reason=log_lost), and no answer is ever
 * late for it.
 */
#pragma once

#include "log/event.h"

struct log_page;
struct log_sink;

struct log_sink_options {
    const char *root; /* must outlive the sink */
    uint64_t file_size_max;
};

/** Start writing. A directory that cannot be used is no failure here. @return 0 or -errno. */
int log_sink_new(const struct log_sink_options *options, struct log_sink **ret_sink);
/** Writes what there is, and frees with all pages. Accepts NULL. */
void log_sink_free(struct log_sink *sink);

/** A page for a loop; lives as long as the sink. @return 0 or -errno. */
int log_page_new(struct log_sink *sink, struct log_page **ret_page);
/** Write a line. Never waits for the disk. */
void log_page_write(
    struct log_page *page, const struct log_event *event, const struct log_secrets *secrets);

/** Lines that were lost, so far. */
uint64_t log_sink_lost(const struct log_sink *sink);
/** Bytes that wait to be written. */
uint64_t log_sink_queued(struct log_sink *sink);
