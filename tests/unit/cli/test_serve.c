#define _GNU_SOURCE /* memfd_create(), nftw() */
#include "support/stderr_capture.h"
#include "unit/app/run.h"
#include "unit/app/served.h"

static const char *said;

/* run_cli() with what the server says in `said`. */
#define run_server(in, ...)                                                                        \
    do {                                                                                           \
        stderr_begin();                                                                            \
        run_cli(in, __VA_ARGS__);                                                                  \
        said = stderr_end();                                                                       \
    } while (0)

/* The loop keeps two descriptors for signals once there was one. */
static int warm_up(void **state)
{
    (void)state;
    struct app_cli cli = {.in_fd = run_memfd(""), .out_fd = run_memfd(""), .err_fd = -1};
    char *none[] = {NULL};
    assert_int_equal(setenv("MCP_READY_FILE", "", 1), 0);
    stderr_begin();
    (void)app_cli_run(&cli, 0, none);
    stderr_end();
    return 0;
}

static void test_serves(void **state)
{
    (void)state;
    run_server(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"get_example\",\"params\":{\"path\":"
        "\"below/bulb.json\"}}\n",
        "serve",
        served_schemas(),
        served_examples());
    assert_int_equal(run.status, 0);
    assert_string_equal(
        run.out,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true,\"example\":{\"watts\":7},"
        "\"schema\":\"bulb\",\"validated\":true}}\n");
    assert_string_equal(run.err, "");
}

static void test_setting_makes_no_sense(void **state)
{
    (void)state;
    run_server("", "--threads", "lots");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_string_equal(
        said,
        "mcp:error reason=setup_failed detail=\"--threads: expected a whole number from 0 to 256, "
        "not 'lots'\"\n");
}

static void test_one_asset(void **state)
{
    (void)state;
    run_server("", served_schemas(), "--validate", tmpdir_path(&served, "examples/Lamp_hall.json"));
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, "{\"ok\":true}\n");
    assert_string_equal(said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED_TEST(test_serves),
        SERVED_TEST(test_setting_makes_no_sense),
        SERVED_TEST(test_one_asset),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
