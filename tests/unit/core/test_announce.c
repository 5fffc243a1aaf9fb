/*
 * Changes are told in portions: clients that come and go meanwhile, and changes
 * that come while the one before is still being told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "catalog/catalog.h"
#include "core/announce.h"
#include "core/worker_state.h"
#include "loop/loop.h"
#include "os/sys.h"
#include "support/corridor.h"

#define LISTEN(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"subscriptions/listen\",\"params\":{"          \
    "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{"                                    \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

/* A clock by which each look at it takes as long as half a portion. */
static uint64_t now;

static uint64_t slow_clock(void)
{
    return now += 500;
}

static struct os_sys table;

static int setup(void **state)
{
    int r = corridor_setup(state);
    table = os_sys_real;
    table.now_us = slow_clock;
    os_sys = &table;
    return r;
}

static int teardown(void **state)
{
    os_sys = &os_sys_real;
    return corridor_teardown(state);
}

static void stop(void *owner)
{
    loop_stop(owner);
}

/* Run the loop until nothing is being told. */
static void tell_all(struct corridor *corridor)
{
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(corridor->loop, stop, corridor->loop, &timer), 0);
    do {
        loop_timer_start(timer, 1);
        assert_int_equal(loop_run(corridor->loop), 0);
    } while (corridor->worker->announcer.conn);
    loop_timer_close(timer);
    assert_null(corridor->worker->announcer.waiting);
    assert_null(corridor->worker->announcer.old);
}

#define ANNOUNCE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void set_catalog(struct corridor *corridor, bool is_empty)
{
    const struct catalog_options options = {0};
    struct catalog *catalog = NULL;
    const char *wrong;
    if (is_empty) {
        assert_int_equal(catalog_load(&options, NULL, NULL, NULL, &catalog, &wrong), 0);
    }
    core_worker_set_catalog(corridor->worker, is_empty ? catalog : corridor->catalog);
    catalog_release(catalog);
}

static void listen_four_times(struct corridor *corridor)
{
    corridor_ask(corridor, LISTEN("1"));
    corridor_ask(corridor, LISTEN("2"));
    corridor_ask(corridor, LISTEN("3"));
    corridor_ask(corridor, LISTEN("4"));
    assert_int_equal(corridor->answer_count, 4);
    corridor_forget(corridor);
}

static void expect_told(const struct corridor *corridor, const char *ids)
{
    assert_int_equal(corridor->answer_count, strlen(ids));
    for (size_t i = 0; ids[i] != '\0'; i++) {
        const char *id = strstr(corridor->answers[i].data, "subscriptionId\":");
        assert_non_null(id);
        assert_int_equal(id[strlen("subscriptionId\":")], ids[i]);
    }
}

static void all_are_told_in_portions(void **state)
{
    struct corridor *corridor = *state;
    listen_four_times(corridor);
    set_catalog(corridor, true);
    assert_true(corridor->answer_count < 4);
    tell_all(corridor);
    expect_told(corridor, "1234");
}

struct round_counter {
    struct loop_task task; /* first */
    struct loop *loop;
    const struct corridor *corridor;
    unsigned rounds;
};

/* Tasks run once in a round, like all events. */
static void count_round(struct loop_task *task)
{
    struct round_counter *counter = (struct round_counter *)task;
    if (counter->corridor->worker->announcer.conn) {
        counter->rounds++;
        loop_post(counter->loop, task);
    }
}

/* There are events between two portions: a timer that starts itself with 0 ms would let none in. */
static void others_have_their_time_between_portions(void **state)
{
    struct corridor *corridor = *state;
    listen_four_times(corridor);
    set_catalog(corridor, true);
    struct round_counter counter = {{.run = count_round}, corridor->loop, corridor, 0};
    loop_post(corridor->loop, &counter.task);
    tell_all(corridor);
    expect_told(corridor, "1234");
    assert_true(counter.rounds >= 4);
}

/* Two changes that come meanwhile are one: what was told last and what there is now decide. */
static void further_changes_wait_and_join(void **state)
{
    struct corridor *corridor = *state;
    listen_four_times(corridor);
    set_catalog(corridor, true);
    set_catalog(corridor, false);
    set_catalog(corridor, true);
    tell_all(corridor);
    expect_told(corridor, "1234");
    set_catalog(corridor, false);
    set_catalog(corridor, true);
    tell_all(corridor);
    expect_told(corridor, "123412341234");
}

static void who_stops_listening_meanwhile_is_not_told(void **state)
{
    struct corridor *corridor = *state;
    listen_four_times(corridor);
    set_catalog(corridor, true);
    assert_int_equal(corridor->answer_count, 0);
    corridor_ask(corridor, CANCEL("1"));
    corridor_ask(corridor, CANCEL("3"));
    tell_all(corridor);
    expect_told(corridor, "24");
}

static void who_leaves_meanwhile_is_not_told(void **state)
{
    struct corridor *corridor = *state;
    listen_four_times(corridor);
    set_catalog(corridor, true);
    corridor_reconnect(corridor);
    assert_null(corridor->worker->announcer.conn);
    set_catalog(corridor, false);
    corridor_ask(corridor, LISTEN("5"));
    tell_all(corridor);
    assert_int_equal(corridor->answer_count, 1);
}

/* Nothing is written for a connection that cannot be sent anything. */
static void who_is_lost_is_not_told(void **state)
{
    struct corridor *corridor = *state;
    listen_four_times(corridor);
    corridor->is_deaf = true;
    set_catalog(corridor, true);
    tell_all(corridor);
    assert_int_equal(corridor->answer_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ANNOUNCE_TEST(all_are_told_in_portions),
        ANNOUNCE_TEST(others_have_their_time_between_portions),
        ANNOUNCE_TEST(further_changes_wait_and_join),
        ANNOUNCE_TEST(who_stops_listening_meanwhile_is_not_told),
        ANNOUNCE_TEST(who_leaves_meanwhile_is_not_told),
        ANNOUNCE_TEST(who_is_lost_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
