#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include <jsv/jsv.h>

#include "support/torture.h"

static void assert_contents(const struct jsv_buf *buf, const char *expected)
{
    assert_true(jsv_str_equal(jsv_buf_str(buf), jsv_str_from(expected)));
}

static void test_append(void **state)
{
    (void)state;
    struct jsv_buf buf;
    jsv_buf_init(&buf, NULL, 1000);
    assert_null(buf.data);
    assert_contents(&buf, "");
    assert_int_equal(jsv_buf_append(&buf, "abc", 3), 0);
    assert_int_equal(jsv_buf_append_byte(&buf, 'd'), 0);
    assert_int_equal(jsv_buf_append_str(&buf, JSV_STR("ef")), 0);
    assert_int_equal(jsv_buf_append(&buf, NULL, 0), 0);
    assert_int_equal(jsv_buf_append_str(&buf, (struct jsv_str){NULL, 0}), 0);
    assert_contents(&buf, "abcdef");
    assert_int_equal(buf.error, 0);
    jsv_buf_done(&buf);
    assert_contents(&buf, "");
}

static void test_ceiling_is_exact(void **state)
{
    (void)state;
    for (size_t size_max = 0; size_max < 600; size_max++) {
        struct torture torture;
        torture_init(&torture, 0);
        struct jsv_buf buf;
        jsv_buf_init(&buf, &torture.allocator, size_max);
        for (size_t i = 0; i < size_max; i++) {
            assert_int_equal(jsv_buf_append_byte(&buf, 'x'), 0);
        }
        assert_int_equal(jsv_buf_append_byte(&buf, 'x'), -ENOBUFS);
        assert_int_equal(buf.size, size_max);
        assert_true(buf.capacity <= size_max);
        jsv_buf_done(&buf);
        torture_done(&torture);
    }
}

static void test_error_sticks_until_reset(void **state)
{
    (void)state;
    struct jsv_buf buf;
    jsv_buf_init(&buf, NULL, 8);
    assert_int_equal(jsv_buf_append(&buf, "12345", 5), 0);
    /* All or nothing: no part of what does not fit is written. */
    assert_int_equal(jsv_buf_append(&buf, "6789", 4), -ENOBUFS);
    assert_contents(&buf, "12345");
    assert_int_equal(jsv_buf_append(&buf, "6", 1), -ENOBUFS);
    assert_int_equal(jsv_buf_append(&buf, NULL, 0), -ENOBUFS);
    assert_int_equal(jsv_buf_append_byte(&buf, '6'), -ENOBUFS);
    assert_int_equal(jsv_buf_reserve(&buf, 0), -ENOBUFS);
    assert_contents(&buf, "12345");
    assert_int_equal(buf.error, -ENOBUFS);
    jsv_buf_reset(&buf);
    assert_int_equal(buf.error, 0);
    assert_int_equal(jsv_buf_append(&buf, "12345678", 8), 0);
    assert_contents(&buf, "12345678");
    jsv_buf_done(&buf);
}

static void test_reserve(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_buf buf;
    jsv_buf_init(&buf, &torture.allocator, 5000);
    assert_int_equal(jsv_buf_reserve(&buf, 0), 0);
    assert_int_equal(torture.calls, 0);
    assert_int_equal(jsv_buf_reserve(&buf, 3000), 0);
    assert_int_equal(buf.size, 0);
    assert_true(buf.capacity >= 3000);
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(jsv_buf_append_byte(&buf, 'y'), 0);
    }
    assert_int_equal(torture.calls, 1);
    assert_int_equal(jsv_buf_reserve(&buf, 2001), -ENOBUFS);
    jsv_buf_done(&buf);
    torture_done(&torture);
}

static void test_sizes_do_not_overflow(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_buf buf;
    jsv_buf_init(&buf, &torture.allocator, SIZE_MAX);
    assert_int_equal(jsv_buf_append_byte(&buf, 'a'), 0);
    assert_int_equal(jsv_buf_reserve(&buf, SIZE_MAX), -ENOBUFS);
    jsv_buf_reset(&buf);
    assert_int_equal(jsv_buf_append_byte(&buf, 'a'), 0);
    assert_int_equal(jsv_buf_reserve(&buf, SIZE_MAX - 1), -ENOMEM);
    assert_contents(&buf, "a");
    jsv_buf_done(&buf);
    torture_done(&torture);
}

static void check_growth(size_t size_max)
{
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_buf buf;
    jsv_buf_init(&buf, &torture.allocator, size_max);
    size_t moved = 0;
    for (size_t i = 0; i < 1000000; i++) {
        size_t calls = torture.calls;
        assert_int_equal(jsv_buf_append_byte(&buf, (char)i), 0);
        moved += torture.calls > calls ? i : 0;
    }
    assert_true(moved <= 2 * buf.size);
    assert_true(buf.capacity <= 2 * buf.size);
    for (size_t i = 0; i < 1000000; i++) {
        assert_int_equal(buf.data[i], (char)i);
    }
    jsv_buf_done(&buf);
    torture_done(&torture);
}

static void test_growth_is_linear(void **state)
{
    (void)state;
    check_growth(1u << 30);
    check_growth(1000000); /* also on the last steps to the ceiling */
}

static void test_reset_keeps_memory(void **state)
{
    (void)state;
    struct torture torture;
    torture_init(&torture, 0);
    struct jsv_buf buf;
    jsv_buf_init(&buf, &torture.allocator, 100000);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 10000; i++) {
            assert_int_equal(jsv_buf_append(&buf, "abc", 3), 0);
        }
        size_t calls = torture.calls;
        jsv_buf_reset(&buf);
        assert_int_equal(buf.size, 0);
        assert_true(round == 0 || calls == torture.calls);
    }
    assert_in_range(torture.calls, 1, 9);
    jsv_buf_done(&buf);
    torture_done(&torture);
}

static void test_null_and_reuse(void **state)
{
    (void)state;
    jsv_buf_reset(NULL);
    jsv_buf_done(NULL);
    struct jsv_buf buf;
    jsv_buf_init(&buf, NULL, 10);
    jsv_buf_done(&buf);
    assert_int_equal(jsv_buf_append_byte(&buf, 'z'), 0);
    assert_contents(&buf, "z");
    jsv_buf_done(&buf);
    jsv_buf_done(&buf);
}

static int fill(const struct jsv_allocator *allocator, void *state)
{
    (void)state;
    struct jsv_buf buf;
    jsv_buf_init(&buf, allocator, 1u << 20);
    for (int i = 0; i < 5000; i++) {
        jsv_buf_append(&buf, "0123456789", 10);
    }
    /* What had been written before the failure is whole. */
    assert_int_equal(buf.size % 10, 0);
    for (size_t i = 0; i < buf.size; i++) {
        assert_int_equal(buf.data[i], '0' + (int)(i % 10));
    }
    int error = buf.error;
    jsv_buf_done(&buf);
    return error;
}

static void test_torture(void **state)
{
    (void)state;
    assert_in_range(torture_run(fill, NULL), 5, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_ceiling_is_exact),
        cmocka_unit_test(test_error_sticks_until_reset),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_sizes_do_not_overflow),
        cmocka_unit_test(test_growth_is_linear),
        cmocka_unit_test(test_reset_keeps_memory),
        cmocka_unit_test(test_null_and_reuse),
        cmocka_unit_test(test_torture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
