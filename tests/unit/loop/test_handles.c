#define _GNU_SOURCE /* nftw() */
#include <signal.h>

#include "loop/loop.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

/* ---- timers ---- */

struct clockwork {
    struct loop *loop;
    struct loop_timer *timer;
    struct loop_timer *end;
    unsigned fires;
};

static void fire(void *owner)
{
    ((struct clockwork *)owner)->fires++;
}

static void fire_and_close(void *owner)
{
    struct clockwork *works = owner;
    works->fires++;
    loop_timer_close(works->timer);
    works->timer = NULL;
}

static void timer_end(void *owner)
{
    loop_stop(((struct clockwork *)owner)->loop);
}

static void timer_make(struct clockwork *works, loop_fire *what)
{
    *works = (struct clockwork){0};
    assert_int_equal(loop_new(&works->loop), 0);
    assert_int_equal(loop_timer_new(works->loop, what, works, &works->timer), 0);
    assert_int_equal(loop_timer_new(works->loop, timer_end, works, &works->end), 0);
}

static void timer_run(struct clockwork *works, uint64_t milliseconds)
{
    loop_timer_start(works->end, milliseconds);
    assert_int_equal(loop_run(works->loop), 0);
}

static void timer_done(struct clockwork *works)
{
    loop_timer_close(works->timer);
    loop_timer_close(works->end);
    loop_timer_close(NULL);
    loop_free(works->loop);
}

static void test_timer_fires_once(void **state)
{
    (void)state;
    struct clockwork works;
    timer_make(&works, fire);
    loop_timer_start(works.timer, 1);
    timer_run(&works, 30);
    assert_int_equal(works.fires, 1);
    timer_done(&works);
}

static void test_timer_stopped_does_not_fire(void **state)
{
    (void)state;
    struct clockwork works;
    timer_make(&works, fire);
    loop_timer_start(works.timer, 1);
    loop_timer_stop(works.timer);
    timer_run(&works, 20);
    assert_int_equal(works.fires, 0);
    timer_done(&works);
}

static void test_timer_starting_again_moves_it(void **state)
{
    (void)state;
    struct clockwork works;
    timer_make(&works, fire);
    loop_timer_start(works.timer, 1);
    loop_timer_start(works.timer, 1000 * 1000);
    timer_run(&works, 20);
    assert_int_equal(works.fires, 0);
    loop_timer_start(works.timer, 1);
    timer_run(&works, 20);
    assert_int_equal(works.fires, 1);
    timer_done(&works);
}

static void test_timer_closed_within_its_own_call(void **state)
{
    (void)state;
    struct clockwork works;
    timer_make(&works, fire_and_close);
    loop_timer_start(works.timer, 1);
    timer_run(&works, 20);
    assert_int_equal(works.fires, 1);
    timer_done(&works);
}

static void test_timer_no_memory(void **state)
{
    (void)state;
    struct clockwork works;
    timer_make(&works, fire);
    struct loop_timer *timer;
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(loop_timer_new(works.loop, fire, NULL, &timer), -ENOMEM);
    fault_disarm();
    timer_done(&works);
}

/* ---- signals ---- */

static int last_number;

static void signalled(void *owner, int number)
{
    last_number = number;
    loop_stop(owner);
}

static void test_signal_signals_come_on_the_loop(void **state)
{
    (void)state;
    struct loop *loop;
    struct loop_signal *hangup;
    struct loop_signal *user;
    assert_int_equal(loop_new(&loop), 0);
    assert_int_equal(loop_signal_new(loop, SIGHUP, signalled, loop, &hangup), 0);
    assert_int_equal(loop_signal_new(loop, SIGUSR1, signalled, loop, &user), 0);
    raise(SIGHUP);
    assert_int_equal(last_number, 0);
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(last_number, SIGHUP);
    raise(SIGUSR1);
    assert_int_equal(loop_run(loop), 0);
    assert_int_equal(last_number, SIGUSR1);
    loop_signal_close(hangup);
    loop_signal_close(NULL);
    loop_free(loop);
}

static void test_signal_signals_that_cannot_be_had(void **state)
{
    (void)state;
    struct loop *loop;
    struct loop_signal *kill;
    fault_watch();
    assert_int_equal(loop_new(&loop), 0);
    assert_int_equal(loop_signal_new(loop, SIGKILL, signalled, loop, &kill), -EINVAL);
    assert_int_equal(loop_signal_new(loop, 0, signalled, loop, &kill), -EINVAL);
    loop_free(loop);
    assert_int_equal(fault.live_blocks, 0);
    fault_disarm();
}

static void test_signal_no_memory(void **state)
{
    (void)state;
    struct loop *loop;
    struct loop_signal *hangup;
    assert_int_equal(loop_new(&loop), 0);
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(loop_signal_new(loop, SIGHUP, signalled, loop, &hangup), -ENOMEM);
    fault_disarm();
    loop_free(loop);
}

/* ---- descriptors ---- */

struct watch {
    struct loop *loop;
    struct loop_poll *poll;
    unsigned events;
    unsigned calls;
    int error;
    int fds[2];
};

static void polled(void *owner, unsigned events, int error)
{
    struct watch *watch = owner;
    watch->events = events;
    watch->error = error;
    watch->calls++;
    loop_stop(watch->loop);
}

static void timed_out(void *owner)
{
    loop_stop(((struct watch *)owner)->loop);
}

static void poll_make(struct watch *watch, int end)
{
    *watch = (struct watch){0};
    assert_int_equal(pipe(watch->fds), 0);
    assert_int_equal(loop_new(&watch->loop), 0);
    assert_int_equal(loop_poll_new(watch->loop, watch->fds[end], polled, watch, &watch->poll), 0);
}

static void poll_done(struct watch *watch)
{
    loop_poll_close(watch->poll);
    loop_poll_close(NULL);
    loop_free(watch->loop);
    close(watch->fds[0]);
    close(watch->fds[1]);
}

static void poll_run(struct watch *watch)
{
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(watch->loop, timed_out, watch, &timer), 0);
    loop_timer_start(timer, 10);
    assert_int_equal(loop_run(watch->loop), 0);
    loop_timer_close(timer);
}

static void test_poll_readable(void **state)
{
    (void)state;
    struct watch watch;
    poll_make(&watch, 0);
    assert_int_equal(loop_poll_set(watch.poll, LOOP_POLL_READ), 0);
    poll_run(&watch);
    assert_int_equal(watch.calls, 0);
    assert_int_equal(write(watch.fds[1], "x", 1), 1);
    poll_run(&watch);
    assert_int_equal(watch.calls, 1);
    assert_int_equal(watch.events, LOOP_POLL_READ);
    assert_int_equal(watch.error, 0);
    assert_int_equal(loop_poll_set(watch.poll, 0), 0);
    poll_run(&watch);
    assert_int_equal(watch.calls, 1);
    poll_done(&watch);
}

static void test_poll_writable(void **state)
{
    (void)state;
    struct watch watch;
    poll_make(&watch, 1);
    assert_int_equal(loop_poll_set(watch.poll, LOOP_POLL_WRITE), 0);
    poll_run(&watch);
    assert_int_equal(watch.events, LOOP_POLL_WRITE);
    poll_done(&watch);
}

static void test_poll_failure_is_told(void **state)
{
    (void)state;
    struct watch watch;
    poll_make(&watch, 1);
    close(watch.fds[0]);
    watch.fds[0] = -1;
    assert_int_equal(loop_poll_set(watch.poll, LOOP_POLL_WRITE), 0);
    poll_run(&watch);
    assert_int_equal(watch.calls, 1);
    assert_true(watch.error < 0);
    poll_done(&watch);
}

static void test_poll_what_cannot_be_polled(void **state)
{
    (void)state;
    struct watch watch;
    poll_make(&watch, 0);
    struct loop_poll *poll;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(loop_poll_new(watch.loop, fd, polled, &watch, &poll), -EPERM);
    close(fd);
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(loop_poll_new(watch.loop, watch.fds[1], polled, &watch, &poll), -ENOMEM);
    fault_disarm();
    poll_done(&watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timer_fires_once),
        cmocka_unit_test(test_timer_stopped_does_not_fire),
        cmocka_unit_test(test_timer_starting_again_moves_it),
        cmocka_unit_test(test_timer_closed_within_its_own_call),
        cmocka_unit_test(test_timer_no_memory),
        cmocka_unit_test(test_signal_signals_come_on_the_loop),
        cmocka_unit_test(test_signal_signals_that_cannot_be_had),
        cmocka_unit_test(test_signal_no_memory),
        cmocka_unit_test(test_poll_readable),
        cmocka_unit_test(test_poll_writable),
        cmocka_unit_test(test_poll_failure_is_told),
        cmocka_unit_test(test_poll_what_cannot_be_polled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
