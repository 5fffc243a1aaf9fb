/*
 * Changes are announced in portions, while clients come and go and further
 * changes happen.
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
#include "support/pipeline_fixture.h"

#define LISTEN(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"subscriptions/listen\",\"params\":{"          \
    "\"notifications\":{\"toolsListChanged\":true},\"_meta\":{"                                    \
    "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                                  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"
#define CANCEL(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" id "}}"

/* A clock that moves by half a portion each time it is read. */
static uint64_t now;

static uint64_t slow_clock(void)
{
    return now += 500;
}

static struct os_sys table;

static int setup(void **state)
{
    int r = pipeline_setup(state);
    table = os_sys_real;
    table.now_us = slow_clock;
    os_sys = &table;
    return r;
}

static int teardown(void **state)
{
    os_sys = &os_sys_real;
    return pipeline_teardown(state);
}

static void stop(void *owner)
{
    loop_stop(owner);
}

/* Run the loop until everything is announced. */
static void announce_all(struct pipeline_fixture *pipeline)
{
    struct loop_timer *timer;
    assert_int_equal(loop_timer_new(pipeline->loop, stop, pipeline->loop, &timer), 0);
    do {
        loop_timer_start(timer, 1);
        assert_int_equal(loop_run(pipeline->loop), 0);
    } while (pipeline->worker->announcer.conn);
    loop_timer_close(timer);
    assert_null(pipeline->worker->announcer.waiting);
    assert_null(pipeline->worker->announcer.old);
}

#define ANNOUNCE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void set_catalog(struct pipeline_fixture *pipeline, bool is_empty)
{
    const struct catalog_options options = {0};
    struct catalog *catalog = NULL;
    const char *wrong;
    if (is_empty) {
        assert_int_equal(catalog_load(&options, NULL, NULL, NULL, &catalog, &wrong), 0);
    }
    core_worker_set_catalog(pipeline->worker, is_empty ? catalog : pipeline->catalog);
    catalog_release(catalog);
}

static void listen_four_times(struct pipeline_fixture *pipeline)
{
    pipeline_ask(pipeline, LISTEN("1"));
    pipeline_ask(pipeline, LISTEN("2"));
    pipeline_ask(pipeline, LISTEN("3"));
    pipeline_ask(pipeline, LISTEN("4"));
    assert_int_equal(pipeline->answer_count, 4);
    pipeline_forget(pipeline);
}

static void expect_notified(const struct pipeline_fixture *pipeline, const char *ids)
{
    assert_int_equal(pipeline->answer_count, strlen(ids));
    for (size_t i = 0; ids[i] != '\0'; i++) {
        const char *id = strstr(pipeline->answers[i].data, "subscriptionId\":");
        assert_non_null(id);
        assert_int_equal(id[strlen("subscriptionId\":")], ids[i]);
    }
}

static void clients_are_notified_in_portions(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    listen_four_times(pipeline);
    set_catalog(pipeline, true);
    assert_true(pipeline->answer_count < 4);
    announce_all(pipeline);
    expect_notified(pipeline, "1234");
}

struct round_counter {
    struct loop_task task; /* first */
    struct loop *loop;
    const struct pipeline_fixture *pipeline;
    unsigned rounds;
};

/* Tasks run once in a round, like all events. */
static void count_round(struct loop_task *task)
{
    struct round_counter *counter = (struct round_counter *)task;
    if (counter->pipeline->worker->announcer.conn) {
        counter->rounds++;
        loop_post(counter->loop, task);
    }
}

/* There are events between two portions: a timer that starts itself with 0 ms would let none in. */
static void events_run_between_portions(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    listen_four_times(pipeline);
    set_catalog(pipeline, true);
    struct round_counter counter = {{.run = count_round}, pipeline->loop, pipeline, 0};
    loop_post(pipeline->loop, &counter.task);
    announce_all(pipeline);
    expect_notified(pipeline, "1234");
    assert_true(counter.rounds >= 4);
}

/* Changes that come meanwhile are merged into one. */
static void further_changes_are_merged(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    listen_four_times(pipeline);
    set_catalog(pipeline, true);
    set_catalog(pipeline, false);
    set_catalog(pipeline, true);
    announce_all(pipeline);
    expect_notified(pipeline, "1234");
    set_catalog(pipeline, false);
    set_catalog(pipeline, true);
    announce_all(pipeline);
    expect_notified(pipeline, "123412341234");
}

static void cancelled_listeners_are_skipped(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    listen_four_times(pipeline);
    set_catalog(pipeline, true);
    assert_int_equal(pipeline->answer_count, 0);
    pipeline_ask(pipeline, CANCEL("1"));
    pipeline_ask(pipeline, CANCEL("3"));
    announce_all(pipeline);
    expect_notified(pipeline, "24");
}

static void closed_connections_are_skipped(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    listen_four_times(pipeline);
    set_catalog(pipeline, true);
    pipeline_reconnect(pipeline);
    assert_null(pipeline->worker->announcer.conn);
    set_catalog(pipeline, false);
    pipeline_ask(pipeline, LISTEN("5"));
    announce_all(pipeline);
    assert_int_equal(pipeline->answer_count, 1);
}

static void unreachable_clients_get_nothing(void **state)
{
    struct pipeline_fixture *pipeline = *state;
    listen_four_times(pipeline);
    pipeline->is_unreachable = true;
    set_catalog(pipeline, true);
    announce_all(pipeline);
    assert_int_equal(pipeline->answer_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ANNOUNCE_TEST(clients_are_notified_in_portions),
        ANNOUNCE_TEST(events_run_between_portions),
        ANNOUNCE_TEST(further_changes_are_merged),
        ANNOUNCE_TEST(cancelled_listeners_are_skipped),
        ANNOUNCE_TEST(closed_connections_are_skipped),
        ANNOUNCE_TEST(unreachable_clients_get_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
