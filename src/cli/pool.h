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

struct app_pool;

/**
 * Do one job.
 * @param worker From 0 up to the number of threads; no two jobs have the same at the same time.
 *               0 is the owner.
 */
typedef void app_pool_work(void *context, void *job, unsigned worker);

/**
 * @param threads_max 0: the owner does everything.
 * @param jobs_max    Jobs given and not taken, at most.
 * @return NULL when memory ran out.
 */
struct app_pool *
app_pool_new(unsigned threads_max, size_t jobs_max, app_pool_work *work, void *context);

/** Jobs given and not taken. */
size_t app_pool_count(const struct app_pool *pool);

/** Give a job. There must be fewer than jobs_max. */
void app_pool_give(struct app_pool *pool, void *job);

/** The oldest job, done. There must be one. */
void *app_pool_take(struct app_pool *pool);

/** End: jobs under way are finished, those not begun are dropped. Takes NULL. */
void app_pool_free(struct app_pool *pool);
