#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "log/one_line.h"

/* A text behind another one, which stays as it is. */
static void assert_kept(const char *text, const char *expected)
{
    static const char before[] = "\xE2\x80\xA8|";
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 4096);
    jsv_buf_append_str(&out, jsv_str_from(before));
    jsv_buf_append_str(&out, jsv_str_from(text));
    assert_int_equal(log_keep_on_one_line(&out, strlen(before)), 0);
    jsv_buf_append_byte(&out, '\0');
    assert_memory_equal(out.data, before, strlen(before));
    assert_string_equal(out.data + strlen(before), expected);
    jsv_buf_done(&out);
}

static void test_what_stays(void **state)
{
    (void)state;
    assert_kept("", "");
    assert_kept("plain\n", "plain\n");
    assert_kept(
        "\xC3\xA9\xE2\x80\xA6\xC2\x84\xF0\x9F\x98\x80",
        "\xC3\xA9\xE2\x80\xA6\xC2\x84\xF0\x9F\x98\x80");
    assert_kept("\\u2028", "\\u2028");
}

static void test_what_is_escaped(void **state)
{
    (void)state;
    assert_kept("\xC2\x85", "\\u0085");
    assert_kept("\xE2\x80\xA8", "\\u2028");
    assert_kept("\xE2\x80\xA9", "\\u2029");
    assert_kept("a\xE2\x80\xA8", "a\\u2028");
    assert_kept(
        "\xE2\x80\xA8"
        "b",
        "\\u2028"
        "b");
    assert_kept("\xC2\x85\xE2\x80\xA9\xE2\x80\xA8\xC2\x85", "\\u0085\\u2029\\u2028\\u0085");
    assert_kept("\xC3\xA9 \xE2\x80\xA8 \xC3\xA9\xC2\x85.\n", "\xC3\xA9 \\u2028 \xC3\xA9\\u0085.\n");
}

static void test_no_room(void **state)
{
    (void)state;
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 4);
    jsv_buf_append_str(&out, JSV_STR("\xE2\x80\xA8"));
    assert_int_equal(log_keep_on_one_line(&out, 0), -ENOBUFS);
    assert_int_equal(log_keep_on_one_line(&out, 0), -ENOBUFS);
    assert_int_equal(out.size, 3);
    jsv_buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_what_is_escaped),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
