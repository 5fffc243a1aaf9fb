#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <jsv/jsv.h>

static const struct jsv_str empty = {NULL, 0};

static void test_from(void **state)
{
    (void)state;
    const char *text = "hello";
    struct jsv_str str = jsv_str_from(text);
    assert_ptr_equal(str.data, text);
    assert_int_equal(str.size, 5);
    assert_int_equal(jsv_str_from("").size, 0);
    assert_int_equal(JSV_STR("a\0b").size, 3);
}

static void test_equal(void **state)
{
    (void)state;
    assert_true(jsv_str_equal(JSV_STR("abc"), jsv_str_from("abc")));
    assert_false(jsv_str_equal(JSV_STR("abc"), JSV_STR("abd")));
    assert_false(jsv_str_equal(JSV_STR("abc"), JSV_STR("ab")));
    assert_true(jsv_str_equal(JSV_STR("a\0b"), JSV_STR("a\0b")));
    assert_false(jsv_str_equal(JSV_STR("a\0b"), JSV_STR("a\0c")));
    assert_true(jsv_str_equal(empty, JSV_STR("")));
    assert_false(jsv_str_equal(empty, JSV_STR("a")));
}

static void test_compare(void **state)
{
    (void)state;
    /* In rising order; the last two are where UTF-16 would have it the other way round. */
    static const char *const rising[] = {
        "", "A", "a", "aa", "b", "\x7F", "\u00E9", "\uFFFD", "\U0001F600"};
    const size_t count = sizeof rising / sizeof rising[0];
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            int order = jsv_str_compare(jsv_str_from(rising[i]), jsv_str_from(rising[j]));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
    assert_int_equal(jsv_str_compare(empty, JSV_STR("")), 0);
    assert_true(jsv_str_compare(empty, JSV_STR("a")) < 0);
    assert_true(jsv_str_compare(JSV_STR("a\0b"), JSV_STR("a\0a")) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_from),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
