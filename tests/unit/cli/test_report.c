#define _GNU_SOURCE /* memfd_create() */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/report.h"
#include "unit/app/run.h"
#include "unit/os/fault.h"

static struct cli_message message;

static int set_up(void **state)
{
    (void)state;
    cli_message_init(&message, false);
    return 0;
}

static void assert_message(const char *expected)
{
    assert_int_equal(message.size, strlen(expected));
    assert_memory_equal(message.data, expected, message.size);
}

static void test_trusted_text(void **state)
{
    (void)state;
    cli_message_put(&message, "line ");
    cli_message_printf(&message, "%zu:%s", SIZE_MAX, "x");
    cli_message_put_colour(&message, CLI_COLOUR_CARET);
    assert_message("line 18446744073709551615:x");
}

static void test_colours(void **state)
{
    (void)state;
    cli_message_init(&message, true);
    cli_message_put_colour(&message, CLI_COLOUR_PLACE);
    cli_message_put_colour(&message, CLI_COLOUR_OFF);
    assert_message("\033[1m\033[0m");
}

static void test_untrusted_text_is_escaped(void **state)
{
    (void)state;
    static const struct {
        struct jsv_str text;
        const char *shown;
        size_t columns;
    } cases[] = {
        {JSV_STR(""), "", 0},
        {JSV_STR("plain ~"), "plain ~", 7},
        {JSV_STR("a\tb"), "a b", 3},
        {JSV_STR("\033[31m"), "\\x1b[31m", 8},
        {JSV_STR("a\0b"), "a\\x00b", 6},
        {JSV_STR("\r\n"), "\\x0d\\x0a", 8},
        {JSV_STR("\x7f"), "\\x7f", 4},
        {JSV_STR("\xc2\x80\xc2\x9b"), "\\xc2\\x80\\xc2\\x9b", 16}, /* C1 */
        {JSV_STR("\xc2\xa0"), "\xc2\xa0", 1},
        {JSV_STR("h\xc3\xa9llo"), "h\xc3\xa9llo", 5},
        {JSV_STR("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80", 1},
        {JSV_STR("\xff\xfe"), "\\xff\\xfe", 8},
        {JSV_STR("\xc3"), "\\xc3", 4},
        {JSV_STR("\xc0\x80"), "\\xc0\\x80", 8}, /* overlong */
        {JSV_STR("\xed\xa0\x80"), "\\xed\\xa0\\x80", 12},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cli_message_init(&message, false);
        assert_int_equal(cli_message_put_text(&message, cases[i].text), cases[i].columns);
        assert_message(cases[i].shown);
    }
}

static void test_clipping(void **state)
{
    (void)state;
    cli_message_put_clipped(&message, JSV_STR("12345"), 5);
    cli_message_put(&message, "|");
    cli_message_put_clipped(&message, JSV_STR("123456"), 5);
    cli_message_put(&message, "|");
    /* No character is split: the cut would be inside the second one. */
    cli_message_put_clipped(&message, JSV_STR("\xf0\x9f\x98\x80\xf0\x9f\x98\x80"), 6);
    /* Not UTF-8: cut anywhere. */
    cli_message_put_clipped(&message, JSV_STR("\x80\x80\x80\x80\x80\x80\x80"), 1);
    assert_message("12345|12345...|\xf0\x9f\x98\x80...\\x80...");
}

static void test_full_message_stays_in_bounds(void **state)
{
    (void)state;
    char *text = malloc(2 * CLI_MESSAGE_SIZE_MAX);
    assert_non_null(text);
    memset(text, '\1', 2 * CLI_MESSAGE_SIZE_MAX);
    cli_message_put_text(&message, (struct jsv_str){text, 2 * CLI_MESSAGE_SIZE_MAX});
    assert_int_equal(message.size, CLI_MESSAGE_SIZE_MAX);
    cli_message_put(&message, "more");
    cli_message_printf(&message, "%d", 1);
    assert_int_equal(message.size, CLI_MESSAGE_SIZE_MAX);
    assert_memory_equal(message.data + CLI_MESSAGE_SIZE_MAX - 4, "\\x01", 4);
    free(text);
}

static const char *take(struct jsv_str text, size_t offset)
{
    cli_message_init(&message, false);
    cli_message_put_excerpt(&message, text, offset);
    cli_message_put(&message, "\n");
    message.data[message.size] = '\0';
    return message.data;
}

/* Compares the text after the first line break. */
static void assert_excerpt(struct jsv_str text, size_t offset, const char *expected)
{
    const char *excerpt = take(text, offset);
    assert_int_equal(excerpt[0], '\n');
    assert_string_equal(excerpt + 1, expected);
}

static void test_excerpt_of_lines(void **state)
{
    (void)state;
    assert_excerpt(JSV_STR("one\ntwo\nthree"), 0, "  one\n  ^\n");
    assert_excerpt(JSV_STR("one\ntwo\nthree"), 4, "  two\n  ^\n");
    assert_excerpt(JSV_STR("one\ntwo\nthree"), 6, "  two\n    ^\n");
    assert_excerpt(JSV_STR("one\ntwo\nthree"), 7, "  two\n     ^\n");
    assert_excerpt(JSV_STR("one\ntwo\nthree"), 13, "  three\n       ^\n");
    assert_excerpt(JSV_STR("one\r\ntwo\r\n"), 1, "  one\n   ^\n");
    assert_excerpt(JSV_STR("one\r\ntwo\r\n"), 3, "  one\n     ^\n");
    assert_excerpt(JSV_STR("a\tb!"), 3, "  a b!\n     ^\n");
    assert_excerpt(JSV_STR("\xc3\xa9\xc3\xa9!"), 4, "  \xc3\xa9\xc3\xa9!\n    ^\n");
    assert_excerpt(JSV_STR("\xff\x01!"), 2, "  \\xff\\x01!\n          ^\n");
}

static void test_no_excerpt_of_an_empty_line(void **state)
{
    (void)state;
    assert_excerpt((struct jsv_str){NULL, 0}, 0, "");
    assert_excerpt(JSV_STR("\n"), 0, "");
    assert_excerpt(JSV_STR("{\n"), 2, "");
    assert_excerpt(JSV_STR("a\n\nb"), 2, "");
}

static void test_long_lines_are_cut(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'x', sizeof(text));
    text[500] = '!';
    assert_excerpt(
        (struct jsv_str){text, sizeof(text)},
        500,
        "  ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx!xxxxxxxxxxxxxxxxxxxxxxxxxxx...\n"
        "                                                 ^\n");
    /* At the limit nothing is cut. */
    text[500 - 45] = '\n';
    text[500 + 28] = '\n';
    assert_excerpt(
        (struct jsv_str){text, sizeof(text)},
        500,
        "  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx!xxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
        "                                              ^\n");
    assert_excerpt(
        (struct jsv_str){text + 500 - 44, 44 + 28},
        44,
        "  xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx!xxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
        "                                              ^\n");
}

static void test_cuts_split_no_character(void **state)
{
    (void)state;
    char text[300];
    for (size_t i = 0; i < sizeof(text); i += 3) {
        memcpy(text + i, "\xe2\x82\xac", 3);
    }
    for (size_t offset = 0; offset < sizeof(text); offset += 3) {
        assert_null(strstr(take((struct jsv_str){text, sizeof(text)}, offset), "\\x"));
    }
}

static void test_excerpt_colour(void **state)
{
    (void)state;
    cli_message_init(&message, true);
    cli_message_put_excerpt(&message, JSV_STR("x"), 0);
    message.data[message.size] = '\0';
    assert_string_equal(message.data, "\n  x\n  \033[1;31m^\033[0m");
}

static struct cli cli;
static char said[RUN_TEXT_MAX];

static int set_up_report(void **state)
{
    (void)state;
    cli = (struct cli){.command = "diff", .in_fd = -1, .out_fd = -1, .err_fd = run_memfd("")};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fault_disarm();
    close(cli.err_fd);
    return 0;
}

/* The reports since the last call. */
static const char *take_report(void)
{
    run_take(cli.err_fd, said);
    cli.err_fd = run_memfd("");
    return said;
}

static void test_messages_of_one_line(void **state)
{
    (void)state;
    cli_report(&cli, "something happened");
    assert_string_equal(take_report(), "mcpgate: diff: something happened\n");
    cli_report_about(&cli, "a.json", "too large");
    assert_string_equal(take_report(), "mcpgate: diff: a.json: too large\n");
    cli_report_errno(&cli, "a.json", -ENOENT);
    assert_string_equal(take_report(), "mcpgate: diff: a.json: No such file or directory\n");
    cli_report_usage(&cli, "unknown option", "--x");
    assert_string_equal(
        take_report(), "mcpgate: diff: unknown option '--x'; try 'mcpgate diff --help'\n");
    cli.command = NULL;
    cli_report(&cli, "something happened");
    assert_string_equal(take_report(), "mcpgate: something happened\n");
    cli_report_usage(&cli, "unknown command", "x");
    assert_string_equal(take_report(), "mcpgate: unknown command 'x'; try 'mcpgate --help'\n");
}

static void test_hostile_names_are_escaped(void **state)
{
    (void)state;
    cli_report_errno(&cli, "a\n\033]0;title\a", -EIO);
    assert_string_equal(
        take_report(), "mcpgate: diff: a\\x0a\\x1b]0;title\\x07: Input/output error\n");
    cli_report_usage(&cli, "unknown option", "--\033[2J");
    assert_non_null(strstr(take_report(), "'--\\x1b[2J'"));

    char *name = calloc(1, 5000);
    assert_non_null(name);
    memset(name, 'n', 4999);
    cli_report_about(&cli, name, "too long");
    assert_true(strlen(take_report()) < 1100);
    assert_non_null(strstr(said, "nnn...: too long\n"));
    /* The longest message there can be is still complete. */
    memset(name, '\1', 4999);
    struct jsv_str text = {name, 4999};
    struct cli_spot spot = {
        .name = name, .text = text, .offset = 2500, .line = 1, .column = 2501, .pointer = text};
    cli.colour = true;
    cli_report_spot(&cli, &spot, name);
    assert_string_equal(take_report() + strlen(said) - strlen("^\033[0m\n"), "^\033[0m\n");
    free(name);
}

static void test_report_colours(void **state)
{
    (void)state;
    struct cli_spot spot = {.name = "a", .text = JSV_STR("x"), .line = 1, .column = 1};
    cli.colour = true;
    cli_report_spot(&cli, &spot, "expected a value");
    assert_string_equal(
        take_report(),
        "\033[1mmcpgate: diff: a:1:1:\033[0m expected a value\n"
        "  x\n"
        "  \033[1;31m^\033[0m\n");
    cli_report(&cli, "sorry");
    assert_string_equal(take_report(), "\033[1mmcpgate: diff:\033[0m sorry\n");
}

static void test_place_and_pointer(void **state)
{
    (void)state;
    struct cli_spot spot = {
        .name = "a.json",
        .text = JSV_STR("{\n  \"a\": {\"b\" 1}\n}\n"),
        .offset = 14,
        .line = 2,
        .column = 13,
        .pointer = JSV_STR("/a/b"),
    };
    cli_report_spot(&cli, &spot, "expected ':' after the member name");
    assert_string_equal(
        take_report(),
        "mcpgate: diff: a.json:2:13: expected ':' after the member name (at /a/b)\n"
        "    \"a\": {\"b\" 1}\n"
        "              ^\n");
    spot.pointer = JSV_STR("/\0\n");
    cli_report_spot(&cli, &spot, "oh\033[2J");
    assert_non_null(strstr(take_report(), "oh\\x1b[2J (at /\\x00\\x0a)\n"));
    /* An empty line needs no excerpt. */
    spot.text = JSV_STR("");
    spot.offset = 0;
    spot.pointer = JSV_STR("");
    cli_report_spot(&cli, &spot, "oh");
    assert_string_equal(take_report(), "mcpgate: diff: a.json:2:13: oh\n");
}

/* An error of writing to standard error is ignored. */
static void test_write_error(void **state)
{
    (void)state;
    fault_arm(FAULT_WRITE, 0, EIO);
    cli_report(&cli, "unheard");
    assert_true(fault.hit);
    assert_int_equal(fault.calls[FAULT_WRITE], 1);
    assert_string_equal(take_report(), "");
}

#define REPORT_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_report, tear_down)

static uint64_t now;
static int fd;

static uint64_t fake_now(void)
{
    return now;
}

static int set_up_progress(void **state)
{
    (void)state;
    fault_watch();
    fault_sys.now_ms = fake_now;
    now = 5000;
    fd = run_memfd("");
    return 0;
}

static int tear_down_progress(void **state)
{
    (void)state;
    fault_disarm();
    close(fd);
    return 0;
}

/* The text drawn since the last call. */
static const char *drawn(void)
{
    run_take(fd, said);
    return said;
}

static struct cli_progress started(uint64_t total)
{
    struct cli_progress progress;
    close(fd);
    fd = run_memfd("");
    cli_progress_init(&progress, fd, total);
    return progress;
}

static void test_progress_line(void **state)
{
    (void)state;
    struct cli_progress progress = started(1000);
    now += 1000;
    cli_progress_update(&progress, 40, 250);
    assert_string_equal(
        drawn(), "\r[#####...............]  25%  40 documents  40/s  0:03 left\033[K");
}

static void test_remaining_time(void **state)
{
    (void)state;
    struct cli_progress progress = started(100000);
    now += 1000;
    cli_progress_update(&progress, 7, 1000);
    assert_non_null(strstr(drawn(), "]   1%  7 documents  7/s  1:39 left"));
    progress = started(100000);
    now += 1000;
    cli_progress_update(&progress, 7, 10);
    assert_non_null(strstr(drawn(), "]   0%  7 documents  7/s  2:46:39 left"));
}

static void test_unknown_total(void **state)
{
    (void)state;
    struct cli_progress progress = started(0);
    now += 500;
    cli_progress_update(&progress, 1000, 250);
    assert_string_equal(drawn(), "\r1000 documents  2000/s\033[K");
}

static void test_progress_before_any_document(void **state)
{
    (void)state;
    struct cli_progress progress = started(1000);
    now += 500;
    cli_progress_update(&progress, 0, 0);
    assert_string_equal(drawn(), "\r0 documents  0/s\033[K");
}

/* A file that has grown. */
static void test_progress_beyond_the_total(void **state)
{
    (void)state;
    struct cli_progress progress = started(10);
    now += 500;
    cli_progress_update(&progress, 5, 100);
    assert_string_equal(
        drawn(), "\r[####################] 100%  5 documents  10/s  0:00 left\033[K");
}

static void test_progress_is_rate_limited(void **state)
{
    (void)state;
    struct cli_progress progress = started(1000);
    unsigned drawings[500] = {0};
    for (unsigned ms = 0; ms < 500; ms++, now++) {
        unsigned before = fault.calls[FAULT_WRITE];
        cli_progress_update(&progress, ms, ms);
        drawings[ms] = fault.calls[FAULT_WRITE] - before;
    }
    for (unsigned ms = 0; ms < 500; ms++) {
        assert_int_equal(drawings[ms], ms >= 200 && ms % 100 == 0);
    }
}

static void test_progress_is_erased(void **state)
{
    (void)state;
    struct cli_progress progress = started(0);
    cli_progress_hide(&progress);
    now += 1000;
    cli_progress_update(&progress, 1, 1);
    cli_progress_hide(&progress);
    cli_progress_hide(&progress);
    assert_string_equal(drawn(), "\r1 documents  1/s\033[K\r\033[K");
}

static void test_progress_without_terminal(void **state)
{
    (void)state;
    struct cli_progress progress;
    cli_progress_init(&progress, -1, 100);
    now += 1000;
    cli_progress_update(&progress, 1, 1);
    cli_progress_hide(&progress);
    assert_int_equal(fault.calls[FAULT_WRITE], 0);
}

static void test_progress_write_error(void **state)
{
    (void)state;
    struct cli_progress progress = started(100);
    fault_arm(FAULT_WRITE, 0, EIO);
    fault_sys.now_ms = fake_now;
    now += 1000;
    cli_progress_update(&progress, 1, 1);
    cli_progress_hide(&progress);
    assert_int_equal(fault.calls[FAULT_WRITE], 2);
}

#define PROGRESS_TEST(function)                                                                    \
    cmocka_unit_test_setup_teardown(function, set_up_progress, tear_down_progress)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_trusted_text, set_up),
        cmocka_unit_test_setup(test_colours, set_up),
        cmocka_unit_test_setup(test_untrusted_text_is_escaped, set_up),
        cmocka_unit_test_setup(test_clipping, set_up),
        cmocka_unit_test_setup(test_full_message_stays_in_bounds, set_up),
        cmocka_unit_test(test_excerpt_of_lines),
        cmocka_unit_test(test_no_excerpt_of_an_empty_line),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_cuts_split_no_character),
        cmocka_unit_test(test_excerpt_colour),
        REPORT_TEST(test_messages_of_one_line),
        REPORT_TEST(test_hostile_names_are_escaped),
        REPORT_TEST(test_report_colours),
        REPORT_TEST(test_place_and_pointer),
        REPORT_TEST(test_write_error),
        PROGRESS_TEST(test_progress_line),
        PROGRESS_TEST(test_remaining_time),
        PROGRESS_TEST(test_unknown_total),
        PROGRESS_TEST(test_progress_before_any_document),
        PROGRESS_TEST(test_progress_beyond_the_total),
        PROGRESS_TEST(test_progress_is_rate_limited),
        PROGRESS_TEST(test_progress_is_erased),
        PROGRESS_TEST(test_progress_without_terminal),
        PROGRESS_TEST(test_progress_write_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
