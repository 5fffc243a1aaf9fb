#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>

#include "cli/output.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"

static struct app_cli cli;
static char text[RUN_TEXT_MAX];

static int set_up(void **state)
{
    (void)state;
    cli = (struct app_cli){.command = "diff", .out_fd = run_memfd(""), .err_fd = run_memfd("")};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    run_close_if_open(cli.out_fd);
    close(cli.err_fd);
    return 0;
}

static const char *take(int *fd)
{
    run_take(*fd, text);
    *fd = run_memfd("");
    return text;
}

static void test_writing(void **state)
{
    (void)state;
    fault_watch();
    fault.write_most = 3;
    assert_int_equal(app_output_write(&cli, JSV_STR("result\n")), 0);
    assert_string_equal(take(&cli.out_fd), "result\n");
    assert_string_equal(take(&cli.err_fd), "");
}

static void test_failing_to_write(void **state)
{
    (void)state;
    fault_arm(FAULT_WRITE, 1, ENOSPC);
    assert_int_equal(app_output_write(&cli, JSV_STR("result\n")), -ENOSPC);
    assert_string_equal(
        take(&cli.err_fd),
        "mcpgate: diff: cannot write to standard output: No space left on device\n");
}

static void test_buffers(void **state)
{
    (void)state;
    struct jsv_buf buf;
    jsv_buf_init(&buf, NULL, 6);
    jsv_buf_append(&buf, "result", 6);
    assert_int_equal(app_output_buf(&cli, &buf), 0);
    assert_string_equal(take(&cli.out_fd), "result");
    /* Half a result is none. */
    jsv_buf_append_byte(&buf, '!');
    assert_int_equal(app_output_buf(&cli, &buf), -ENOBUFS);
    assert_string_equal(take(&cli.out_fd), "");
    assert_string_equal(
        take(&cli.err_fd), "mcpgate: diff: the result is larger than the limit of 3 GiB\n");
    jsv_buf_done(&buf);
}

static void test_failures(void **state)
{
    (void)state;
    assert_int_equal(app_output_failed(&cli, -ENOMEM), -ENOMEM);
    assert_string_equal(
        take(&cli.err_fd), "mcpgate: diff: cannot compute the result: Cannot allocate memory\n");
}

static void test_closing(void **state)
{
    (void)state;
    int fd = cli.out_fd;
    assert_int_equal(app_output_close(&cli), 0);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    cli.out_fd = run_memfd("");
    fault_arm(FAULT_CLOSE, 1, EDQUOT);
    assert_int_equal(app_output_close(&cli), -EDQUOT);
    assert_string_equal(
        take(&cli.err_fd), "mcpgate: diff: cannot write to standard output: Disk quota exceeded\n");
}

#define OUTPUT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OUTPUT_TEST(test_writing),
        OUTPUT_TEST(test_failing_to_write),
        OUTPUT_TEST(test_buffers),
        OUTPUT_TEST(test_failures),
        OUTPUT_TEST(test_closing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
