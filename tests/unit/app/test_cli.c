#define _GNU_SOURCE /* memfd_create() */
#include "app/cli.h"
#include "unit/app/run_faults.h"

static void test_no_command(void **state)
{
    (void)state;
    run_cli("", NULL);
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "Usage: mcpgate COMMAND"));
    /* Not even a program name: argc can be 0. */
    struct app_cli cli = {.err_fd = run_memfd("")};
    char *none[] = {NULL};
    assert_int_equal(app_cli_run(&cli, 0, none), 2);
    run_take(cli.err_fd, run.err);
    assert_non_null(strstr(run.err, "Usage: mcpgate COMMAND"));
}

static void test_help(void **state)
{
    (void)state;
    static const char *const words[] = {"--help", "-h"};
    for (size_t i = 0; i < 2; i++) {
        run_cli("", words[i]);
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        assert_non_null(strstr(run.out, "Usage: mcpgate COMMAND"));
        assert_non_null(strstr(run.out, "\n  diff  "));
        assert_non_null(strstr(run.out, "\n  digest  "));
    }
}

static void test_help_of_commands(void **state)
{
    (void)state;
    static const char *const names[] = {
#define APP_COMMAND(name) #name,
#include "app/commands.def"
#undef APP_COMMAND
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char usage[64];
        snprintf(usage, sizeof(usage), "Usage: mcpgate %s [OPTION]... ", names[i]);
        run_cli("", names[i], "--help");
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        assert_memory_equal(run.out, usage, strlen(usage));
        /* Fits a terminal, names itself. */
        for (const char *line = run.out; *line; line = strchr(line, '\n') + 1) {
            assert_true(strcspn(line, "\n") <= 90);
        }
    }
}

static void test_version(void **state)
{
    (void)state;
    run_cli("", "--version");
    assert_int_equal(run.status, 0);
    assert_memory_equal(run.out, "mcpgate ", 8);
    assert_int_equal(strspn(run.out + 8, "0123456789."), strlen(run.out) - 9);
    assert_string_equal(run.err, "");
}

static void test_wrong_words(void **state)
{
    (void)state;
    run_cli("", "frobnicate", "--help");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.out, "");
    assert_string_equal(run.err, "mcpgate: unknown command 'frobnicate'; try 'mcpgate --help'\n");
    run_cli("", "--frobnicate");
    assert_int_equal(run.status, 2);
    assert_string_equal(run.err, "mcpgate: unknown option '--frobnicate'; try 'mcpgate --help'\n");
    run_cli("", "diff", "--frobnicate");
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.err, "mcpgate: diff: unknown option '--frobnicate'; try 'mcpgate diff --help'\n");
    run_cli("", "");
    assert_int_equal(run.status, 2);
}

static void test_faults(void **state)
{
    (void)state;
    run_cli_with_faults("", "--help");
    run_cli_with_faults("", "--version");
    run_cli_with_faults("", "diff", "--help");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_command),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_help_of_commands),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_wrong_words),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
