#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "cli/scaffold.h"
#include "unit/app/run.h"
#include "unit/os/in_tmpdir.h"

static const struct scaffold_file two[] = {
    {.path = "a/b/%s.txt", .text = "%s and '%s' and %s\n"},
    {.path = "%s.sh", .text = "#!/bin/sh\n", .is_program = true},
};

static char said[RUN_TEXT_MAX];

static int make(const char *directory, const char *name)
{
    struct app_cli cli = {.command = "init", .err_fd = run_memfd("")};
    int r = app_scaffold_make(&cli, directory, name, two, 2);
    run_take(cli.err_fd, said);
    return r;
}

static bool is_there(const char *name)
{
    return access(tmpdir_path(&dir, name), F_OK) == 0;
}

static void test_files_are_made_with_the_name(void **state)
{
    (void)state;
    char text[64] = {0};
    assert_int_equal(make(tmpdir_path(&dir, "new/deep"), "x"), 0);
    assert_string_equal(said, "");
    int fd = open(tmpdir_path(&dir, "new/deep/a/b/x.txt"), O_RDONLY);
    assert_true(read(fd, text, sizeof(text) - 1) > 0);
    close(fd);
    assert_string_equal(text, "x and '%s' and x\n");
    assert_int_equal(access(tmpdir_path(&dir, "new/deep/x.sh"), X_OK), 0);
    assert_int_not_equal(access(tmpdir_path(&dir, "new/deep/a/b/x.txt"), X_OK), 0);
}

static void test_nothing_is_overwritten(void **state)
{
    (void)state;
    char expected[512];
    tmpdir_write(&dir, "x.sh", "mine");
    assert_int_equal(make(dir.path, "x"), -EEXIST);
    snprintf(
        expected,
        sizeof(expected),
        "mcpgate: init: %s: this file exists already; nothing was changed\n",
        tmpdir_path(&dir, "x.sh"));
    assert_string_equal(said, expected);
    assert_false(is_there("a"));
    /* a link that leads nowhere is something, too */
    tmpdir_link(&dir, "nowhere", "y.sh");
    assert_int_equal(make(dir.path, "y"), -EEXIST);
    assert_false(is_there("nowhere"));
}

static void test_what_cannot_be_made_leaves_nothing(void **state)
{
    (void)state;
    static const struct fault_case cases[] = {
        {FAULT_CREATE, EACCES},
        {FAULT_WRITE, ENOSPC},
        {FAULT_CLOSE, EIO},
        {FAULT_RESIZE, 0},
        {FAULT_FSTATAT, EACCES},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned at = 1; at <= 2; at++) {
            fault_arm(cases[i].call, at, cases[i].error);
            int r = make(dir.path, "x");
            bool hit = fault.hit;
            fault_disarm();
            assert_true(hit);
            assert_true(r < 0);
            assert_false(is_there("x.sh"));
            assert_false(is_there("a/b/x.txt"));
            assert_true(run_is_one_line(said));
        }
    }
    tmpdir_write(&dir, "file", "");
    assert_int_equal(make(tmpdir_path(&dir, "file"), "x"), -ENOTDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TMPDIR(test_files_are_made_with_the_name),
        IN_TMPDIR(test_nothing_is_overwritten),
        IN_TMPDIR(test_what_cannot_be_made_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
