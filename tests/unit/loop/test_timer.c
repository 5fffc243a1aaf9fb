#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loop/loop.h"
#include "unit/os/fault.h"

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

static void end(void *owner)
{
    loop_stop(((struct clockwork *)owner)->loop);
}

static void make(struct clockwork *works, loop_fire *what)
{
    *works = (struct clockwork){0};
    assert_int_equal(loop_new(&works->loop), 0);
    assert_int_equal(loop_timer_new(works->loop, what, works, &works->timer), 0);
    assert_int_equal(loop_timer_new(works->loop, end, works, &works->end), 0);
}

static void run(struct clockwork *works, uint64_t milliseconds)
{
    loop_timer_start(works->end, milliseconds);
    assert_int_equal(loop_run(works->loop), 0);
}

static void done(struct clockwork *works)
{
    loop_timer_close(works->timer);
    loop_timer_close(works->end);
    loop_timer_close(NULL);
    loop_free(works->loop);
}

static void test_fires_once(void **state)
{
    (void)state;
    struct clockwork works;
    make(&works, fire);
    loop_timer_start(works.timer, 1);
    run(&works, 30);
    assert_int_equal(works.fires, 1);
    done(&works);
}

static void test_stopped_does_not_fire(void **state)
{
    (void)state;
    struct clockwork works;
    make(&works, fire);
    loop_timer_start(works.timer, 1);
    loop_timer_stop(works.timer);
    run(&works, 20);
    assert_int_equal(works.fires, 0);
    done(&works);
}

static void test_starting_again_moves_it(void **state)
{
    (void)state;
    struct clockwork works;
    make(&works, fire);
    loop_timer_start(works.timer, 1);
    loop_timer_start(works.timer, 1000 * 1000);
    run(&works, 20);
    assert_int_equal(works.fires, 0);
    loop_timer_start(works.timer, 1);
    run(&works, 20);
    assert_int_equal(works.fires, 1);
    done(&works);
}

static void test_closed_within_its_own_call(void **state)
{
    (void)state;
    struct clockwork works;
    make(&works, fire_and_close);
    loop_timer_start(works.timer, 1);
    run(&works, 20);
    assert_int_equal(works.fires, 1);
    done(&works);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct clockwork works;
    make(&works, fire);
    struct loop_timer *timer;
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(loop_timer_new(works.loop, fire, NULL, &timer), -ENOMEM);
    fault_disarm();
    done(&works);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fires_once),
        cmocka_unit_test(test_stopped_does_not_fire),
        cmocka_unit_test(test_starting_again_moves_it),
        cmocka_unit_test(test_closed_within_its_own_call),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
