#define _GNU_SOURCE
#include "cli/log_trail.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct app_log_trail trail;
static char latest[PATH_MAX];

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    snprintf(latest, sizeof(latest), "%s", tmpdir_path(&dir, ".latest"));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    tmpdir_remove(&dir);
    return 0;
}

static void point_latest(const char *target)
{
    tmpdir_link(&dir, target, ".next");
    assert_int_equal(renameat(dir.fd, ".next", dir.fd, ".latest"), 0);
}

static void assert_reads(const char *expected)
{
    char text[16] = "";
    assert_true(read(trail.fd, text, sizeof(text) - 1) >= 0);
    assert_string_equal(text, expected);
}

static void test_from_file_to_file(void **state)
{
    (void)state;
    tmpdir_write(&dir, "1.jsonl", "a");
    point_latest("1.jsonl");
    assert_int_equal(app_log_trail_open(&trail, latest), 0);
    assert_string_equal(trail.name, "1.jsonl");
    assert_reads("a");
    assert_false(app_log_trail_has_more(&trail));
    tmpdir_write(&dir, "2.jsonl", "b");
    tmpdir_write(&dir, "3.jsonl", "c");
    tmpdir_write(&dir, "2x", "x");
    assert_false(app_log_trail_has_more(&trail));
    point_latest("3.jsonl");
    assert_true(app_log_trail_has_more(&trail));
    assert_int_equal(app_log_trail_next(&trail), 1);
    assert_reads("b");
    assert_true(app_log_trail_has_more(&trail));
    assert_int_equal(app_log_trail_next(&trail), 1);
    assert_reads("c");
    assert_false(app_log_trail_has_more(&trail));
    app_log_trail_close(&trail);
}

static void test_gone(void **state)
{
    (void)state;
    assert_int_equal(app_log_trail_open(&trail, latest), -ENOENT);
    point_latest("1.jsonl");
    assert_int_equal(app_log_trail_open(&trail, latest), -ENOENT);
    tmpdir_write(&dir, "1.jsonl", "a");
    assert_int_equal(app_log_trail_open(&trail, latest), 0);
    point_latest("2.jsonl"); /* which is not there */
    assert_false(app_log_trail_has_more(&trail));
    assert_int_equal(app_log_trail_next(&trail), 0);
    assert_reads("a");
    app_log_trail_close(&trail);
}

static void test_trouble(void **state)
{
    (void)state;
    tmpdir_write(&dir, "1.jsonl", "a");
    tmpdir_write(&dir, "2.jsonl", "b");
    point_latest("1.jsonl");
    assert_int_equal(app_log_trail_open(&trail, latest), 0);
    point_latest("2.jsonl");
    /* Without the directory the link has to do. */
    fault_arm(FAULT_OPENAT, 1, EMFILE);
    assert_int_equal(app_log_trail_next(&trail), 1);
    assert_true(fault.hit);
    fault_disarm();
    assert_reads("b");
    tmpdir_write(&dir, "3.jsonl", "c");
    fault_arm(FAULT_OPENAT, 2, EACCES);
    assert_int_equal(app_log_trail_next(&trail), -EACCES);
    fault_arm(FAULT_FSTAT, 1, EIO);
    assert_false(app_log_trail_has_more(&trail));
    fault_disarm();
    app_log_trail_close(&trail);
}

static void test_a_name_that_is_too_long(void **state)
{
    (void)state;
    static char deep[PATH_MAX + 16];
    static const char target[] = "1234567890123456789012345678901234567890.jsonl";
    size_t size = strlen(dir.path);
    memcpy(deep, dir.path, size);
    for (; size < PATH_MAX - 20; size += 2) {
        memcpy(deep + size, "/.", 3);
    }
    snprintf(deep + size, sizeof(deep) - size, "/.latest");
    tmpdir_write(&dir, target, "a");
    point_latest(target);
    assert_int_equal(app_log_trail_open(&trail, deep), -ENAMETOOLONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_from_file_to_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_trouble, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_name_that_is_too_long, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
