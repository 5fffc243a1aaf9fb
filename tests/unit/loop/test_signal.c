#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loop/loop.h"
#include "unit/os/fault.h"

static int last_number;

static void signalled(void *owner, int number)
{
    last_number = number;
    loop_stop(owner);
}

static void test_signals_come_on_the_loop(void **state)
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

static void test_signals_that_cannot_be_had(void **state)
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

static void test_no_memory(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals_come_on_the_loop),
        cmocka_unit_test(test_signals_that_cannot_be_had),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
