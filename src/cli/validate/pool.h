/*
 * Jobs done by several threads and handed back in the order they were given.
 *
 *     give(a) give(b) give(c)      a thread each, as far as there are threads
 *     take() -> a                  waits for a, whoever is done first
 *
 * One thread, the owner, gives and takes; the others work. Threads are started
 * when there is work that nobody is free to do. Where none may or can be
 * started, the owner does the job itself while giving it: same results, later.
 */
#pragma once

#include <stddef.h>

struct cli_pool;

/**
 * Do one job.
 * @param worker From 0 up to the number of threads; no two jobs have the same at the same time.
 *               0 is the owner.
 */
typedef void cli_pool_work(void *context, void *job, unsigned worker);

/**
 * @param threads_max 0: the owner does everything.
 * @param jobs_max    Jobs given and not taken, at most.
 * @return NULL when memory ran out.
 */
struct cli_pool *
cli_pool_new(unsigned threads_max, size_t jobs_max, cli_pool_work *work, void *context);

/** Jobs given and not taken. */
size_t cli_pool_count(const struct cli_pool *pool);

/** Give a job. There must be fewer than jobs_max. */
void cli_pool_give(struct cli_pool *pool, void *job);

/** The oldest job, done. There must be one. */
void *cli_pool_take(struct cli_pool *pool);

/** End: jobs under way are finished, those not begun are dropped. Takes NULL. */
void cli_pool_free(struct cli_pool *pool);
