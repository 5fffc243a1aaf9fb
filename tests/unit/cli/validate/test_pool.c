#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/validate/pool.h"
#include "unit/os/fault.h"

enum {
    THREADS = 4,
    JOBS_MAX = 8,
    COUNT = 2000,
};

struct job {
    unsigned number;
    unsigned worker;
    unsigned done; /* times */
};

/* What workers share. */
struct shop {
    atomic_uint at_work; /* jobs being done */
    atomic_uint done;
    atomic_flag busy[THREADS + 1]; /* workers */
    atomic_bool wait;              /* the first job waits until this is false */
};

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    return 0;
}

static void work(void *context, void *argument, unsigned worker)
{
    struct shop *shop = context;
    struct job *job = argument;
    bool twice = worker > THREADS || atomic_flag_test_and_set(&shop->busy[worker]);
    atomic_fetch_add(&shop->at_work, 1);
    while (job->number == 0 && atomic_load(&shop->wait)) {
        usleep(100);
    }
    if (job->number % 7 == 0) {
        usleep(50); /* so that later ones are done earlier */
    }
    job->worker = worker;
    job->done += twice ? 100 : 1;
    atomic_fetch_sub(&shop->at_work, 1);
    atomic_fetch_add(&shop->done, 1);
    if (worker <= THREADS) {
        atomic_flag_clear(&shop->busy[worker]);
    }
}

/* Put many jobs through; they come back in order, each done once. */
static void run(struct cli_pool *pool, unsigned count)
{
    static struct job jobs[COUNT];
    unsigned taken = 0;
    for (unsigned i = 0; i < count; i++) {
        jobs[i] = (struct job){.number = i + 1};
        if (cli_pool_count(pool) == JOBS_MAX) {
            struct job *job = cli_pool_take(pool);
            assert_ptr_equal(job, &jobs[taken++]);
            assert_int_equal(job->done, 1);
        }
        cli_pool_give(pool, &jobs[i]);
    }
    while (cli_pool_count(pool) > 0) {
        struct job *job = cli_pool_take(pool);
        assert_ptr_equal(job, &jobs[taken++]);
        assert_int_equal(job->done, 1);
    }
    assert_int_equal(taken, count);
}

static void test_order(void **state)
{
    (void)state;
    struct shop shop = {0};
    struct cli_pool *pool = cli_pool_new(THREADS, JOBS_MAX, work, &shop);
    assert_non_null(pool);
    run(pool, COUNT);
    assert_int_equal(atomic_load(&shop.done), COUNT);
    cli_pool_free(pool);
    cli_pool_free(NULL);
}

static void test_the_owner_does_it(void **state)
{
    (void)state;
    struct shop shop = {0};
    struct cli_pool *pool = cli_pool_new(0, JOBS_MAX, work, &shop);
    struct job job = {.number = 1};
    cli_pool_give(pool, &job);
    assert_int_equal(job.done, 1);
    assert_int_equal(job.worker, 0);
    assert_ptr_equal(cli_pool_take(pool), &job);
    run(pool, 100);
    cli_pool_free(pool);
}

/* A job at a time needs one thread, however many there might be. */
static void test_threads_only_when_needed(void **state)
{
    (void)state;
    struct shop shop = {0};
    fault_watch();
    struct cli_pool *pool = cli_pool_new(THREADS, JOBS_MAX, work, &shop);
    assert_int_equal(fault.calls[FAULT_THREAD_START], 0);
    for (int i = 0; i < 50; i++) {
        struct job job = {.number = 1};
        cli_pool_give(pool, &job);
        cli_pool_take(pool);
        usleep(1000); /* the thread becomes idle */
    }
    assert_in_range(fault.calls[FAULT_THREAD_START], 1, 2);
    cli_pool_free(pool);
}

static void test_at_the_same_time(void **state)
{
    (void)state;
    struct shop shop = {.wait = true};
    struct job jobs[2] = {{.number = 0}, {.number = 1}};
    struct cli_pool *pool = cli_pool_new(THREADS, JOBS_MAX, work, &shop);
    cli_pool_give(pool, &jobs[0]);
    cli_pool_give(pool, &jobs[1]);
    /* The second is done while the first is still being worked on. */
    while (atomic_load(&shop.done) < 1 || atomic_load(&shop.at_work) < 1) {
        usleep(100);
    }
    atomic_store(&shop.wait, false);
    assert_ptr_equal(cli_pool_take(pool), &jobs[0]);
    assert_ptr_equal(cli_pool_take(pool), &jobs[1]);
    cli_pool_free(pool);
}

static void test_dropping(void **state)
{
    (void)state;
    struct shop shop = {.wait = true};
    struct job jobs[JOBS_MAX] = {{0}};
    struct cli_pool *pool = cli_pool_new(1, JOBS_MAX, work, &shop);
    for (unsigned i = 0; i < JOBS_MAX; i++) {
        jobs[i].number = i;
        cli_pool_give(pool, &jobs[i]);
    }
    while (atomic_load(&shop.at_work) == 0) {
        usleep(100);
    }
    atomic_store(&shop.wait, false);
    cli_pool_free(pool);
    assert_int_equal(jobs[0].done, 1);
    assert_true(atomic_load(&shop.done) <= JOBS_MAX);
}

static void test_no_thread_to_be_had(void **state)
{
    (void)state;
    struct shop shop = {0};
    fault_arm(FAULT_THREAD_START, 0, EAGAIN);
    struct cli_pool *pool = cli_pool_new(THREADS, JOBS_MAX, work, &shop);
    run(pool, 100);
    /* Once is enough to know. */
    assert_int_equal(fault.calls[FAULT_THREAD_START], 1);
    cli_pool_free(pool);
}

static void test_no_memory(void **state)
{
    (void)state;
    unsigned at = 0;
    do {
        fault_arm(FAULT_RESIZE, ++at, ENOMEM);
        struct cli_pool *pool = cli_pool_new(200, 600, work, NULL);
        assert_int_equal(pool == NULL, fault.hit);
        cli_pool_free(pool);
        assert_int_equal(fault.live_blocks, 0);
    } while (fault.hit);
    assert_true(at > 2);
}

#define POOL_TEST(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        POOL_TEST(test_order),
        POOL_TEST(test_the_owner_does_it),
        POOL_TEST(test_threads_only_when_needed),
        POOL_TEST(test_at_the_same_time),
        POOL_TEST(test_dropping),
        POOL_TEST(test_no_thread_to_be_had),
        POOL_TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
