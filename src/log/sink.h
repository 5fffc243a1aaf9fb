/*
 * Where lines of the log go: from many loops to one thread that writes files.
 *
 * Each loop has a page. It writes a line there and goes on; the thread takes
 * pages as they fill, or soon after the first line, and waits for the disk so
 * that nobody else has to. A page that is full takes no more lines, and a disk
 * that takes none makes the thread drop them: what is lost is counted, said
 * once on standard error (mcp:warning reason=log_lost), and no answer is ever
 * late for it.
 *
 * Making the ids of a message takes longer than all the rest of its line. A
 * line may come with blanks and with what its ids are made of; the thread fills
 * them in. When it has fallen behind, the page takes no more of those: then the
 * loop makes the ids itself, which slows it to what the machine can do.
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

/** What ids are made of. In two pieces, so that nobody has to join them. */
struct log_question {
    struct jsv_str head; /* not empty */
    struct jsv_str body;
};

/** Makes ids; used by one thread at a time. */
struct log_namer {
    /* Never fails: where there is no better name, a random one will do. */
    void (*name)(
        struct log_namer *namer,
        struct jsv_str question,
        char ret_ids[static LOG_IDS][LOG_ID_SIZE]);
    void (*free)(struct log_namer *namer);
};

/** A page for a loop; lives as long as the sink. @return 0 or -errno. */
int log_page_new(struct log_sink *sink, struct log_page **ret_page);
/** Write a line. Never waits for the disk. */
void log_page_write(
    struct log_page *page, const struct log_event *event, const struct log_secrets *secrets);

/** Who fills in blanks, on the sink's thread. Becomes the page's; before the first of them. */
void log_page_set_namer(struct log_page *page, struct log_namer *namer);
/**
 * Write a line whose ids are blank but for those the event has.
 * @param question What they are made of; the namer gets it as one text.
 * @return false when the thread has enough to do: then the line has to be written with its ids.
 */
bool log_page_ask(
    struct log_page *page,
    const struct log_event *event,
    const struct log_secrets *secrets,
    const struct log_question *question);

/** Lines that were lost, so far. */
uint64_t log_sink_lost(const struct log_sink *sink);
/** Bytes that wait to be written. */
uint64_t log_sink_queued(struct log_sink *sink);
