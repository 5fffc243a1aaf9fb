#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "loop/fair_queue.h"
#include "unit/os/fault.h"

#define ITEMS 16

static struct loop_fair_queue queue;
static struct loop_fair_item items[ITEMS];
static const char connections[] = "abcd";

/* Add item `i` of a connection. @return 'r' it runs, 'w' it waits, 'b' busy. */
static char enter(size_t i, size_t connection)
{
    struct loop_fair_item *dropped = NULL;
    int r = loop_fair_enter(&queue, &connections[connection], &items[i], &dropped);
    assert_null(dropped);
    assert_true(r >= 0 || r == -EBUSY);
    return r == LOOP_FAIR_RUNS ? 'r' : r == LOOP_FAIR_WAITS ? 'w' : 'b';
}

/* The number of the item that runs next; -1: none. */
static int next(void)
{
    const struct loop_fair_item *item = loop_fair_next(&queue);
    assert_true(!item || item->is_running);
    return item ? (int)(item - items) : -1;
}

static void leave(size_t i)
{
    loop_fair_leave(&queue, &items[i]);
    assert_null(items[i].client);
}

static void assert_empty(void)
{
    assert_null(queue.clients.first);
    assert_null(queue.clients.last);
    assert_int_equal(queue.running, 0);
    assert_int_equal(queue.waiting, 0);
}

static void test_connections_are_served_in_turn(void **state)
{
    (void)state;
    loop_fair_init(&queue, 1, 0, ITEMS);
    assert_int_equal(enter(0, 0), 'r');
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(enter(i, 0), 'w');
    }
    assert_int_equal(enter(4, 1), 'w');
    assert_int_equal(enter(5, 1), 'w');
    assert_int_equal(enter(6, 2), 'w');
    assert_int_equal(next(), -1);
    static const int order[] = {1, 4, 6, 2, 5, 3};
    size_t running = 0;
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        leave(running);
        assert_int_equal(next(), order[i]);
        assert_int_equal(next(), -1);
        running = (size_t)order[i];
    }
    leave(running);
    assert_empty();
}

static void test_extra_places_are_for_connections_with_nothing_running(void **state)
{
    (void)state;
    loop_fair_init(&queue, 2, 1, ITEMS);
    assert_int_equal(enter(0, 0), 'r');
    assert_int_equal(enter(1, 0), 'r');
    assert_int_equal(enter(2, 0), 'w');
    assert_int_equal(enter(3, 1), 'r');
    assert_int_equal(enter(4, 1), 'w');
    assert_int_equal(enter(5, 2), 'w');
    leave(3);
    assert_int_equal(next(), 4); /* its connection has nothing running any more, and was first */
    leave(0);
    assert_int_equal(next(), 5);
    assert_int_equal(next(), -1);
    leave(1);
    leave(4);
    leave(5);
    assert_int_equal(next(), 2);
    leave(2);
    assert_empty();
}

static void test_waiting_items_may_leave(void **state)
{
    (void)state;
    loop_fair_init(&queue, 1, 0, ITEMS);
    assert_int_equal(enter(0, 0), 'r');
    for (size_t i = 1; i < 5; i++) {
        assert_int_equal(enter(i, 1), 'w');
    }
    leave(1);
    leave(3);
    leave(4);
    leave(0);
    assert_int_equal(enter(5, 0), 'w'); /* one that waited longer is next */
    assert_int_equal(next(), 2);
    leave(2);
    assert_int_equal(next(), 5);
    leave(5);
    assert_empty();
}

static void test_the_longest_queue_makes_room(void **state)
{
    (void)state;
    loop_fair_init(&queue, 1, 0, 3);
    assert_int_equal(enter(0, 0), 'r');
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(enter(i, 0), 'w');
    }
    assert_int_equal(enter(4, 0), 'b'); /* it has the longest itself */
    struct loop_fair_item *dropped = NULL;
    assert_int_equal(
        loop_fair_enter(&queue, &connections[1], &items[4], &dropped), LOOP_FAIR_WAITS);
    assert_ptr_equal(dropped, &items[3]);
    assert_null(items[3].client);
    assert_int_equal(enter(5, 1), 'b'); /* nobody has more than one more */
    assert_int_equal(
        loop_fair_enter(&queue, &connections[2], &items[5], &dropped), LOOP_FAIR_WAITS);
    assert_ptr_equal(dropped, &items[2]);
    leave(0);
    assert_int_equal(next(), 1);
    leave(1);
    leave(4);
    leave(5);
    assert_empty();
}

static void test_no_memory(void **state)
{
    (void)state;
    struct loop_fair_item *dropped;
    loop_fair_init(&queue, 1, 0, 1);
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(loop_fair_enter(&queue, connections, &items[0], &dropped), -ENOMEM);
    fault_disarm();
    assert_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections_are_served_in_turn),
        cmocka_unit_test(test_extra_places_are_for_connections_with_nothing_running),
        cmocka_unit_test(test_waiting_items_may_leave),
        cmocka_unit_test(test_the_longest_queue_makes_room),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
