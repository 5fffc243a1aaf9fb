#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <stdlib.h>

#include "cli/report.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"

static struct app_cli cli;
static char said[RUN_TEXT_MAX];

static int set_up(void **state)
{
    (void)state;
    cli = (struct app_cli){.command = "diff", .in_fd = -1, .out_fd = -1, .err_fd = run_memfd("")};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    close(cli.err_fd);
    return 0;
}

/* What has been reported since the last time. */
static const char *take(void)
{
    run_take(cli.err_fd, said);
    cli.err_fd = run_memfd("");
    return said;
}

static void test_one_line(void **state)
{
    (void)state;
    app_report(&cli, "something happened");
    assert_string_equal(take(), "mcpgate: diff: something happened\n");
    app_report_about(&cli, "a.json", "too large");
    assert_string_equal(take(), "mcpgate: diff: a.json: too large\n");
    app_report_errno(&cli, "a.json", -ENOENT);
    assert_string_equal(take(), "mcpgate: diff: a.json: No such file or directory\n");
    app_report_usage(&cli, "unknown option", "--x");
    assert_string_equal(take(), "mcpgate: diff: unknown option '--x'; try 'mcpgate diff --help'\n");
    cli.command = NULL;
    app_report(&cli, "something happened");
    assert_string_equal(take(), "mcpgate: something happened\n");
    app_report_usage(&cli, "unknown command", "x");
    assert_string_equal(take(), "mcpgate: unknown command 'x'; try 'mcpgate --help'\n");
}

static void test_hostile_names(void **state)
{
    (void)state;
    app_report_errno(&cli, "a\n\033]0;title\a", -EIO);
    assert_string_equal(take(), "mcpgate: diff: a\\x0a\\x1b]0;title\\x07: Input/output error\n");
    app_report_usage(&cli, "unknown option", "--\033[2J");
    assert_non_null(strstr(take(), "'--\\x1b[2J'"));

    char *name = calloc(1, 5000);
    assert_non_null(name);
    memset(name, 'n', 4999);
    app_report_about(&cli, name, "too long");
    assert_true(strlen(take()) < 1100);
    assert_non_null(strstr(said, "nnn...: too long\n"));
    /* The longest message there can be is still complete. */
    memset(name, '\1', 4999);
    struct jsv_str text = {name, 4999};
    struct app_spot spot = {
        .name = name, .text = text, .offset = 2500, .line = 1, .column = 2501, .pointer = text};
    cli.colour = true;
    app_report_spot(&cli, &spot, name);
    assert_string_equal(take() + strlen(said) - strlen("^\033[0m\n"), "^\033[0m\n");
    free(name);
}

static void test_colours(void **state)
{
    (void)state;
    struct app_spot spot = {.name = "a", .text = JSV_STR("x"), .line = 1, .column = 1};
    cli.colour = true;
    app_report_spot(&cli, &spot, "expected a value");
    assert_string_equal(
        take(),
        "\033[1mmcpgate: diff: a:1:1:\033[0m expected a value\n"
        "  x\n"
        "  \033[1;31m^\033[0m\n");
    app_report(&cli, "sorry");
    assert_string_equal(take(), "\033[1mmcpgate: diff:\033[0m sorry\n");
}

static void test_place_and_pointer(void **state)
{
    (void)state;
    struct app_spot spot = {
        .name = "a.json",
        .text = JSV_STR("{\n  \"a\": {\"b\" 1}\n}\n"),
        .offset = 14,
        .line = 2,
        .column = 13,
        .pointer = JSV_STR("/a/b"),
    };
    app_report_spot(&cli, &spot, "expected ':' after the member name");
    assert_string_equal(
        take(),
        "mcpgate: diff: a.json:2:13: expected ':' after the member name (at /a/b)\n"
        "    \"a\": {\"b\" 1}\n"
        "              ^\n");
    spot.pointer = JSV_STR("/\0\n");
    app_report_spot(&cli, &spot, "oh\033[2J");
    assert_non_null(strstr(take(), "oh\\x1b[2J (at /\\x00\\x0a)\n"));
    /* An empty line needs no excerpt. */
    spot.text = JSV_STR("");
    spot.offset = 0;
    spot.pointer = JSV_STR("");
    app_report_spot(&cli, &spot, "oh");
    assert_string_equal(take(), "mcpgate: diff: a.json:2:13: oh\n");
}

/* Nothing can be done about it, and nothing is. */
static void test_failing_to_report(void **state)
{
    (void)state;
    fault_arm(FAULT_WRITE, 0, EIO);
    app_report(&cli, "unheard");
    assert_true(fault.hit);
    assert_int_equal(fault.calls[FAULT_WRITE], 1);
    assert_string_equal(take(), "");
}

#define REPORT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REPORT_TEST(test_one_line),
        REPORT_TEST(test_hostile_names),
        REPORT_TEST(test_colours),
        REPORT_TEST(test_place_and_pointer),
        REPORT_TEST(test_failing_to_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
