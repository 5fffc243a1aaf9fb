#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <stdio.h>

#include "cli/args.h"
#include "unit/app/run.h"

enum {
    FLAG_ONE = 1 << 0,
    FLAG_TWO = 1 << 1,
    FLAG_NAME = 1 << 2,
    FLAG_MORE = 1 << 3,
};

static const struct app_option options[] = {
    {.name = "one", .flag = FLAG_ONE, .help = "the first"},
    {.name = "two", .flag = FLAG_TWO, .help = "the second", .letter = 't'},
    {.name = "name", .flag = FLAG_NAME, .help = "a name", .value = "NAME", .letter = 'n'},
    {.name = "more", .flag = FLAG_MORE, .help = "again and again", .value = "X"},
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
    uint64_t flags;
    const char *operands; /* separated by blanks */
    const char *said;     /* part of the message */
    const char *name;     /* value of --name; NULL: none */
    const char *more;     /* values of --more, each with a ";" behind it; NULL: none */
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
    {"--help", 0, APP_FLAG_HELP, "", "", NULL, NULL},
    {"-h", 0, APP_FLAG_HELP, "", "", NULL, NULL},
    {"a b c --one --help", 0, APP_FLAG_HELP | FLAG_ONE, "a b c", "", NULL, NULL},
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

static void join(const struct app_args *args, char out[static 256])
{
    out[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < args->operand_count; i++) {
        int size = snprintf(out + used, 256 - used, "%s%s", i > 0 ? " " : "", args->operands[i]);
        used += (size_t)size;
    }
}

static void check_values(const struct args_case *one, const struct app_args *args)
{
    char more[64] = "";
    size_t used = 0;
    size_t position = 0;
    const char *value;
    while ((value = app_args_next_value(args, FLAG_MORE, &position)) != NULL) {
        used += (size_t)snprintf(more + used, sizeof(more) - used, "%s;", value);
    }
    assert_string_equal(more, one->more ? one->more : "");
    assert_null(app_args_next_value(args, FLAG_MORE, &position));
    value = app_args_value(args, FLAG_NAME);
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
    check_values(one, &args);
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

static const char *parse(const struct app_command *other, int argc, char **argv, int expected)
{
    static char said[RUN_TEXT_MAX];
    struct app_cli cli = {.command = "test", .err_fd = run_memfd("")};
    struct app_args args;
    assert_int_equal(app_args_parse(&cli, other, argc, argv, &args), expected);
    run_take(cli.err_fd, said);
    return said;
}

static void test_as_many_values_as_fit(void **state)
{
    (void)state;
    char option[] = "-nx";
    char operand[] = "a";
    char *argv[APP_SETTINGS_MAX + 2];
    for (size_t i = 0; i <= APP_SETTINGS_MAX; i++) {
        argv[i] = option;
    }
    argv[APP_SETTINGS_MAX] = operand;
    assert_string_equal(parse(&command, APP_SETTINGS_MAX + 1, argv, 0), "");
    argv[0] = option; /* the operand was moved there */
    argv[APP_SETTINGS_MAX] = option;
    argv[APP_SETTINGS_MAX + 1] = operand;
    assert_non_null(strstr(
        parse(&command, APP_SETTINGS_MAX + 2, argv, -EINVAL),
        "too many options; the limit is 64, refused: '--name'"));
}

static void test_required_options(void **state)
{
    (void)state;
    static const struct app_option needed[] = {
        {.name = "name", .flag = 1, .value = "NAME", .letter = 'n', .required = true},
        {0},
    };
    static const struct app_command other = {
        .name = "test", .synopsis = "A", .options = needed, .operand_max = 1};
    char operand[] = "a";
    char option[] = "-nx";
    char help[] = "--help";
    char *argv[2] = {operand, option};
    assert_string_equal(parse(&other, 2, argv, 0), "");
    argv[0] = operand;
    assert_string_equal(
        parse(&other, 1, argv, -EINVAL),
        "mcpgate: test: missing option '--name'; try 'mcpgate test --help'\n");
    argv[0] = help;
    assert_string_equal(parse(&other, 1, argv, 0), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_empty_operand),
        cmocka_unit_test(test_as_many_values_as_fit),
        cmocka_unit_test(test_required_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
