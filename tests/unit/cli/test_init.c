#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "cli/init.h"
#include "unit/app/run.h"
#include "unit/os/in_tmpdir.h"

static char said[RUN_TEXT_MAX];
static char printed[RUN_TEXT_MAX];

static int make(const char *directory, const char *name)
{
    struct cli cli = {.command = "tools", .out_fd = run_memfd(""), .err_fd = run_memfd("")};
    int r = cli_init_tool(&cli, directory, name);
    run_take(cli.out_fd, printed);
    run_take(cli.err_fd, said);
    return r;
}

static bool exists(const char *name)
{
    return access(tmpdir_path(&dir, name), F_OK) == 0;
}

static void test_files_are_named_after_the_tool(void **state)
{
    (void)state;
    char text[2048] = {0};
    assert_int_equal(make(tmpdir_path(&dir, "new/deep"), "x"), 0);
    assert_string_equal(said, "");
    assert_non_null(strstr(printed, "/new/deep/x.tool.json and x.sh. Try it:\n"));
    int fd = open(tmpdir_path(&dir, "new/deep/x.sh"), O_RDONLY);
    assert_true(read(fd, text, sizeof(text) - 1) > 0);
    close(fd);
    assert_non_null(strstr(text, "# The program of the tool \"x\". Its descriptor, x.tool.json, "));
    assert_non_null(strstr(text, "printf '%s' "));
    assert_int_equal(access(tmpdir_path(&dir, "new/deep/x.sh"), X_OK), 0);
    assert_int_not_equal(access(tmpdir_path(&dir, "new/deep/x.tool.json"), X_OK), 0);
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
        "mcpgate: tools: %s: file exists; nothing was changed\n",
        tmpdir_path(&dir, "x.sh"));
    assert_string_equal(said, expected);
    assert_false(exists("x.tool.json"));
    /* A dangling link counts as a file. */
    tmpdir_link(&dir, "nowhere", "y.sh");
    assert_int_equal(make(dir.path, "y"), -EEXIST);
    assert_false(exists("nowhere"));
}

static void test_errors_leave_nothing_behind(void **state)
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
            assert_false(exists("x.sh"));
            assert_false(exists("x.tool.json"));
            assert_true(run_is_one_line(said));
        }
    }
    tmpdir_write(&dir, "file", "");
    assert_int_equal(make(tmpdir_path(&dir, "file"), "x"), -ENOTDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_TMPDIR(test_files_are_named_after_the_tool),
        IN_TMPDIR(test_nothing_is_overwritten),
        IN_TMPDIR(test_errors_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
