#define _GNU_SOURCE /* memfd_create() */
#include "cli/progress.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"

static uint64_t now;
static int fd;
static char said[RUN_TEXT_MAX];

static uint64_t fake_now(void)
{
    return now;
}

static int set_up(void **state)
{
    (void)state;
    fault_watch();
    fault_sys.now_ms = fake_now;
    now = 5000;
    fd = run_memfd("");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    close(fd);
    return 0;
}

/* What has been drawn since the last time. */
static const char *drawn(void)
{
    run_take(fd, said);
    return said;
}

static struct app_progress started(uint64_t total)
{
    struct app_progress progress;
    close(fd);
    fd = run_memfd("");
    app_progress_init(&progress, fd, total);
    return progress;
}

static void test_drawing(void **state)
{
    (void)state;
    struct app_progress progress = started(1000);
    now += 1000;
    app_progress_update(&progress, 40, 250);
    assert_string_equal(
        drawn(), "\r[#####...............]  25%  40 documents  40/s  0:03 left\033[K");
}

static void test_remaining_time(void **state)
{
    (void)state;
    struct app_progress progress = started(100000);
    now += 1000;
    app_progress_update(&progress, 7, 1000);
    assert_non_null(strstr(drawn(), "]   1%  7 documents  7/s  1:39 left"));
    progress = started(100000);
    now += 1000;
    app_progress_update(&progress, 7, 10);
    assert_non_null(strstr(drawn(), "]   0%  7 documents  7/s  2:46:39 left"));
}

static void test_unknown_total(void **state)
{
    (void)state;
    struct app_progress progress = started(0);
    now += 500;
    app_progress_update(&progress, 1000, 250);
    assert_string_equal(drawn(), "\r1000 documents  2000/s\033[K");
}

static void test_before_anything_is_done(void **state)
{
    (void)state;
    struct app_progress progress = started(1000);
    now += 500;
    app_progress_update(&progress, 0, 0);
    assert_string_equal(drawn(), "\r0 documents  0/s\033[K");
}

/* A file that grew meanwhile. */
static void test_more_than_all(void **state)
{
    (void)state;
    struct app_progress progress = started(10);
    now += 500;
    app_progress_update(&progress, 5, 100);
    assert_string_equal(
        drawn(), "\r[####################] 100%  5 documents  10/s  0:00 left\033[K");
}

static void test_not_too_often(void **state)
{
    (void)state;
    struct app_progress progress = started(1000);
    unsigned drawings[500] = {0};
    for (unsigned ms = 0; ms < 500; ms++, now++) {
        unsigned before = fault.calls[FAULT_WRITE];
        app_progress_update(&progress, ms, ms);
        drawings[ms] = fault.calls[FAULT_WRITE] - before;
    }
    for (unsigned ms = 0; ms < 500; ms++) {
        assert_int_equal(drawings[ms], ms >= 200 && ms % 100 == 0);
    }
}

static void test_hiding(void **state)
{
    (void)state;
    struct app_progress progress = started(0);
    app_progress_hide(&progress);
    now += 1000;
    app_progress_update(&progress, 1, 1);
    app_progress_hide(&progress);
    app_progress_hide(&progress);
    assert_string_equal(drawn(), "\r1 documents  1/s\033[K\r\033[K");
}

static void test_nowhere(void **state)
{
    (void)state;
    struct app_progress progress;
    app_progress_init(&progress, -1, 100);
    now += 1000;
    app_progress_update(&progress, 1, 1);
    app_progress_hide(&progress);
    assert_int_equal(fault.calls[FAULT_WRITE], 0);
}

static void test_failing_to_draw(void **state)
{
    (void)state;
    struct app_progress progress = started(100);
    fault_arm(FAULT_WRITE, 0, EIO);
    fault_sys.now_ms = fake_now;
    now += 1000;
    app_progress_update(&progress, 1, 1);
    app_progress_hide(&progress);
    assert_int_equal(fault.calls[FAULT_WRITE], 2);
}

#define PROGRESS_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROGRESS_TEST(test_drawing),
        PROGRESS_TEST(test_remaining_time),
        PROGRESS_TEST(test_unknown_total),
        PROGRESS_TEST(test_before_anything_is_done),
        PROGRESS_TEST(test_more_than_all),
        PROGRESS_TEST(test_not_too_often),
        PROGRESS_TEST(test_hiding),
        PROGRESS_TEST(test_nowhere),
        PROGRESS_TEST(test_failing_to_draw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
