#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "app/watch.h"
#include "catalog/catalog.h"
#include "loop/loop.h"
#include "unit/app/served.h"
#include "unit/os/fault.h"

static struct loop *loop;
static struct loop_timer *timer;
static struct app_watch *watch;
static struct catalog_options roots;
static unsigned changes;
static void (*on_time)(void);

static void changed(void *owner)
{
    assert_ptr_equal(owner, &changes);
    changes++;
    loop_stop(loop);
}

static void time_is_up(void *owner)
{
    (void)owner;
    if (on_time) {
        on_time();
    } else {
        loop_stop(loop);
    }
}

/* Run until something changes, or for a time. */
static void run_for(uint64_t milliseconds)
{
    loop_timer_start(timer, milliseconds);
    assert_int_equal(loop_run(loop), 0);
    loop_timer_stop(timer);
}

static int setup(void **state)
{
    served_setup(state);
    static char schemas[PATH_MAX];
    static char examples[PATH_MAX];
    snprintf(schemas, sizeof(schemas), "%s/schemas", served.path);
    snprintf(examples, sizeof(examples), "%s/examples", served.path);
    roots = (struct catalog_options){.schemas_dir = schemas, .examples_dir = examples};
    changes = 0;
    on_time = NULL;
    assert_int_equal(loop_new(&loop), 0);
    assert_int_equal(loop_timer_new(loop, time_is_up, NULL, &timer), 0);
    assert_int_equal(app_watch_new(loop, &roots, changed, &changes, &watch), 0);
    return 0;
}

static int teardown(void **state)
{
    fault_disarm();
    app_watch_free(watch);
    loop_timer_close(timer);
    loop_free(loop);
    return served_teardown(state);
}

static void test_no_change_no_callback(void **state)
{
    (void)state;
    run_for(200);
    assert_int_equal(changes, 0);
}

static void assert_noticed(void)
{
    unsigned before = changes;
    run_for(10000);
    assert_int_equal(changes, before + 1);
}

static void test_changes_are_reported(void **state)
{
    (void)state;
    tmpdir_write(&served, "schemas/lamp.schema.json", "{}");
    assert_noticed();
    tmpdir_write(&served, "schemas/new.schema.json", "{}");
    assert_noticed();
    assert_int_equal(unlinkat(served.fd, "schemas/new.schema.json", 0), 0);
    assert_noticed();
    assert_int_equal(renameat(served.fd, "examples/other.json", served.fd, "examples/a.json"), 0);
    assert_noticed();
    tmpdir_write(&served, "examples/below/bulb.json", "{}");
    assert_noticed();
    assert_int_equal(fchmodat(served.fd, "examples/a.json", 0, 0), 0);
    assert_noticed();
}

static void test_reading_is_not_a_change(void **state)
{
    (void)state;
    char byte;
    int fd = openat(served.fd, "schemas/lamp.schema.json", O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, &byte, 1), 1);
    close(fd);
    run_for(250);
    assert_int_equal(changes, 0);
}

static void test_burst_is_reported_once(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        char name[64];
        snprintf(name, sizeof(name), "examples/file-with-a-name-%u.json", i);
        tmpdir_write(&served, name, "{}");
    }
    assert_noticed();
    run_for(250);
    assert_int_equal(changes, 1);
}

static uint64_t quarrel_began;

static void quarrel(void)
{
    tmpdir_write(&served, "schemas/lamp.schema.json", "{}");
    assert_true(loop_now_ms(loop) - quarrel_began < 5000);
    loop_timer_start(timer, 20);
}

/* A directory that keeps changing is still reported. */
static void test_steady_changes_are_reported(void **state)
{
    (void)state;
    on_time = quarrel;
    quarrel_began = loop_now_ms(loop);
    run_for(0);
    assert_int_equal(changes, 1);
}

static void test_new_directories(void **state)
{
    (void)state;
    tmpdir_mkdir(&served, "examples/new");
    tmpdir_mkdir(&served, "examples/new/deep");
    assert_noticed();
    assert_int_equal(app_watch_refresh(watch), 0);
    tmpdir_write(&served, "examples/new/deep/x.json", "{}");
    assert_noticed();
}

static void test_directory_disappears(void **state)
{
    (void)state;
    assert_int_equal(renameat(served.fd, "schemas", served.fd, "elsewhere"), 0);
    assert_noticed();
    assert_int_equal(app_watch_refresh(watch), -ENOENT);
}

static void test_injected_faults(void **state)
{
    (void)state;
    static const struct fault_case faults[] = {
        {FAULT_INOTIFY_INIT, EMFILE},
        {FAULT_INOTIFY_ADD, ENOSPC},
        {FAULT_RESIZE, ENOMEM},
    };
    struct app_watch *other;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        int r = -1;
        for (unsigned at = 1; r < 0; at++) {
            fault_arm(faults[i].call, at, faults[i].error);
            r = app_watch_new(loop, &roots, changed, &changes, &other);
            bool hit = fault.hit;
            fault_disarm();
            assert_int_equal(r, hit ? -faults[i].error : 0);
        }
        app_watch_free(other);
    }
    app_watch_free(NULL);
}

#define WATCH_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WATCH_TEST(test_no_change_no_callback),
        WATCH_TEST(test_changes_are_reported),
        WATCH_TEST(test_reading_is_not_a_change),
        WATCH_TEST(test_burst_is_reported_once),
        WATCH_TEST(test_steady_changes_are_reported),
        WATCH_TEST(test_new_directories),
        WATCH_TEST(test_directory_disappears),
        WATCH_TEST(test_injected_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
