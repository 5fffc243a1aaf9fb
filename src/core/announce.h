/*
 * Clients are told that the snapshot has changed.
 */
#pragma once

struct catalog;
struct core_worker;

/** Tell all connections of a worker, whose snapshot was another before. */
void core_announce(struct core_worker *worker, const struct catalog *before);
