#define _GNU_SOURCE /* nftw() */
#include "loop/loop.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

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

static void make(struct watch *watch, int end)
{
    *watch = (struct watch){0};
    assert_int_equal(pipe(watch->fds), 0);
    assert_int_equal(loop_new(&watch->loop), 0);
    assert_int_equal(loop_poll_new(watch->loop, watch->fds[end], polled, watch, &watch->poll), 0);
}

static void done(struct watch *watch)
{
    loop_poll_close(watch->poll);
    loop_poll_close(NULL);
    loop_free(watch->loop);
    close(watch->fds[0]);
    close(watch->fds[1]);
}

static void run(struct watch *watch)
{
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(watch->loop, timed_out, watch, &timer), 0);
    loop_timer_start(timer, 10);
    assert_int_equal(loop_run(watch->loop), 0);
    loop_timer_close(timer);
}

static void test_readable(void **state)
{
    (void)state;
    struct watch watch;
    make(&watch, 0);
    assert_int_equal(loop_poll_set(watch.poll, LOOP_POLL_READ), 0);
    run(&watch);
    assert_int_equal(watch.calls, 0);
    assert_int_equal(write(watch.fds[1], "x", 1), 1);
    run(&watch);
    assert_int_equal(watch.calls, 1);
    assert_int_equal(watch.events, LOOP_POLL_READ);
    assert_int_equal(watch.error, 0);
    assert_int_equal(loop_poll_set(watch.poll, 0), 0);
    run(&watch);
    assert_int_equal(watch.calls, 1);
    done(&watch);
}

static void test_writable(void **state)
{
    (void)state;
    struct watch watch;
    make(&watch, 1);
    assert_int_equal(loop_poll_set(watch.poll, LOOP_POLL_WRITE), 0);
    run(&watch);
    assert_int_equal(watch.events, LOOP_POLL_WRITE);
    done(&watch);
}

static void test_failure_is_told(void **state)
{
    (void)state;
    struct watch watch;
    make(&watch, 1);
    close(watch.fds[0]);
    watch.fds[0] = -1;
    assert_int_equal(loop_poll_set(watch.poll, LOOP_POLL_WRITE), 0);
    run(&watch);
    assert_int_equal(watch.calls, 1);
    assert_true(watch.error < 0);
    done(&watch);
}

static void test_what_cannot_be_polled(void **state)
{
    (void)state;
    struct watch watch;
    make(&watch, 0);
    struct loop_poll *poll;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(loop_poll_new(watch.loop, fd, polled, &watch, &poll), -EPERM);
    close(fd);
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(loop_poll_new(watch.loop, watch.fds[1], polled, &watch, &poll), -ENOMEM);
    fault_disarm();
    done(&watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readable),
        cmocka_unit_test(test_writable),
        cmocka_unit_test(test_failure_is_told),
        cmocka_unit_test(test_what_cannot_be_polled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
