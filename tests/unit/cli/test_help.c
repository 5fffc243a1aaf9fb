#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <jsv/jsv.h>

#include "cli/cli.h"
#include "cli/help.h"

static const struct app_option options[] = {
    {.name = "flag", .flag = 1, .help = "Do it differently"},
    {.name = "file", .flag = 2, .help = "Do it with a file", .value = "FILE", .letter = 'f'},
    {0},
};

static const struct app_option long_options[] = {
    {.name = "short", .flag = 1, .help = "Do it differently", .letter = 's'},
    {.name = "a-very-long-option", .flag = 2, .help = "Do it longer", .value = "A=B"},
    {0},
};

static const struct app_option settings[] = {
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

static const struct app_command command = {
    .name = "test",
    .synopsis = "FILE",
    .summary = "Try things",
    .details = "More about it.\n",
    .options = options,
};

static void assert_text(struct jsv_buf *text, const char *expected)
{
    assert_int_equal(jsv_buf_append_byte(text, '\0'), 0);
    assert_string_equal(text->data, expected);
    jsv_buf_done(text);
}

static void test_command(void **state)
{
    (void)state;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 4096);
    app_help_command(&text, &command);
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

static void test_long_options(void **state)
{
    (void)state;
    struct app_command other = command;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 4096);
    other.options = long_options;
    app_help_command(&text, &other);
    assert_int_equal(jsv_buf_append_byte(&text, '\0'), 0);
    assert_non_null(strstr(
        text.data,
        "Options:\n"
        "  -s, --short               Do it differently\n"
        "  --a-very-long-option A=B  Do it longer\n"
        "  --help                    Show this text\n"));
    jsv_buf_done(&text);
}

/* Few and short: the column that the list of commands has. */
static void test_no_options(void **state)
{
    (void)state;
    static const struct app_option none[] = {{0}};
    struct app_command other = command;
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 4096);
    other.options = none;
    app_help_command(&text, &other);
    assert_int_equal(jsv_buf_append_byte(&text, '\0'), 0);
    assert_non_null(strstr(text.data, "\n\nOptions:\n  --help      Show this text\n"));
    jsv_buf_done(&text);
}

static void test_program(void **state)
{
    (void)state;
    const struct app_command *const commands[] = {&command, &command};
    struct jsv_buf text;
    jsv_buf_init(&text, NULL, 4096);
    app_help_program(&text, commands, 2, settings);
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
        "Server options, and the environment variables that mean the same (an option wins):\n"
        "  --dir DIR   Where\n"
        "              TEST_DIR\n"
        "  --n N       How many\n"
        "              N=7\n"
        "  --x X       What\n"
        "              X\n"
        "  --y Y       Why\n"
        "              Y or\n"
        "              OTHER_Y=z\n"));
    assert_non_null(strstr(text.data, "Exit status: "));
    jsv_buf_done(&text);
}

/* The buffer's ceiling stops the text, not the program. */
static void test_no_room(void **state)
{
    (void)state;
    const struct app_command *const commands[] = {&command};
    for (size_t size_max = 0; size_max < 200; size_max++) {
        struct jsv_buf text;
        jsv_buf_init(&text, NULL, size_max);
        app_help_program(&text, commands, 1, settings);
        assert_int_equal(text.error, -ENOBUFS);
        jsv_buf_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_long_options),
        cmocka_unit_test(test_no_options),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
