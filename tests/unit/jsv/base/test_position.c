#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jsv/jsv.h>

static void assert_at(struct jsv_position *position, size_t offset, size_t line, size_t column)
{
    jsv_position_move(position, offset);
    assert_int_equal(position->offset, offset);
    assert_int_equal(position->line, line);
    assert_int_equal(position->column, column);
}

static void test_forward_and_back(void **state)
{
    (void)state;
    struct jsv_position position = jsv_position_in(JSV_STR("one\ntwo\n\nfour"), 1);
    assert_at(&position, 0, 1, 1);
    assert_at(&position, 2, 1, 3);
    assert_at(&position, 3, 1, 4);
    assert_at(&position, 4, 2, 1);
    assert_at(&position, 8, 3, 1);
    assert_at(&position, 13, 4, 5);
    assert_at(&position, 10, 4, 2);
    assert_at(&position, 5, 2, 2);
    assert_at(&position, 5, 2, 2);
    assert_at(&position, 1, 1, 2);
    assert_at(&position, 0, 1, 1);
}

static void test_first_line(void **state)
{
    (void)state;
    struct jsv_position position = jsv_position_in(JSV_STR("a\nb"), 70);
    assert_at(&position, 2, 71, 1);
    assert_at(&position, 1, 70, 2);
}

static void test_columns_are_characters(void **state)
{
    (void)state;
    struct jsv_position position = jsv_position_in(JSV_STR("\xc3\xa9\xe2\x82\xac!\n\xc3\xa9!"), 1);
    assert_at(&position, 5, 1, 3);
    assert_at(&position, 9, 2, 2);
    assert_at(&position, 2, 1, 2);
}

static void test_nothing(void **state)
{
    (void)state;
    struct jsv_position position = jsv_position_in((struct jsv_str){NULL, 0}, 1);
    assert_at(&position, 0, 1, 1);
}

/* Wherever it comes from, it arrives at what counting from the start gives. */
static void test_any_way(void **state)
{
    (void)state;
    static const char text[] = "a\n\nbc\xc3\xa9\nd\n\n\nefg\n\xe2\x82\xac\n";
    struct jsv_str str = {text, sizeof(text) - 1};
    struct jsv_position moving = jsv_position_in(str, 3);
    srandom(1);
    for (int i = 0; i < 2000; i++) {
        size_t offset = (size_t)random() % sizeof(text);
        struct jsv_position fresh = jsv_position_in(str, 3);
        jsv_position_move(&fresh, offset);
        assert_at(&moving, offset, fresh.line, fresh.column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forward_and_back),
        cmocka_unit_test(test_first_line),
        cmocka_unit_test(test_columns_are_characters),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_any_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
