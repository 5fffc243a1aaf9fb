#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jsv/base/percent.h"

static void assert_encoded(struct jsv_str text, const char *keep, const char *expected)
{
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 4096);
    jsv_percent_append(&out, text, keep);
    assert_int_equal(out.error, 0);
    assert_int_equal(out.size, strlen(expected));
    assert_memory_equal(out.data ? out.data : "", expected, out.size);
    jsv_buf_done(&out);
}

static void test_plain(void **state)
{
    (void)state;
    assert_encoded(JSV_STR(""), "", "");
    assert_encoded(JSV_STR("azAZ09-._~"), "", "azAZ09-._~");
    assert_encoded(JSV_STR("/a?b"), "", "%2Fa%3Fb");
    assert_encoded(JSV_STR("/a?b"), JSV_PERCENT_PATH, "/a%3Fb");
    assert_encoded(JSV_STR("/a?b#"), JSV_PERCENT_FRAGMENT, "/a?b%23");
    assert_encoded(JSV_STR(":@!$&'()*+,;="), JSV_PERCENT_PATH, ":@!$&'()*+,;=");
}

static void test_encoded(void **state)
{
    (void)state;
    assert_encoded(JSV_STR("a b%\"^"), JSV_PERCENT_PATH, "a%20b%25%22%5E");
    assert_encoded(JSV_STR("\xc3\xa9\xff"), JSV_PERCENT_PATH, "%C3%A9%FF");
    /* NUL ends the list of kept characters and is not one of them. */
    assert_encoded(JSV_STR("\0\1"), JSV_PERCENT_PATH, "%00%01");
}

static void test_ceiling(void **state)
{
    (void)state;
    struct jsv_buf out;
    jsv_buf_init(&out, NULL, 4);
    jsv_percent_append(&out, JSV_STR("a b c"), "");
    assert_int_equal(out.error, -ENOBUFS);
    jsv_buf_done(&out);
}

static void bytes_are_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t used;
        char byte;
    } cases[] = {
        {"a%41", 1, 'a'},
        {"%41", 3, 'A'},
        {"%2fx", 3, '/'},
        {"%", 0, 0},
        {"%4", 0, 0},
        {"%4g", 0, 0},
        {"%g4", 0, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char byte = 0;
        assert_int_equal(jsv_percent_byte(jsv_str_from(cases[i].text), &byte), cases[i].used);
        assert_int_equal(byte, cases[i].byte);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_decoded),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_encoded),
        cmocka_unit_test(test_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
