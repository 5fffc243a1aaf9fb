#define _GNU_SOURCE /* usleep() */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "loop/loop.h"
#include "unit/os/fault.h"

static int setup(void **state)
{
    return loop_new((struct loop **)state);
}

static int teardown(void **state)
{
    fault_disarm();
    loop_free(*state);
    return 0;
}

#define LOOP_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* ---- the mailbox ---- */

struct task {
    struct loop_task task;
    struct loop *loop;
    unsigned sender;
    unsigned number;
};

enum {
    SENDERS = 4,
    TASKS = 2000
};

static unsigned received[SENDERS];
static unsigned received_all;

static void run_and_count(struct loop_task *opened)
{
    struct task *task = (struct task *)opened;
    assert_int_equal(task->number, received[task->sender]);
    received[task->sender]++;
    if (++received_all == SENDERS * TASKS) {
        loop_stop(task->loop);
    }
}

static struct task tasks[SENDERS][TASKS];

static void *send_all(void *argument)
{
    struct task *mine = argument;
    for (unsigned i = 0; i < TASKS; i++) {
        loop_post(mine[i].loop, &mine[i].task);
    }
    return NULL;
}

/* All tasks arrive, once, those of a sender in order. */
static void test_tasks_of_many_threads(void **state)
{
    pthread_t threads[SENDERS];
    received_all = 0;
    for (unsigned i = 0; i < SENDERS; i++) {
        received[i] = 0;
        for (unsigned j = 0; j < TASKS; j++) {
            tasks[i][j] = (struct task){{.run = run_and_count}, *state, i, j};
        }
        assert_int_equal(pthread_create(&threads[i], NULL, send_all, tasks[i]), 0);
    }
    assert_int_equal(loop_run(*state), 0);
    for (unsigned i = 0; i < SENDERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(received[i], TASKS);
    }
}

static void run_once(struct loop_task *opened)
{
    received_all++;
    loop_stop(((struct task *)opened)->loop);
}

static void run_and_post_again(struct loop_task *opened)
{
    struct task *task = (struct task *)opened;
    task->task.run = run_once;
    loop_post(task->loop, opened);
}

static void test_task_may_be_posted_again_when_opened(void **state)
{
    struct task task = {.task = {.run = run_and_post_again}, .loop = *state};
    received_all = 0;
    loop_post(*state, &task.task);
    assert_int_equal(loop_run(*state), 0);
    assert_int_equal(received_all, 1);
}

static void run_and_free(struct loop_task *opened)
{
    received_all++;
    free(opened);
}

/* A posted task runs, at the latest when the loop is freed. */
static void test_tasks_left_are_opened_at_the_end(void **state)
{
    (void)state;
    struct loop *loop;
    assert_int_equal(loop_new(&loop), 0);
    received_all = 0;
    for (int i = 0; i < 3; i++) {
        struct task *task = calloc(1, sizeof(*task));
        task->task.run = run_and_free;
        loop_post(loop, &task->task);
    }
    loop_free(loop);
    assert_int_equal(received_all, 3);
}

/* ---- the end of a round ---- */

struct job {
    struct loop_deferred deferred;
    struct loop *loop;
    unsigned runs;
    unsigned runs_wanted;
    struct job *also;
    bool stops;
};

static void run_job(struct loop_deferred *deferred)
{
    struct job *job = (struct job *)deferred;
    job->runs++;
    if (job->runs < job->runs_wanted) {
        loop_defer(job->loop, LOOP_WORK, deferred);
    }
    if (job->also) {
        loop_defer(job->loop, LOOP_WORK, &job->also->deferred);
    }
    if (job->stops && job->runs == job->runs_wanted) {
        loop_stop(job->loop);
    }
}

static void test_later_runs_once_however_often_it_is_asked(void **state)
{
    struct job job = {
        .deferred = {.run = run_job}, .loop = *state, .runs_wanted = 1, .stops = true};
    loop_defer(*state, LOOP_WORK, &job.deferred);
    loop_defer(*state, LOOP_WORK, &job.deferred);
    assert_int_equal(loop_run(*state), 0);
    assert_int_equal(job.runs, 1);
}

/* Work deferred meanwhile is done before the loop waits, because it would wait for ever. */
static void test_later_asked_for_by_a_later(void **state)
{
    struct job second = {
        .deferred = {.run = run_job}, .loop = *state, .runs_wanted = 1, .stops = true};
    struct job first = {
        .deferred = {.run = run_job}, .loop = *state, .runs_wanted = 1, .also = &second};
    loop_defer(*state, LOOP_WORK, &first.deferred);
    assert_int_equal(loop_run(*state), 0);
    assert_int_equal(first.runs, 1);
    assert_int_equal(second.runs, 1);
}

static char steps_run[16];
static size_t step_count;

static void note_work(struct loop_deferred *deferred)
{
    (void)deferred;
    steps_run[step_count++] = 'w';
}

static void note_sending(struct loop_deferred *deferred)
{
    (void)deferred;
    steps_run[step_count++] = 's';
}

/* However they were asked for, all work comes first. What sending leads to is of the next round. */
static void test_steps_come_in_order(void **state)
{
    struct job last = {
        .deferred = {.run = run_job}, .loop = *state, .runs_wanted = 1, .stops = true};
    struct job also = {
        .deferred = {.run = run_job}, .loop = *state, .runs_wanted = 1, .also = &last};
    struct loop_deferred work[] = {{.run = note_work}, {.run = note_work}};
    struct loop_deferred sending[] = {{.run = note_sending}, {.run = note_sending}};
    for (size_t i = 0; i < 2; i++) {
        loop_defer(*state, LOOP_SEND, &sending[i]);
        loop_defer(*state, LOOP_WORK, &work[i]);
    }
    loop_defer(*state, LOOP_SEND, &also.deferred);
    assert_int_equal(loop_run(*state), 0);
    assert_string_equal(steps_run, "wwss");
    assert_int_equal(last.runs, 1);
}

struct left_over {
    struct loop_deferred deferred; /* first */
    struct loop_deferred work;
    struct loop_deferred send;
    struct loop *loop;
};

static void note_left_over(struct loop_deferred *deferred)
{
    struct left_over *left_over = (struct left_over *)deferred;
    steps_run[step_count++] = 'l';
    if (step_count >= 9) {
        loop_stop(left_over->loop);
        return;
    }
    loop_defer(left_over->loop, LOOP_NEXT_ROUND, deferred);
    loop_defer(left_over->loop, LOOP_SEND, &left_over->send);
    loop_defer(left_over->loop, LOOP_WORK, &left_over->work);
}

/* Work that is new, and its answer, do not wait for work that is left over. */
static void test_left_over_work_comes_last(void **state)
{
    struct left_over left_over = {
        .deferred = {.run = note_left_over},
        .work = {.run = note_work},
        .send = {.run = note_sending},
        .loop = *state,
    };
    memset(steps_run, 0, sizeof(steps_run));
    step_count = 0;
    loop_defer(*state, LOOP_NEXT_ROUND, &left_over.deferred);
    loop_defer(*state, LOOP_WORK, &left_over.work);
    loop_defer(*state, LOOP_SEND, &left_over.send);
    assert_int_equal(loop_run(*state), 0);
    assert_string_equal(steps_run, "wslwslwsl");
}

static void note_long_left_over(struct loop_deferred *deferred)
{
    struct left_over *left_over = (struct left_over *)deferred;
    usleep(2 * LOOP_NEXT_ROUND_US);
    steps_run[step_count++] = 'l';
    loop_defer(left_over->loop, LOOP_WORK, &left_over->work);
    if (step_count >= 5) {
        loop_stop(left_over->loop);
    }
}

/* Much left-over work, of many: none is lost, and new work waits for one piece at most. */
static void test_left_over_work_is_done_for_a_limited_time(void **state)
{
    struct left_over left_over[3];
    memset(steps_run, 0, sizeof(steps_run));
    step_count = 0;
    for (size_t i = 0; i < 3; i++) {
        left_over[i] = (struct left_over){
            .deferred = {.run = note_long_left_over}, .work = {.run = note_work}, .loop = *state};
        loop_defer(*state, LOOP_NEXT_ROUND, &left_over[i].deferred);
    }
    assert_int_equal(loop_run(*state), 0);
    assert_string_equal(steps_run, "lwlwl");
    (void)loop_round(*state); /* the last one's work */
}

static void fire_and_count(void *owner)
{
    ++*(unsigned *)owner;
}

static void fire_and_stop(void *owner)
{
    loop_stop(owner);
}

/* One that asks for itself again and again does not keep others from their turn. */
static void test_later_does_not_starve_timers(void **state)
{
    struct job job = {
        .deferred = {.run = run_job}, .loop = *state, .runs_wanted = 1000 * 1000 * 1000};
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(*state, fire_and_stop, *state, &timer), 0);
    loop_timer_start(timer, 5);
    loop_defer(*state, LOOP_WORK, &job.deferred);
    assert_int_equal(loop_run(*state), 0);
    assert_true(job.runs > 1);
    job.runs_wanted = job.runs + 1;
    job.stops = true;
    assert_int_equal(loop_run(*state), 0);
}

static void test_laters_left_run_at_the_end(void **state)
{
    (void)state;
    struct loop *loop;
    assert_int_equal(loop_new(&loop), 0);
    struct job job = {.deferred = {.run = run_job}, .loop = loop, .runs_wanted = 3};
    loop_defer(loop, LOOP_WORK, &job.deferred);
    loop_free(loop);
    assert_int_equal(job.runs, 3);
}

/* Freeing a loop drops only deferred and posted tasks; there are no timers left. */
static void test_rounds_of_a_loop_that_does_not_run(void **state)
{
    struct task again = {.task = {.run = run_and_post_again}, .loop = *state};
    struct job job = {.deferred = {.run = run_job}, .loop = *state, .runs_wanted = 2};
    struct loop_timer *timer;
    unsigned fired = 0;
    assert_int_equal(loop_timer_new(*state, fire_and_count, &fired, &timer), 0);
    loop_timer_start(timer, 0);
    received_all = 0;
    assert_false(loop_round(*state));
    loop_post(*state, &again.task);
    loop_defer(*state, LOOP_WORK, &job.deferred);
    assert_true(loop_round(*state));
    assert_int_equal(job.runs, 1);
    assert_int_equal(received_all, 0);
    assert_false(loop_round(*state));
    assert_int_equal(job.runs, 2);
    assert_int_equal(received_all, 1);
    assert_int_equal(fired, 0);
}

/* ---- life ---- */

static void test_freeing_one_that_was_stopped(void **state)
{
    (void)state;
    struct loop *loop;
    struct loop_timer *timer;
    assert_int_equal(loop_new(&loop), 0);
    assert_int_equal(loop_timer_new(loop, fire_and_stop, loop, &timer), 0);
    loop_stop(loop);
    loop_free(loop);
}

static void test_freeing_nothing(void **state)
{
    (void)state;
    loop_free(NULL);
}

static void test_making_fails_cleanly(void **state)
{
    (void)state;
    unsigned failures = 0;
    for (unsigned at = 1;; at++) {
        struct loop *loop = NULL;
        fault_arm(FAULT_RESIZE, at, ENOMEM);
        int r = loop_new(&loop);
        bool hit = fault.hit;
        loop_free(loop);
        assert_int_equal(fault.live_blocks, 0);
        fault_disarm();
        if (!hit) {
            assert_int_equal(r, 0);
            break;
        }
        assert_true(r == 0 || r == -ENOMEM);
        failures += r == -ENOMEM;
    }
    assert_true(failures >= 2);
}

static void fire_nothing(void *owner)
{
    (void)owner;
}

static void test_what_is_left_open_is_closed(void **state)
{
    (void)state;
    fault_watch();
    struct loop *loop;
    struct loop_timer *timer;
    assert_int_equal(loop_new(&loop), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(loop_timer_new(loop, fire_nothing, NULL, &timer), 0);
        loop_timer_start(timer, 1000 * 1000);
    }
    loop_timer_close(timer);
    loop_free(loop);
    assert_int_equal(fault.live_blocks, 0);
}

static void test_clock(void **state)
{
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(*state, fire_and_stop, *state, &timer), 0);
    uint64_t before = loop_now_ms(*state);
    loop_timer_start(timer, 20);
    assert_int_equal(loop_run(*state), 0);
    assert_true(loop_now_ms(*state) >= before + 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LOOP_TEST(test_tasks_of_many_threads),
        LOOP_TEST(test_task_may_be_posted_again_when_opened),
        cmocka_unit_test(test_tasks_left_are_opened_at_the_end),
        LOOP_TEST(test_later_runs_once_however_often_it_is_asked),
        LOOP_TEST(test_later_asked_for_by_a_later),
        LOOP_TEST(test_steps_come_in_order),
        LOOP_TEST(test_left_over_work_comes_last),
        LOOP_TEST(test_left_over_work_is_done_for_a_limited_time),
        LOOP_TEST(test_later_does_not_starve_timers),
        cmocka_unit_test(test_laters_left_run_at_the_end),
        LOOP_TEST(test_rounds_of_a_loop_that_does_not_run),
        cmocka_unit_test(test_freeing_one_that_was_stopped),
        cmocka_unit_test(test_freeing_nothing),
        cmocka_unit_test(test_making_fails_cleanly),
        cmocka_unit_test(test_what_is_left_open_is_closed),
        LOOP_TEST(test_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
