#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <stdio.h>

#include "app/args.h"
#include "unit/app/run.h"

enum {
    FLAG_ONE = 1 << 0,
    FLAG_TWO = 1 << 1,
};

static const struct app_option options[] = {
    {"one", FLAG_ONE, "the first"},
    {"two", FLAG_TWO, "the second"},
    {0},
};

static const struct app_command command = {
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
    unsigned flags;
    const char *operands; /* separated by blanks */
    const char *said;     /* part of the message */
};

static const struct args_case cases[] = {
    {"a", 0, 0, "a", ""},
    {"a b", 0, 0, "a b", ""},
    {"--one a b", 0, FLAG_ONE, "a b", ""},
    {"a --two b --one", 0, FLAG_ONE | FLAG_TWO, "a b", ""},
    {"--one --one a", 0, FLAG_ONE, "a", ""},
    {"-", 0, 0, "-", ""},
    {"a -", 0, 0, "a -", ""},
    {"-- --one", 0, 0, "--one", ""},
    {"--two -- -x --", 0, FLAG_TWO, "-x --", ""},
    {"a -- b", 0, 0, "a b", ""},
    {"--help", 0, APP_FLAG_HELP, "", ""},
    {"-h", 0, APP_FLAG_HELP, "", ""},
    {"a b c --one --help", 0, APP_FLAG_HELP | FLAG_ONE, "a b c", ""},
    {"-- --help", 0, 0, "--help", ""},

    {"", -EINVAL, 0, "", "missing operand, expected 'A [B]'; try 'mcpgate test --help'"},
    {"--one", -EINVAL, 0, "", "missing operand"},
    {"--", -EINVAL, 0, "", "missing operand"},
    {"a b c", -EINVAL, 0, "", "unexpected operand 'c'"},
    {"- -", -EINVAL, 0, "", "standard input can be read only once"},
    {"--three a", -EINVAL, 0, "", "unknown option '--three'"},
    {"--on a", -EINVAL, 0, "", "unknown option '--on'"},
    {"--one=1 a", -EINVAL, 0, "", "unknown option '--one=1'"},
    {"-one a", -EINVAL, 0, "", "unknown option '-one'"},
    {"-x a", -EINVAL, 0, "", "unknown option '-x'"},
    {"--help --three", -EINVAL, 0, "", "unknown option '--three'"},
    {"--- a", -EINVAL, 0, "", "unknown option '---'"},
};

static void join(const struct app_args *args, char out[static 256])
{
    out[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < args->operand_count; i++) {
        int size = snprintf(out + used, 256 - used, "%s%s", i > 0 ? " " : "", args->operands[i]);
        used += (size_t)size;
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
    struct app_cli cli = {.command = "test", .err_fd = run_memfd("")};
    struct app_args args = {.flags = 12345};
    int r = app_args_parse(&cli, &command, argc, argv, &args);
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
    assert_string_equal(said, "");
}

static void test_cases(void **state)
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
    struct app_cli cli = {.err_fd = -1};
    struct app_args args;
    assert_int_equal(app_args_parse(&cli, &command, 1, argv, &args), 0);
    assert_int_equal(args.operand_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_empty_operand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
