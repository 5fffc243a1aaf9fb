#define _GNU_SOURCE /* memfd_create() */
#include <stdlib.h>

#include "cli/cli.h"
#include "support/stderr_capture.h"
#include "unit/app/run_faults.h"

/* Without a command it serves. */
static void test_no_command(void **state)
{
    (void)state;
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_schemas\"}\n";
    static const char answer[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true,\"schemas\":[]}}\n";
    assert_int_equal(setenv("MCP_READY_FILE", "", 1), 0);
    /* Not even a program name: argc can be 0. (First, as the loop keeps two descriptors.) */
    struct app_cli cli = {.in_fd = run_memfd(""), .out_fd = run_memfd(""), .err_fd = run_memfd("")};
    char *none[] = {NULL};
    stderr_begin();
    int status = (int)app_cli_run(&cli, 0, none);
    assert_non_null(strstr(stderr_end(), "mcp:ready mode=stdio "));
    assert_int_equal(status, 0);
    close(cli.err_fd);

    stderr_begin();
    run_cli(request, NULL);
    stderr_end();
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, answer);
    stderr_begin();
    run_cli(request, "--stdio", "--log-dir", "none");
    stderr_end();
    assert_int_equal(run.status, 0);
    assert_string_equal(run.out, answer);
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
        assert_non_null(strstr(run.out, "\n  --socket PATH "));
        assert_non_null(strstr(run.out, " SYN_SCHEMAS_DIR\n"));
        assert_non_null(strstr(run.out, " MCP_SOCKET_PATH=/tmp/mcp.sock\n"));
    }
}

static void test_help_of_commands(void **state)
{
    (void)state;
    static const char *const names[] = {
#define APP_COMMAND(name) #name,
#include "cli/commands.def"
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

static void test_help_is_a_command_too(void **state)
{
    (void)state;
    run_cli("", "help");
    assert_int_equal(run.status, 0);
    assert_non_null(strstr(run.out, "Usage: mcpgate COMMAND"));
    run_cli("", "help", "diff");
    assert_int_equal(run.status, 0);
    assert_memory_equal(run.out, "Usage: mcpgate diff ", 20);
    run_cli("", "help", "dif");
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.err, "mcpgate: unknown command 'dif'; did you mean 'diff'? Try 'mcpgate --help'\n");
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
    run_cli("", "vaildate");
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.err,
        "mcpgate: unknown command 'vaildate'; did you mean 'validate'? Try 'mcpgate --help'\n");
    run_cli("", "--schema-dir", "x");
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.err,
        "mcpgate: serve: unknown option '--schema-dir'; did you mean '--schemas-dir'? "
        "Try 'mcpgate serve --help'\n");
    run_cli("", "--frobnicate");
    assert_int_equal(run.status, 2);
    assert_string_equal(
        run.err, "mcpgate: serve: unknown option '--frobnicate'; try 'mcpgate serve --help'\n");
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
        cmocka_unit_test(test_help_is_a_command_too),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_wrong_words),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
