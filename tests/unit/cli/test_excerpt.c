#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/excerpt.h"
#include "cli/message.h"

static const char *take(struct jsv_str text, size_t offset)
{
    static struct app_message message;
    app_message_init(&message, false);
    app_excerpt_put(&message, text, offset);
    app_message_put(&message, "\n");
    message.data[message.size] = '\0';
    return message.data;
}

/* What follows the line break; nothing when there is only the one put behind. */
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

static void test_no_excerpt_of_nothing(void **state)
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
    /* Just as long as may be shown: nothing is cut. */
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

static void test_colour(void **state)
{
    (void)state;
    static struct app_message message;
    app_message_init(&message, true);
    app_excerpt_put(&message, JSV_STR("x"), 0);
    message.data[message.size] = '\0';
    assert_string_equal(message.data, "\n  x\n  \033[1;31m^\033[0m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_excerpt_of_lines),
        cmocka_unit_test(test_no_excerpt_of_nothing),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_cuts_split_no_character),
        cmocka_unit_test(test_colour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
