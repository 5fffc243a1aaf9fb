#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>

#include "cli/input.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"
#include "unit/os/tmpdir.h"

static struct tmpdir dir;
static struct app_cli cli;
static char said[RUN_TEXT_MAX];

static int set_up(void **state)
{
    (void)state;
    tmpdir_make(&dir);
    tmpdir_write(&dir, "file", "text");
    cli = (struct app_cli){
        .command = "digest", .in_fd = run_memfd("stdin"), .out_fd = -1, .err_fd = run_memfd("")};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    run_close_if_open(cli.in_fd);
    close(cli.err_fd);
    tmpdir_remove(&dir);
    return 0;
}

static const char *take(void)
{
    run_take(cli.err_fd, said);
    cli.err_fd = run_memfd("");
    return said;
}

/* Read an input and compare; expected NULL: it must fail. @return the result */
static int check_read(const char *path, size_t size_max, const char *expected)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, size_max);
    int r = app_input_read(&cli, path, &out);
    if (expected) {
        assert_int_equal(r, 0);
        assert_int_equal(out.size, strlen(expected));
        assert_memory_equal(out.data, expected, out.size);
        assert_string_equal(take(), "");
    }
    jsv_buf_done(&out);
    return r;
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(app_input_name("-"), "<stdin>");
    assert_string_equal(app_input_name("./-"), "./-");
    assert_string_equal(app_input_name("a.json"), "a.json");
}

static void test_files_and_stdin(void **state)
{
    (void)state;
    check_read(tmpdir_path(&dir, "file"), 10, "text");
    check_read("-", 10, "stdin");
}

static void test_what_cannot_be_opened(void **state)
{
    (void)state;
    assert_int_equal(check_read("nowhere/at/all", 10, NULL), -ENOENT);
    assert_string_equal(take(), "mcpgate: digest: nowhere/at/all: No such file or directory\n");
    assert_int_equal(check_read("", 10, NULL), -ENOENT);
    assert_string_equal(take(), "mcpgate: digest: : No such file or directory\n");
    assert_int_equal(app_input_open(&cli, "nowhere"), -ENOENT);
}

static void test_what_cannot_be_read(void **state)
{
    (void)state;
    assert_int_equal(check_read(dir.path, 10, NULL), -EISDIR);
    assert_non_null(strstr(take(), ": Is a directory\n"));
    fault_arm(FAULT_READ, 1, EIO);
    assert_int_equal(check_read("-", 10, NULL), -EIO);
    assert_string_equal(take(), "mcpgate: digest: <stdin>: Input/output error\n");
}

static void test_too_large(void **state)
{
    (void)state;
    tmpdir_write(&dir, "sparse", "");
    assert_int_equal(truncate(tmpdir_path(&dir, "sparse"), (off_t)APP_INPUT_SIZE_MAX + 1), 0);
    fault_watch();
    assert_int_equal(check_read(tmpdir_path(&dir, "sparse"), APP_INPUT_SIZE_MAX, NULL), -EFBIG);
    assert_int_equal(fault.calls[FAULT_READ], 0);
    assert_int_equal(fault.open_fds, 0);
    assert_non_null(strstr(take(), "/sparse: larger than the limit of 1 GiB\n"));
}

#define INPUT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INPUT_TEST(test_names),
        INPUT_TEST(test_files_and_stdin),
        INPUT_TEST(test_what_cannot_be_opened),
        INPUT_TEST(test_what_cannot_be_read),
        INPUT_TEST(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
