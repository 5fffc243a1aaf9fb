/*
 * The jobs are a ring. Three counters, each only ever growing, divide it:
 *
 *     taken <= begun <= given
 *
 * Jobs below `taken` are gone, from there up to `begun` a worker has them or
 * is done with them, from there up to `given` they wait. The slot of number n
 * is n modulo the ring's size.
 */
#include "cli/validate/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <jsv/jsv.h>

#include "os/sys.h"

struct slot {
    void *job;
    bool done;
};

struct thread {
    struct cli_pool *pool;
    pthread_t thread;
    unsigned worker;
};

struct cli_pool {
    struct jsv_arena arena;
    cli_pool_work *work;
    void *context;
    struct slot *slots;
    size_t slot_count;
    struct thread *threads;
    unsigned thread_count;
    unsigned threads_max; /* lowered when one cannot be started */

    pthread_mutex_t lock; /* guards all below, and the slots */
    pthread_cond_t work_there;
    pthread_cond_t job_done;
    size_t taken;
    size_t begun;
    size_t given;
    unsigned idle; /* threads waiting for work */
    bool ending;
};

struct cli_pool *
cli_pool_new(unsigned threads_max, size_t jobs_max, cli_pool_work *work, void *context)
{
    struct jsv_arena arena;
    jsv_arena_init(&arena, os_allocator(), SIZE_MAX);
    struct cli_pool *pool = jsv_arena_alloc(&arena, sizeof(*pool));
    struct slot *slots = jsv_arena_array(&arena, jobs_max, sizeof(*slots));
    struct thread *threads = jsv_arena_array(&arena, threads_max, sizeof(*threads));
    if (!pool || !slots || !threads) {
        jsv_arena_done(&arena);
        return NULL;
    }
    *pool = (struct cli_pool){
        .arena = arena,
        .work = work,
        .context = context,
        .slots = slots,
        .slot_count = jobs_max,
        .threads = threads,
        .threads_max = threads_max,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .work_there = PTHREAD_COND_INITIALIZER,
        .job_done = PTHREAD_COND_INITIALIZER,
    };
    return pool;
}

static struct slot *slot_of(struct cli_pool *pool, size_t number)
{
    return &pool->slots[number % pool->slot_count];
}

/* Do the next job that waits. The lock is held before and after, not meanwhile. */
static void do_next(struct cli_pool *pool, unsigned worker)
{
    struct slot *slot = slot_of(pool, pool->begun++);
    void *job = slot->job;
    pthread_mutex_unlock(&pool->lock);
    pool->work(pool->context, job, worker);
    pthread_mutex_lock(&pool->lock);
    slot->done = true;
    pthread_cond_signal(&pool->job_done);
}

static void *thread_main(void *argument)
{
    struct thread *thread = argument;
    struct cli_pool *pool = thread->pool;
    pthread_mutex_lock(&pool->lock);
    while (!pool->ending) {
        if (pool->begun < pool->given) {
            do_next(pool, thread->worker);
            continue;
        }
        pool->idle++;
        pthread_cond_wait(&pool->work_there, &pool->lock);
        pool->idle--;
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* One more thread, unless there are enough or the system says no. */
static void start_thread(struct cli_pool *pool)
{
    if (pool->thread_count == pool->threads_max) {
        return;
    }
    struct thread *thread = &pool->threads[pool->thread_count];
    *thread = (struct thread){.pool = pool, .worker = pool->thread_count + 1};
    if (os_thread_start(&thread->thread, thread_main, thread) == 0) {
        pool->thread_count++;
    } else {
        pool->threads_max = pool->thread_count;
    }
}

size_t cli_pool_count(const struct cli_pool *pool)
{
    return pool->given - pool->taken; /* both are changed by the owner alone, who asks */
}

void cli_pool_give(struct cli_pool *pool, void *job)
{
    assert(cli_pool_count(pool) < pool->slot_count);
    pthread_mutex_lock(&pool->lock);
    *slot_of(pool, pool->given) = (struct slot){.job = job};
    pool->given++;
    if (pool->given - pool->begun > pool->idle) {
        start_thread(pool);
    }
    if (pool->thread_count == 0) {
        do_next(pool, 0);
    } else {
        pthread_cond_signal(&pool->work_there);
    }
    pthread_mutex_unlock(&pool->lock);
}

void *cli_pool_take(struct cli_pool *pool)
{
    assert(cli_pool_count(pool) > 0);
    pthread_mutex_lock(&pool->lock);
    struct slot *slot = slot_of(pool, pool->taken);
    while (!slot->done) {
        pthread_cond_wait(&pool->job_done, &pool->lock);
    }
    pool->taken++;
    pthread_mutex_unlock(&pool->lock);
    return slot->job;
}

void cli_pool_free(struct cli_pool *pool)
{
    if (!pool) {
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->work_there);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->thread_count; i++) {
        pthread_join(pool->threads[i].thread, NULL);
    }
    pthread_cond_destroy(&pool->job_done);
    pthread_cond_destroy(&pool->work_there);
    pthread_mutex_destroy(&pool->lock);
    struct jsv_arena arena = pool->arena; /* holds the pool itself */
    jsv_arena_done(&arena);
}
