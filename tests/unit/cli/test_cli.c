#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jsv/jsv.h>

#include "cli/cli.h"
#include "support/stderr_capture.h"
#include "unit/app/run.h"
#include "unit/app/run_faults.h"

enum {
    FLAG_ONE = 1 << 0,
    FLAG_TWO = 1 << 1,
    FLAG_NAME = 1 << 2,
    FLAG_MORE = 1 << 3,
};

static const struct cli_option options[] = {
    {.name = "one", .flag = FLAG_ONE, .help = "the first"},
    {.name = "two", .flag = FLAG_TWO, .help = "the second", .letter = 't'},
    {.name = "name", .flag = FLAG_NAME, .help = "a name", .value = "NAME", .letter = 'n'},
    {.name = "more", .flag = FLAG_MORE, .help = "again and again", .value = "X"},
    {0},
};

static const struct cli_command command = {
    .name = "test",
    .synopsis = "A [B]",
    .options = options,
    .operand_min = 1,
    .operand_max = 2,
};

/* "--one a -- -b" -> flags and operands, or the message. */
struct args_case {
    const char *line;
    int expected;
    uint64_t flags;
    const char *operands; /* separated by blanks */
    const char *said;     /* part of the message */
    const char *name;     /* value of --name; NULL: none */
    const char *more;     /* values of --more, each followed by ";"; NULL: none */
};

static const struct args_case cases[] = {
    {"a", 0, 0, "a", "", NULL, NULL},
    {"a b", 0, 0, "a b", "", NULL, NULL},
    {"--one a b", 0, FLAG_ONE, "a b", "", NULL, NULL},
    {"a --two b --one", 0, FLAG_ONE | FLAG_TWO, "a b", "", NULL, NULL},
    {"--one --one a", 0, FLAG_ONE, "a", "", NULL, NULL},
    {"-", 0, 0, "-", "", NULL, NULL},
    {"a -", 0, 0, "a -", "", NULL, NULL},
    {"-- --one", 0, 0, "--one", "", NULL, NULL},
    {"--two -- -x --", 0, FLAG_TWO, "-x --", "", NULL, NULL},
    {"a -- b", 0, 0, "a b", "", NULL, NULL},
    {"--help", 0, CLI_FLAG(HELP), "", "", NULL, NULL},
    {"-h", 0, CLI_FLAG(HELP), "", "", NULL, NULL},
    {"a b c --one --help", 0, CLI_FLAG(HELP) | FLAG_ONE, "a b c", "", NULL, NULL},
    {"-- --help", 0, 0, "--help", "", NULL, NULL},

    {"",
     -EINVAL,
     0,
     "",
     "missing operand, expected 'A [B]'; try 'mcpgate test --help'",
     NULL,
     NULL},
    {"--one", -EINVAL, 0, "", "missing operand", NULL, NULL},
    {"--", -EINVAL, 0, "", "missing operand", NULL, NULL},
    {"a b c", -EINVAL, 0, "", "unexpected operand 'c'", NULL, NULL},
    {"- -", -EINVAL, 0, "", "standard input can be read only once", NULL, NULL},
    {"-t a", 0, FLAG_TWO, "a", "", NULL, NULL},
    {"--name x a", 0, FLAG_NAME, "a", "", "x", NULL},
    {"a --name x", 0, FLAG_NAME, "a", "", "x", NULL},
    {"--name=x a", 0, FLAG_NAME, "a", "", "x", NULL},
    {"--name= a", 0, FLAG_NAME, "a", "", "", NULL},
    {"--name=x=y a", 0, FLAG_NAME, "a", "", "x=y", NULL},
    {"-n x a", 0, FLAG_NAME, "a", "", "x", NULL},
    {"-nx a", 0, FLAG_NAME, "a", "", "x", NULL},
    {"-n -- a", 0, FLAG_NAME, "a", "", "--", NULL},
    {"-n --one a", 0, FLAG_NAME, "a", "", "--one", NULL},
    {"-n - a", 0, FLAG_NAME, "a", "", "-", NULL},
    {"-n x a --name y", 0, FLAG_NAME, "a", "", "y", NULL},
    {"--more 1 a --more=2 --one --more 3 -nx", 0, 13, "a", "", "x", "1;2;3;"},
    {"a -- --name x", -EINVAL, 0, "", "unexpected operand 'x'", NULL, NULL},
    {"a --name", -EINVAL, 0, "", "this option needs a value: '--name'", NULL, NULL},
    {"a -n", -EINVAL, 0, "", "this option needs a value: '-n'", NULL, NULL},
    {"--nam x a", -EINVAL, 0, "", "unknown option '--nam'; did you mean '--name'? Try", NULL, NULL},
    {"--nmae=x a", -EINVAL, 0, "", "option '--nmae=x'; did you mean '--name'?", NULL, NULL},
    {"-x a", -EINVAL, 0, "", "unknown option '-x'; try 'mcpgate test --help'", NULL, NULL},
    {"--names x a", -EINVAL, 0, "", "unknown option '--names'", NULL, NULL},
    {"-tx a", -EINVAL, 0, "", "this option takes no value: '-tx'", NULL, NULL},
    {"--three a", -EINVAL, 0, "", "unknown option '--three'", NULL, NULL},
    {"--on a", -EINVAL, 0, "", "unknown option '--on'", NULL, NULL},
    {"--one=1 a", -EINVAL, 0, "", "this option takes no value: '--one=1'", NULL, NULL},
    {"-one a", -EINVAL, 0, "", "unknown option '-one'", NULL, NULL},
    {"-x a", -EINVAL, 0, "", "unknown option '-x'", NULL, NULL},
    {"--help --three", -EINVAL, 0, "", "unknown option '--three'", NULL, NULL},
    {"--- a", -EINVAL, 0, "", "unknown option '---'", NULL, NULL},
};

static void join(const struct cli_args *args, char out[static 256])
{
    out[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < args->operand_count; i++) {
        int size = snprintf(out + used, 256 - used, "%s%s", i > 0 ? " " : "", args->operands[i]);
        used += (size_t)size;
    }
}

static void check_values(const struct args_case *one, const struct cli_args *args)
{
    char more[64] = "";
    size_t used = 0;
    size_t position = 0;
    const char *value;
    while ((value = cli_args_next_value(args, FLAG_MORE, &position)) != NULL) {
        used += (size_t)snprintf(more + used, sizeof(more) - used, "%s;", value);
    }
    assert_string_equal(more, one->more ? one->more : "");
    assert_null(cli_args_next_value(args, FLAG_MORE, &position));
    value = cli_args_value(args, FLAG_NAME);
    assert_int_equal(value != NULL, one->name != NULL);
    if (value) {
        assert_string_equal(value, one->name);
    }
}

static void check(const struct args_case *one)
{
    char line[128];
    char *argv[16];
    int argc = 0;
    snprintf(line, sizeof(line), "%s", one->line);
    for (char *rest = line, *word; (word = strsep(&rest, " ")) != NULL;) {
        if (word[0] != '\0') {
            argv[argc++] = word;
        }
    }
    struct cli cli = {.command = "test", .err_fd = run_memfd("")};
    struct cli_args args = {.flags = 12345};
    int r = cli_args_parse(&cli, &command, argc, argv, &args);
    static char said[RUN_TEXT_MAX];
    run_take(cli.err_fd, said);
    if (r != one->expected) {
        fail_msg("\"%s\": %d, %s", one->line, r, said);
    }
    if (r < 0) {
        assert_int_equal(args.flags, 12345);
        assert_non_null(strstr(said, one->said));
        assert_true(run_is_one_line(said));
        return;
    }
    char operands[256];
    join(&args, operands);
    assert_string_equal(operands, one->operands);
    assert_int_equal(args.flags, one->flags);
    check_values(one, &args);
    assert_string_equal(said, "");
}

static void test_arguments(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check(&cases[i]);
    }
}

/* An empty word is an operand like any other; opening it will fail. */
static void test_empty_operand(void **state)
{
    (void)state;
    char empty[] = "";
    char *argv[] = {empty};
    struct cli cli = {.err_fd = -1};
    struct cli_args args;
    assert_int_equal(cli_args_parse(&cli, &command, 1, argv, &args), 0);
    assert_int_equal(args.operand_count, 1);
}

static const char *parse(const struct cli_command *other, int argc, char **argv, int expected)
{
    static char said[RUN_TEXT_MAX];
    struct cli cli = {.command = "test", .err_fd = run_memfd("")};
    struct cli_args args;
    assert_int_equal(cli_args_parse(&cli, other, argc, argv, &args), expected);
    run_take(cli.err_fd, said);
    return said;
}

static void test_limit_on_values(void **state)
{
    (void)state;
    char option[] = "-nx";
    char operand[] = "a";
    char *argv[CLI_VALUES_MAX + 2];
    for (size_t i = 0; i <= CLI_VALUES_MAX; i++) {
        argv[i] = option;
    }
    argv[CLI_VALUES_MAX] = operand;
    assert_string_equal(parse(&command, CLI_VALUES_MAX + 1, argv, 0), "");
    argv[0] = option; /* the operand was moved there */
    argv[CLI_VALUES_MAX] = option;
    argv[CLI_VALUES_MAX + 1] = operand;
    assert_non_null(strstr(
        parse(&command, CLI_VALUES_MAX + 2, argv, -EINVAL),
        "too many options with a value; the limit is 64, at '-nx'"));
}

static const struct cli_option help_options[] = {
    {.name = "flag", .flag = 1, .help = "Do it differently"},
    {.name = "file", .flag = 2, .help = "Do it with a file", .value = "FILE", .letter = 'f'},
    {0},
};

static const struct cli_option long_options[] = {
    {.name = "short", .flag = 1, .help = "Do it differently", .letter = 's'},
    {.name = "a-very-long-option", .flag = 2, .help = "Do it longer", .value = "A=B"},
    {0},
};

static const struct cli_option settings[] = {
    {.name = "dir", .flag = 1, .help = "Where", .value = "DIR", .variable = "TEST_DIR"},
    {.name = "n", .flag = 2, .help = "How many", .value = "N", .variable = "N", .fallback = "7"},
    {.name = "x",
     .flag = 4,
     .help = "What",
     .value = "X",
     .variable = "X",
     .other_variable = "X",
     .fallback = ""},
    {.name = "y",
     .flag = 8,
     .help = "Why",
     .value = "Y",
     .variable = "Y",
     .other_variable = "OTHER_Y",
     .fallback = "z"},
    {0},
};

static const struct cli_command help_command = {
    .name = "test",
    .synopsis = "FILE",
    .summary = "Try things",
    .details = "More about it.\n",
    .options = help_options,
};

static void assert_text(struct jsv_buf *text, const char *expected)
{
    assert_int_equal(jsv_buf_append_byte(text, '\0'), 0);
    assert_string_equal(text->data, expected);
    jsv_buf_done(text);
}

static void test_help_of_a_command(void **state)
{
    (void)state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 4096);
    cli_help_command(&text, &help_command);
    assert_text(
        &text,
        "Usage: mcpgate test [OPTION]... FILE\n"
        "Try things\n"
        "\n"
        "More about it.\n"
        "\n"
        "Options:\n"
        "  --flag           Do it differently\n"
        "  -f, --file FILE  Do it with a file\n"
        "  --help           Show this text\n");
}

static void test_help_aligns_long_options(void **state)
{
    (void)state;
    struct cli_command other = help_command;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 4096);
    other.options = long_options;
    cli_help_command(&text, &other);
    assert_int_equal(jsv_buf_append_byte(&text, '\0'), 0);
    assert_non_null(strstr(
        text.data,
        "Options:\n"
        "  -s, --short               Do it differently\n"
        "  --a-very-long-option A=B  Do it longer\n"
        "  --help                    Show this text\n"));
    jsv_buf_done(&text);
}

/* Short options use the minimum column. */
static void test_help_without_options(void **state)
{
    (void)state;
    static const struct cli_option none[] = {{0}};
    struct cli_command other = help_command;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 4096);
    other.options = none;
    cli_help_command(&text, &other);
    assert_int_equal(jsv_buf_append_byte(&text, '\0'), 0);
    assert_non_null(strstr(text.data, "\n\nOptions:\n  --help      Show this text\n"));
    jsv_buf_done(&text);
}

static void test_help_of_the_program(void **state)
{
    (void)state;
    const struct cli_command *const commands[] = {&help_command, &help_command};
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 4096);
    cli_help_program(&text, commands, 2, settings);
    assert_int_equal(jsv_buf_append_byte(&text, '\0'), 0);
    assert_non_null(strstr(
        text.data,
        "Commands:\n"
        "  test        Try things\n"
        "  test        Try things\n"
        "\n"
        "Options:\n"
        "  --help      Show this text; \"mcpgate help COMMAND\" explains a command\n"
        "  --version   Show the version\n"
        "\n"
        "Server options, with the environment variables that mean the same (an option wins):\n"
        "  --dir DIR   Where\n"
        "              TEST_DIR\n"
        "  --n N       How many\n"
        "              N=7\n"
        "  --x X       What\n"
        "              X\n"
        "  --y Y       Why\n"
        "              Y or\n"
        "              OTHER_Y=z\n"));
    assert_non_null(strstr(text.data, "Exit status:\n  0  success\n"));
    jsv_buf_done(&text);
}

/* A full buffer cuts the text without a crash. */
static void test_help_in_a_full_buffer(void **state)
{
    (void)state;
    const struct cli_command *const commands[] = {&help_command};
    for (size_t size_max = 0; size_max < 200; size_max++) {
        struct jsv_buf text;
        jsv_buf_init(&text, NULL, size_max);
        cli_help_program(&text, commands, 1, settings);
        assert_int_equal(text.error, -ENOBUFS);
        jsv_buf_done(&text);
    }
}

/* Without a command it serves. */
static void test_no_command(void **state)
{
    (void)state;
    static const char request[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list_schemas\"}\n";
    static const char answer[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"ok\":true,\"schemas\":[]}}\n";
    assert_int_equal(setenv("MCP_READY_FILE", "", 1), 0);
    /* Not even a program name: argc can be 0. (First, as the loop keeps two descriptors.) */
    struct cli cli = {.in_fd = run_memfd(""), .out_fd = run_memfd(""), .err_fd = run_memfd("")};
    char *none[] = {NULL};
    stderr_begin();
    int status = (int)cli_run(&cli, 0, none);
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
#define CLI_COMMAND(name) #name,
#include "cli/commands.def"
#undef CLI_COMMAND
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char usage[64];
        snprintf(usage, sizeof(usage), "Usage: mcpgate %s [OPTION]... ", names[i]);
        run_cli("", names[i], "--help");
        assert_int_equal(run.status, 0);
        assert_string_equal(run.err, "");
        assert_memory_equal(run.out, usage, strlen(usage));
        /* Every line fits a terminal. */
        for (const char *line = run.out; *line; line = strchr(line, '\n') + 1) {
            assert_true(strcspn(line, "\n") <= 90);
        }
    }
}

static void test_help_command(void **state)
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

static void test_unknown_commands(void **state)
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

static void test_injected_faults(void **state)
{
    (void)state;
    run_cli_with_faults("", "--help");
    run_cli_with_faults("", "--version");
    run_cli_with_faults("", "diff", "--help");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_empty_operand),
        cmocka_unit_test(test_limit_on_values),
        cmocka_unit_test(test_help_of_a_command),
        cmocka_unit_test(test_help_aligns_long_options),
        cmocka_unit_test(test_help_without_options),
        cmocka_unit_test(test_help_of_the_program),
        cmocka_unit_test(test_help_in_a_full_buffer),
        cmocka_unit_test(test_no_command),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_help_of_commands),
        cmocka_unit_test(test_help_command),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_unknown_commands),
        cmocka_unit_test(test_injected_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
