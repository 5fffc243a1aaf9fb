#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/message.h"

static struct app_message message;

static int set_up(void **state)
{
    (void)state;
    app_message_init(&message, false);
    return 0;
}

static void assert_message(const char *expected)
{
    assert_int_equal(message.size, strlen(expected));
    assert_memory_equal(message.data, expected, message.size);
}

static void test_own_texts(void **state)
{
    (void)state;
    app_message_put(&message, "line ");
    app_message_put_number(&message, 0);
    app_message_put(&message, ":");
    app_message_put_number(&message, SIZE_MAX);
    app_message_put_colour(&message, APP_COLOUR_CARET);
    assert_message("line 0:18446744073709551615");
}

static void test_colours(void **state)
{
    (void)state;
    app_message_init(&message, true);
    app_message_put_colour(&message, APP_COLOUR_PLACE);
    app_message_put_colour(&message, APP_COLOUR_OFF);
    assert_message("\033[1m\033[0m");
}

static void test_foreign_text_is_made_safe(void **state)
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
        app_message_init(&message, false);
        assert_int_equal(app_message_put_text(&message, cases[i].text), cases[i].columns);
        assert_message(cases[i].shown);
    }
}

static void test_clipping(void **state)
{
    (void)state;
    app_message_put_clipped(&message, JSV_STR("12345"), 5);
    app_message_put(&message, "|");
    app_message_put_clipped(&message, JSV_STR("123456"), 5);
    app_message_put(&message, "|");
    /* No character is split: the cut would be inside the second one. */
    app_message_put_clipped(&message, JSV_STR("\xf0\x9f\x98\x80\xf0\x9f\x98\x80"), 6);
    assert_message("12345|12345...|\xf0\x9f\x98\x80...");
}

static void test_cut(void **state)
{
    (void)state;
    struct jsv_str text = JSV_STR("a\xe2\x82\xac!");
    assert_int_equal(app_message_cut(text, 0), 0);
    assert_int_equal(app_message_cut(text, 1), 1);
    assert_int_equal(app_message_cut(text, 2), 1);
    assert_int_equal(app_message_cut(text, 3), 1);
    assert_int_equal(app_message_cut(text, 4), 4);
    /* Where no character begins near, as good as any. */
    assert_int_equal(app_message_cut(JSV_STR("\x80\x80\x80\x80\x80\x80\x80"), 6), 6);
    assert_int_equal(app_message_cut(JSV_STR("\x80\x80"), 1), 1);
}

static void test_full_message_stays_in_bounds(void **state)
{
    (void)state;
    char *text = malloc(2 * APP_MESSAGE_SIZE_MAX);
    assert_non_null(text);
    memset(text, '\1', 2 * APP_MESSAGE_SIZE_MAX);
    app_message_put_text(&message, (struct jsv_str){text, 2 * APP_MESSAGE_SIZE_MAX});
    assert_int_equal(message.size, APP_MESSAGE_SIZE_MAX);
    app_message_put(&message, "more");
    assert_int_equal(message.size, APP_MESSAGE_SIZE_MAX);
    assert_memory_equal(message.data + APP_MESSAGE_SIZE_MAX - 4, "\\x01", 4);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_own_texts, set_up),
        cmocka_unit_test_setup(test_colours, set_up),
        cmocka_unit_test_setup(test_foreign_text_is_made_safe, set_up),
        cmocka_unit_test_setup(test_clipping, set_up),
        cmocka_unit_test_setup(test_cut, set_up),
        cmocka_unit_test_setup(test_full_message_stays_in_bounds, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
