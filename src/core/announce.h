/*
 * Clients are told what has changed: the snapshot, or the diagnostics.
 *
 * The diagnostics change with every message that does not fit, of whichever
 * loop. Told is only what they did not list before, not that something is
 * counted again; and not at once, but some time after the first of it, so that
 * a peer who sends rubbish cannot make others hear more than now and then.
 */
#pragma once

struct catalog;
struct core_worker;

/** Tell all connections of a worker, whose snapshot was another before. */
void core_announce(struct core_worker *worker, const struct catalog *before);

/** The diagnostics have something new by this worker: all are going to be told. */
void core_news(struct core_worker *worker);
/** The timer of that. */
void core_news_due(void *owner);
/** Tell all connections of a worker, if there is anything new. On its own thread, as all here. */
void core_announce_news(struct core_worker *worker);
