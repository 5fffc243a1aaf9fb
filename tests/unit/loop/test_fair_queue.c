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

static struct loop *loop;
static struct loop_fair_queue queue;
static struct loop_fair_item items[ITEMS];
static const char connections[] = "abcd";
static char told[64]; /* "3" item 3 was started; "-3" it was dropped */

static void note(const char *mark, const struct loop_fair_item *item)
{
    size_t size = strlen(told);
    snprintf(told + size, sizeof(told) - size, "%s%d", mark, (int)(item - items));
}

static void on_start(struct loop_fair_item *item)
{
    assert_int_equal(item->state, LOOP_FAIR_RUNNING);
    note("", item);
}

static void on_dropped(struct loop_fair_item *item)
{
    assert_int_equal(item->state, LOOP_FAIR_OUT);
    note("-", item);
}

/* @param extra_part 0: no extra places. */
static void init(size_t places, unsigned extra_part, size_t waiting_max)
{
    const struct loop_fair_options options = {
        .loop = loop,
        .places = places,
        .descriptors_part = 1,
        .extra_part = extra_part,
        .waiting_max = waiting_max,
        .start = on_start,
        .dropped = on_dropped,
    };
    loop_fair_init(&queue, &options);
}

/* Add item `i` of a connection. @return 'r' it runs, 'w' it waits, 'b' busy. */
static char enter(size_t i, size_t connection)
{
    int r = loop_fair_enter(&queue, &connections[connection], &items[i]);
    assert_true(r >= 0 || r == -EBUSY);
    return r == LOOP_FAIR_RUNNING ? 'r' : r == LOOP_FAIR_WAITING ? 'w' : 'b';
}

/* Let the loop run. @return what was told. */
static const char *serve(void)
{
    static char copy[sizeof(told)];
    while (loop_round(loop)) {
        /* loop_round() does the work */
    }
    memcpy(copy, told, sizeof(told));
    told[0] = '\0';
    return copy;
}

static void leave(size_t i)
{
    loop_fair_leave(&queue, &items[i]);
    assert_int_equal(items[i].state, LOOP_FAIR_OUT);
}

static void assert_empty(void)
{
    assert_null(queue.clients.first);
    assert_null(queue.clients.last);
    assert_int_equal(queue.running, 0);
    assert_int_equal(queue.waiting, 0);
    loop_fair_done(&queue);
}

static void test_connections_are_served_round_robin(void **state)
{
    (void)state;
    init(1, 0, ITEMS);
    assert_int_equal(enter(0, 0), 'r');
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(enter(i, 0), 'w');
    }
    assert_int_equal(enter(4, 1), 'w');
    assert_int_equal(enter(5, 1), 'w');
    assert_int_equal(enter(6, 2), 'w');
    assert_string_equal(serve(), "");
    static const char order[] = "146253";
    size_t running = 0;
    for (size_t i = 0; order[i]; i++) {
        leave(running);
        assert_int_equal(serve()[0], order[i]);
        running = (size_t)(order[i] - '0');
    }
    leave(running);
    assert_empty();
}

static void test_extra_places_are_for_connections_with_nothing_running(void **state)
{
    (void)state;
    init(2, 4, ITEMS);
    assert_int_equal(enter(0, 0), 'r');
    assert_int_equal(enter(1, 0), 'r');
    assert_int_equal(enter(2, 0), 'w');
    assert_int_equal(enter(3, 1), 'r');
    assert_int_equal(enter(4, 1), 'w');
    assert_int_equal(enter(5, 2), 'w');
    leave(3);
    assert_string_equal(
        serve(), "4"); /* its connection has nothing running any more, and was first */
    leave(0);
    assert_string_equal(serve(), "5");
    leave(1);
    leave(4);
    leave(5);
    assert_string_equal(serve(), "2");
    leave(2);
    assert_empty();
}

static void test_waiting_items_may_leave(void **state)
{
    (void)state;
    init(1, 0, ITEMS);
    assert_int_equal(enter(0, 0), 'r');
    for (size_t i = 1; i < 5; i++) {
        assert_int_equal(enter(i, 1), 'w');
    }
    leave(1);
    leave(3);
    leave(4);
    leave(0);
    assert_int_equal(enter(5, 0), 'w'); /* one that waited longer is next */
    assert_string_equal(serve(), "2");
    leave(2);
    assert_string_equal(serve(), "5");
    leave(5);
    assert_empty();
}

static void test_the_longest_queue_makes_room(void **state)
{
    (void)state;
    init(1, 0, 3);
    assert_int_equal(enter(0, 0), 'r');
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(enter(i, 0), 'w');
    }
    assert_int_equal(enter(4, 0), 'b'); /* it has the longest itself */
    assert_int_equal(enter(4, 1), 'w');
    assert_int_equal(items[3].state, LOOP_FAIR_DROPPED);
    assert_int_equal(enter(5, 1), 'b'); /* no connection has more than one more */
    assert_int_equal(enter(5, 2), 'w');
    assert_string_equal(serve(), "-3-2");
    leave(0);
    assert_string_equal(serve(), "1");
    leave(1);
    leave(4);
    leave(5);
    assert_empty();
}

/* An item that is given up before its owner is told that it was dropped is not told. */
static void test_dropped_items_may_leave(void **state)
{
    (void)state;
    init(1, 0, 2);
    assert_int_equal(enter(0, 0), 'r');
    assert_int_equal(enter(1, 0), 'w');
    assert_int_equal(enter(2, 0), 'w');
    assert_int_equal(enter(3, 1), 'w');
    assert_int_equal(items[2].state, LOOP_FAIR_DROPPED);
    leave(2);
    leave(2);
    assert_string_equal(serve(), "");
    leave(0);
    leave(1);
    leave(3);
    assert_empty();
}

/* Loops share the places, and a part of the descriptors is the most there can be. */
static void test_places(void **state)
{
    (void)state;
    struct loop_fair_options options = {
        .loop = loop, .places = 32, .loops = 4, .descriptors_part = 1, .extra_part = 4};
    loop_fair_init(&queue, &options);
    assert_int_equal(queue.places, 8);
    assert_int_equal(queue.extra_places, 3);
    options.descriptors_part = (unsigned)os_open_files_max() / 8;
    loop_fair_init(&queue, &options);
    assert_int_equal(queue.places, 2);
    options.loops = 100;
    loop_fair_init(&queue, &options);
    assert_int_equal(queue.places, 1);
}

static void test_no_memory(void **state)
{
    (void)state;
    init(1, 0, 1);
    fault_arm(FAULT_RESIZE, 1, ENOMEM);
    assert_int_equal(loop_fair_enter(&queue, connections, &items[0]), -ENOMEM);
    fault_disarm();
    assert_empty();
}

static int make_loop(void **state)
{
    (void)state;
    return loop_new(&loop);
}

static int free_loop(void **state)
{
    (void)state;
    loop_free(loop);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections_are_served_round_robin),
        cmocka_unit_test(test_extra_places_are_for_connections_with_nothing_running),
        cmocka_unit_test(test_waiting_items_may_leave),
        cmocka_unit_test(test_the_longest_queue_makes_room),
        cmocka_unit_test(test_dropped_items_may_leave),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_loop, free_loop);
}
